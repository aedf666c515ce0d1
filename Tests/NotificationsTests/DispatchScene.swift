import Synchronization

@testable import Outbound
@testable import Storage

/// Deliveries that wait, and what became of them.
final class MemoryOutbox {
  var waiting: [Delivery]
  var delivered: [Delivery] = []
  var failures: [(delivery: Delivery, failure: DeliveryFailure)] = []

  init(_ waiting: [Delivery]) { self.waiting = waiting }

  func record(_ delivery: Delivery, _ failure: DeliveryFailure?) {
    if let failure { return failures.append((delivery, failure)) }
    delivered.append(delivery)
    waiting.removeAll { $0 == delivery }
  }

  /// Sends what waits, and returns what failed.
  @discardableResult
  func send(by dispatcher: Dispatcher) throws -> [(delivery: Delivery, failure: DeliveryFailure)] {
    try dispatcher.deliver(waiting, now: Sample.time, record: record)
  }
}

/// The pauses that were asked for; none is taken.
final class Backoff: Sendable {
  private let all = Mutex<[Double]>([])
  var seconds: [Double] { all.withLock { $0 } }
  func add(_ seconds: Double) { all.withLock { $0.append(seconds) } }
}

extension Channel {
  /// A webhook to a sink on this machine.
  static func webhook(
    _ name: String, _ address: String, allowsPrivate: Bool = true, timeout: Double = 5, key: SecretSource? = nil
  ) -> Channel {
    var channel = Channel(
      name: name, kind: WebhookChannel(address: .plain(address), signingKey: key, token: nil))
    channel.network.allowsPrivate = allowsPrivate
    channel.network.timeout = timeout
    return channel
  }
}

/// Delivers `messages` to the only channel, over real sockets.
func deliver(
  _ channels: [Channel], _ messages: [AlertMessage] = [Sample.message], environment: [String: String] = [:],
  limits: DispatchLimits = DispatchLimits(), pauses: Backoff = Backoff()
) throws -> MemoryOutbox {
  let outbox = MemoryOutbox(
    channels.flatMap { channel in messages.map { Delivery(message: $0, channel: channel.name) } })
  let dispatcher = Dispatcher(
    channels: channels, environment: environment, limits: limits, transport: CurlTransport(),
    pause: { pauses.add($0) })
  let failed = try outbox.send(by: dispatcher)
  precondition(failed.count == outbox.failures.count)
  precondition(outbox.delivered.count + failed.count == channels.count * messages.count)
  return outbox
}

/// Messages of that many incidents, one behind the other.
func messages(_ count: Int) -> [AlertMessage] {
  (0..<count).map { number in
    var message = Sample.message
    message.identifier = "message-\(number)"
    return message
  }
}
