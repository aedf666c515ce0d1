public import Core
import Foundation
public import Outbound
public import Storage

/// Sends summaries to the channels that take them. Failed deliveries are not stored for a retry.
public struct SummarySender {
  private let settings: AlertSettings
  private let only: [String]

  /// Creates a sender. `only`: names of the channels to send to; if empty, the routes of the settings decide.
  public init(settings: AlertSettings, only: [String]) {
    self.settings = settings
    self.only = only
  }

  /// Sends the messages and returns the deliveries that failed. Throws `UsageError` if no channel takes the messages.
  public func send(_ messages: [AlertMessage], now: Timestamp) throws -> [(
    delivery: Delivery, failure: DeliveryFailure
  )] {
    let readers = settings.channels.filter(\.takesSummaries).map(\.name)
    if let unknown = only.first(where: { !readers.contains($0) }) {
      throw UsageError(
        "There is no channel \(unknown) that takes digests; known are \(readers.joined(separator: ", ")).")
    }
    let deliveries = messages.flatMap { message in
      (only.isEmpty ? settings.channels(for: message) : only).filter(readers.contains).map {
        Delivery(message: message, channel: $0)
      }
    }
    guard !deliveries.isEmpty else {
      throw UsageError("No channel of the settings takes the digest: see docs/alerting-channels.md.")
    }
    let dispatcher = Dispatcher(channels: settings.channels, environment: ProcessInfo.processInfo.environment)
    return try dispatcher.deliver(deliveries, now: now)
  }
}
