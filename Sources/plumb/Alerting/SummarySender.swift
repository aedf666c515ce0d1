import ArgumentParser
import Foundation
import Notifications

/// Sends digests to the channels that take them.
struct SummarySender {
  private let settings: AlertSettings
  private let only: [String]
  private(set) var hasFailed = false

  init(settings: AlertSettings, only: [String]) {
    self.settings = settings
    self.only = only
  }

  /// Nothing is kept: who sends by cron hears what failed, and can send again.
  mutating func send(_ messages: [AlertMessage], now: Date) throws {
    let readers = settings.channels.filter(\.kind.takesDigests).map(\.name)
    if let unknown = only.first(where: { !readers.contains($0) }) {
      throw ValidationError(
        "There is no channel \(unknown) that takes digests; known are \(readers.joined(separator: ", ")).")
    }
    let deliveries = messages.flatMap { message in
      (only.isEmpty ? settings.channels(for: message) : only).filter(readers.contains).map {
        Delivery(message: message, channel: $0)
      }
    }
    guard !deliveries.isEmpty else {
      throw ValidationError("No channel of the settings takes the digest: see docs/alerting-channels.md.")
    }
    let dispatcher = Dispatcher(channels: settings.channels, environment: ProcessInfo.processInfo.environment)
    for sent in try dispatcher.deliver(SingleUseOutbox(deliveries: deliveries), now: now) {
      guard case .failed(let failure) = sent.outcome else { continue }
      Console.complain("channel \(sent.delivery.channel): \(failure) (\(sent.delivery.message.title))")
      hasFailed = true
    }
  }
}
