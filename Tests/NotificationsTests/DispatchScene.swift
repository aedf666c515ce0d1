import Foundation
import Synchronization

@testable import Notifications

/// An outbox in memory.
final class MemoryOutbox: Outbox {
  var waiting: [Delivery]
  var delivered: [Delivery] = []
  var failures: [(delivery: Delivery, failure: DeliveryFailure)] = []

  init(_ waiting: [Delivery]) { self.waiting = waiting }

  func pending() -> [Delivery] { waiting }

  func markDelivered(_ delivery: Delivery, at time: Date) {
    delivered.append(delivery)
    waiting.removeAll { $0 == delivery }
  }

  func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) {
    failures.append((delivery, failure))
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
  let reports = try dispatcher.deliver(outbox, now: Sample.time)
  precondition(reports.count == channels.count * messages.count)
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
