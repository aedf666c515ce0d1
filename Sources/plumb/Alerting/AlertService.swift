import Alerts
import Foundation
import Issues
import Health
import Notifications
import SQLiteStore
import Storage
import Telemetry

/// Alerts of a data folder: who looks, and who is told. `check` and `serve` have one each.
struct AlertService {
  private let installation: Installation
  private let store: SQLiteStore
  private let book: BudgetRepository
  private let round: AlertRound
  private let channels: AlertSettings

  init(
    _ installation: Installation, _ store: SQLiteStore, _ book: BudgetRepository, policy: AlertPolicy,
    publicURL: String?,
    channels: AlertSettings
  ) {
    self.installation = installation
    self.store = store
    self.book = book
    self.channels = channels
    round = AlertRound(control: installation.control, policy: policy, links: .pages(publicURL))
  }

  /// Looks at one app: incidents open, go on and close.
  func look(at app: App, now: Timestamp) throws -> AlertRound.Outcome {
    try store.snapshot {
      try round.look(
        at: app, now: now, groups: { GroupReader(installation, store, $0, symbols: NoSymbols()) }
      ) { try book.health(of: app, store) }
    }
  }

  /// Looks at what concerns all apps.
  func lookAtFolder(now: Timestamp) throws {
    let backlog = try JournalBacklog.read(installation.folder.journal) { try store.watermark(of: $0) }
    let setAside = try store.quarantine(limit: 200)
    let yesterday = now.milliseconds - 86_400_000
    let recent = setAside.records.count { $0.setAside.milliseconds >= yesterday }
    try round.lookAtFolder(
      waiting: backlog?.records, oldest: backlog?.oldest, setAside: recent, now: now)
    try round.forget(now: now)
  }

  /// Looks at everything, as a server does: what one app breaks keeps nobody from the others.
  func lookAtAll(now: Timestamp, report: (any Error) -> Void) {
    do {
      for app in try installation.control.apps() {
        do {
          if let failure = try look(at: app, now: now).failure { report(failure) }
        } catch {
          report(error)
        }
      }
      try lookAtFolder(now: now)
    } catch {
      report(error)
    }
  }

  /// Says what waits for a channel. Each message is said once, also when several processes speak at once, and again
  /// only where one died in the middle.
  func speak(on channel: String, of apps: [String]? = nil, now: Timestamp, say: (AlertMessage) -> Void) throws {
    let control = installation.control
    for stored in try control.pendingMessages() where stored.deliveries[channel]?.delivered == nil {
      guard now.milliseconds - stored.created.milliseconds < Self.memory else { continue }
      let message = try AlertMessageJSON.decode(stored.body)
      if let apps, message.app != AlertMessage.everyApp, !apps.contains(message.app) { continue }
      guard try control.claim(stored.id, channel: channel, at: now) else { continue }
      say(message)
      try control.markDelivered(stored.id, channel: channel, at: now)
    }
  }

  /// Sends what waits for the channels of the settings. A channel that fails is tried again by the next run.
  func deliver(of apps: [String]? = nil, now: Timestamp, report: (Delivery, DeliveryFailure) -> Void) throws {
    guard !channels.channels.isEmpty else { return }
    let outbox = ChannelOutbox(control: installation.control, settings: channels, apps: apps, now: now)
    let dispatcher = Dispatcher(channels: channels.channels, environment: ProcessInfo.processInfo.environment)
    let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
    for sent in try dispatcher.deliver(outbox, now: date) {
      if case .failed(let failure) = sent.outcome { report(sent.delivery, failure) }
    }
  }

  /// What is older is no news, in milliseconds: a week.
  static let memory: Int64 = 7 * 86_400_000
}
