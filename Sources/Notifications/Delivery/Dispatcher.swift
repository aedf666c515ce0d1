internal import Dispatch
public import Foundation
internal import Synchronization

/// Delivers what is pending, to all channels at once. A channel that fails or hangs holds up no other.
public struct Dispatcher: Sendable {
  let channels: [Channel]
  let environment: [String: String]
  let limits: DispatchLimits
  let transport: any Transport
  let pause: @Sendable (Double) -> Void

  /// - Parameters:
  ///   - channels: those of the settings.
  ///   - environment: the variables that secrets may be in.
  public init(channels: [Channel], environment: [String: String], limits: DispatchLimits = DispatchLimits()) {
    self.init(
      channels: channels, environment: environment, limits: limits, transport: CurlTransport(),
      pause: { Thread.sleep(forTimeInterval: $0) })
  }

  init(
    channels: [Channel], environment: [String: String], limits: DispatchLimits, transport: any Transport,
    pause: @escaping @Sendable (Double) -> Void
  ) {
    self.channels = channels
    self.environment = environment
    self.limits = limits
    self.transport = transport
    self.pause = pause
  }

  /// Delivers everything that is pending in `outbox` and records each outcome there as soon as it is known. Blocks, for
  /// at most a second longer than `limits.total`.
  ///
  /// - Parameter now: the time of signatures, and of the outcomes in the outbox.
  /// - Returns: the outcomes, in the order in which they became known.
  /// - Throws: the first error of the outbox; what can be delivered is delivered all the same.
  public func deliver(_ outbox: some Outbox, now: Date) throws -> [Delivery.Report] {
    let pending = try outbox.pending()
    var failure: (any Error)?
    let reports = run(pending, now: now) { report in
      do {
        switch report.outcome {
        case .delivered: try outbox.markDelivered(report.delivery, at: now)
        case .failed(let reason): try outbox.markFailed(report.delivery, reason, at: now)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return reports
  }

  private func run(
    _ pending: [Delivery], now: Date, record: (Delivery.Report) -> Void
  ) -> [Delivery.Report] {
    let mailbox = Mailbox<Delivery.Report>()
    let deadline = Deadline(seconds: limits.total)
    for (name, deliveries) in Dictionary(grouping: pending, by: \.channel) {
      start(name, deliveries.map(\.message), now, deadline, mailbox)
    }
    var open = pending
    var reports: [Delivery.Report] = []
    func take(_ report: Delivery.Report) {
      guard let index = open.firstIndex(of: report.delivery) else { return }
      open.remove(at: index)
      reports.append(report)
      record(report)
    }
    // libcurl ends transfers at `limits.total`; a second more for closing them.
    let end = Deadline(seconds: limits.total + 1)
    while !open.isEmpty, let report = mailbox.take(until: end) { take(report) }
    let late = DeliveryFailure(kind: .passing, description: "there was no answer within \(Int(limits.total)) seconds")
    for delivery in open { take(Delivery.Report(delivery: delivery, outcome: .failed(late))) }
    return reports
  }

  /// A thread for each channel: all they do is wait, and Swift's own threads are as many as the machine has cores.
  private func start(
    _ name: String, _ messages: [AlertMessage], _ now: Date, _ deadline: Deadline,
    _ mailbox: Mailbox<Delivery.Report>
  ) {
    guard let channel = channels.first(where: { $0.name == name }) else {
      let failure = DeliveryFailure(
        kind: .setup, description: "there is no channel \(name.oneLine.cut(60)) in the settings")
      for message in messages {
        mailbox.put(Delivery.Report(delivery: Delivery(message: message, channel: name), outcome: .failed(failure)))
      }
      return
    }
    let sender = ChannelSender(
      channel: channel, environment: environment, limits: limits, transport: transport, pause: pause)
    Thread.detachNewThread {
      sender.deliver(messages, now: now, deadline: deadline) { message, outcome in
        mailbox.put(Delivery.Report(delivery: Delivery(message: message, channel: name), outcome: outcome))
      }
    }
  }
}

extension Dispatcher {
  /// Sends a message that says it is a test, and its end, so that no incident stays open at the receiver.
  ///
  /// - Parameter name: the name of a channel.
  /// - Returns: the outcomes of both.
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

/// Time limits and retries of one run.
public struct DispatchLimits: Sendable, Equatable {
  /// The limit of a whole run, in seconds.
  public var total = 60.0
  /// Attempts per request, the first included.
  public var attempts = 3
  /// The pause after the first failure, in seconds; each further pause is twice as long.
  public var firstPause = 1.0
  /// The longest pause, in seconds. If a receiver asks for more, the next run tries again.
  public var longestPause = 10.0

  /// A minute, three attempts, pauses of 1 and 2 seconds.
  public init() {}
}

/// A point in time on the monotonic clock, which is never set back.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(seconds: Double) { end = .now + .seconds(seconds) }

  /// Seconds until the end; not below zero.
  var remaining: Double { max(0, (end - .now) / .seconds(1)) }
}

/// A queue from many threads to one.
final class Mailbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The oldest value, waited for until `deadline`; nil when none came.
  func take(until deadline: Deadline) -> Value? {
    guard count.wait(timeout: .now() + deadline.remaining) == .success else { return nil }
    return values.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
