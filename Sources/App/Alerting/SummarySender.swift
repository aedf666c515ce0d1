internal import Analysis
public import Core
import Foundation
public import Outbound
import SQLiteStore
public import Storage
import Web

/// Sends summaries to the channels that support them. Failed deliveries are not stored for a retry.
public struct SummarySender {
  private let settings: AlertSettings
  private let only: [String]

  /// Creates a sender. `only`: the names of the channels to send to; if empty, the routes of the settings decide.
  public init(settings: AlertSettings, only: [String]) {
    self.settings = settings
    self.only = only
  }

  /// Sends the messages and returns the failed deliveries. Throws `UsageError` if no channel supports the messages.
  public func send(_ messages: [AlertMessage], now: Timestamp) throws -> [(
    delivery: Delivery, failure: DeliveryFailure
  )] {
    let readers = settings.channels.filter(\.takesSummaries).map(\.name)
    if let unknown = only.first(where: { !readers.contains($0) }) {
      throw UsageError(
        "--channel: there is no channel \(unknown) for digests. Expected one of \(readers.joined(separator: ", ")).")
    }
    let deliveries = messages.flatMap { message in
      (only.isEmpty ? settings.channels(for: message) : only).filter(readers.contains).map {
        Delivery(message: message, channel: $0)
      }
    }
    guard !deliveries.isEmpty else {
      throw UsageError("--send: the settings have no channel for digests. See docs/alerting-channels.md.")
    }
    let dispatcher = Dispatcher(channels: settings.channels, environment: ProcessInfo.processInfo.environment)
    return try dispatcher.deliver(deliveries, now: now)
  }
}
