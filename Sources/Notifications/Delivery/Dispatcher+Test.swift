public import Foundation

extension Dispatcher {
  /// Sends a message that says it is a test, and its end, so that no incident stays open at the receiver.
  ///
  /// - Parameter name: the name of a channel.
  /// - Returns: what became of both.
  public func sendTest(to name: String, now: Date) throws -> [Delivery.Report] {
    let messages = [AlertMessage.Event.opened, .resolved].map { Self.test($0, channel: name, now: now) }
    return try deliver(SingleUseOutbox(deliveries: messages.map { Delivery(message: $0, channel: name) }), now: now)
  }

  private static func test(_ event: AlertMessage.Event, channel: String, now: Date) -> AlertMessage {
    let key = "plumb-test-\(channel)-\(Int(now.timeIntervalSince1970))"
    let words = event.isOpen ? "This is a test of the channel \(channel)" : "The test of the channel \(channel) is over"
    let item = AlertMessage.Item(
      incident: key, event: event, summary: "\(words): no app is affected.", advice: "Nothing is to be done.",
      since: now)
    return AlertMessage(
      identifier: "\(key)-\(event.rawValue)", event: event, severity: .info, app: "plumb.test", title: words,
      items: [item], time: now)
  }
}
