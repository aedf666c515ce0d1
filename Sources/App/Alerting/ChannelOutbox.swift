import Alerts
import Foundation
import Notifications
import Storage
import Telemetry

/// The messages in the control database that wait for a channel of the settings. The `Dispatcher` sends them.
struct ChannelOutbox: Outbox {
  let control: any ControlStore
  let settings: AlertSettings
  /// The bundle identifiers whose messages are sent; nil for all apps.
  let apps: [String]?
  let now: Timestamp

  /// The deliveries that wait. Claims each for a minute, during which no other process sends it.
  func pending() throws -> [Delivery] {
    try control.pendingMessages().flatMap { stored -> [Delivery] in
      let age = now.milliseconds - stored.created.milliseconds
      guard age < AlertService.messageLifetime else { return [] }
      let message = try AlertMessageJSON.decode(stored.body)
      if let apps, message.app != AlertMessage.everyApp, !apps.contains(message.app) { return [] }
      return try settings.channels(for: message).filter { channel in
        try isWaiting(stored.deliveries[channel], age: age) && control.claim(stored.id, channel: channel, at: now)
      }.map { Delivery(message: message, channel: $0) }
    }
  }

  /// Whether a message waits for a channel. `delivery`: the channel's earlier attempts. A channel without any, which
  /// may be new in the settings, gets messages of the last day only.
  private func isWaiting(_ delivery: StoredMessage.Delivery?, age: Int64) -> Bool {
    guard let delivery else { return age < Self.newChannelAge }
    return delivery.delivered == nil && !delivery.isRefused
  }

  func markDelivered(_ delivery: Delivery, at time: Date) throws {
    try control.markDelivered(delivery.message.identifier, channel: delivery.channel, at: Timestamp(time))
  }

  func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) throws {
    try control.markFailed(
      delivery.message.identifier, channel: delivery.channel, reason: failure.description,
      isFinal: failure.kind == .refused, at: Timestamp(time))
  }

  /// The age in milliseconds, a day, up to which messages are sent to a channel without earlier attempts.
  private static let newChannelAge: Int64 = 86_400_000
}

extension Timestamp {
  fileprivate init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
