import Analysis
public import Core
import Foundation
import Ingest
import Outbound
import SQLiteStore
import Storage
import Web

/// The alerts of a data folder. Evaluates apps, which stores incidents and messages, and delivers the messages.
///
/// Used by `plumb check` and `plumb serve`. Any number of processes can run at once.
struct AlertService {
  private let installation: Installation
  private let store: SQLiteStore
  private let budgets: BudgetRepository
  private let evaluator: AlertEvaluator
  private let channels: AlertSettings
  private let floor: SpaceFloor

  /// - Parameters:
  ///   - publicURL: the public address of the dashboard, for links; nil for messages without links.
  ///   - channels: the alert channels and routes of the settings.
  ///   - floor: the free space below which less is written.
  init(
    _ installation: Installation, _ store: SQLiteStore, _ budgets: BudgetRepository, thresholds: AlertThresholds,
    publicURL: String?, channels: AlertSettings, floor: SpaceFloor = .standard
  ) {
    self.installation = installation
    self.store = store
    self.budgets = budgets
    self.channels = channels
    self.floor = floor
    evaluator = AlertEvaluator(control: installation.control, thresholds: thresholds, links: .pages(publicURL))
  }

  /// Evaluates one app: opens, updates and closes its incidents.
  func evaluate(_ app: App, now: Timestamp) throws -> AlertEvaluator.Outcome {
    let outcome = try evaluateOnce(app, now: now)
    // Unreadable rows are quarantined, and the others are evaluated.
    guard let failure = outcome.failure, SQLiteStore.isDamage(failure), try store.quarantineDamage() > 0 else {
      return outcome
    }
    return try evaluateOnce(app, now: now)
  }

  private func evaluateOnce(_ app: App, now: Timestamp) throws -> AlertEvaluator.Outcome {
    // Not repeatable, because the evaluation opens and closes incidents.
    try store.snapshot(isRepeatable: false) {
      try evaluator.evaluate(
        app, now: now, groups: { GroupReader(installation, store, $0, symbols: NoSymbols()) }
      ) { try budgets.health(of: app, store) }
    }
  }

  /// Evaluates the rules about the data folder: the digest's backlog, records quarantined within a day, and the disk.
  func evaluateFolder(now: Timestamp) throws {
    let backlog = try JournalBacklog.read(installation.folder.journal) { try store.watermark(of: $0) }
    let setAside = try store.quarantine(limit: 200)
    let yesterday = now.milliseconds - 86_400_000
    let recent = setAside.records.filter { $0.setAside.milliseconds >= yesterday }
    let lost = try lostRecords()
    let space = try FreeSpace.of(installation.folder.url.path)
    let status = SpaceStatus(
      space: space, floor: floor.bytes(of: space.total), growth: try store.growth(until: now.day()))
    try evaluator.evaluateFolder(
      waiting: backlog?.records, oldest: backlog?.oldest,
      setAside: recent.reduce(lost?.count ?? 0) { $0.saturatingAdd($1.count) },
      reasons: [lost?.reason].compactMap { $0 }
        + recent.map { $0.place.isEmpty ? $0.reason : "\($0.place): \($0.reason)" },
      space: evaluator.rules.space(status.warning, isShort: status.level >= .short), now: now)
    try evaluator.prune(now: now)
  }

  /// The number of records that are neither in plumb.db nor in the journal, and a sentence about them; nil if there are
  /// none. The digest counts them as lost only when the next record arrives.
  private func lostRecords() throws -> (count: Int, reason: String)? {
    let folder = installation.folder
    func read() throws -> JournalConsistency {
      try JournalConsistency.read(journal: folder.journal, store: folder.plumb)
    }
    guard FileManager.default.fileExists(atPath: folder.journal) else { return nil }
    let found = try read()
    // If a server digests and purges meanwhile, the second read differs from the first.
    guard found.missingCount > 0, try read() == found, let reason = try JournalLoss.ofNumbers(in: folder) else {
      return nil
    }
    return (Int(clamping: found.missingCount), reason)
  }

  /// Evaluates every app and the folder. The error of an app is passed to `report` and does not stop the others.
  func evaluateAll(now: Timestamp, report: (any Error) -> Void) {
    do {
      for app in try installation.control.apps() {
        do {
          if let failure = try evaluate(app, now: now).failure { report(failure) }
        } catch {
          report(error)
        }
      }
      try evaluateFolder(now: now)
    } catch {
      report(error)
    }
  }

  /// Passes the waiting messages of `channel` to `output`. The channel is an output of this process, such as its log.
  ///
  /// Each message is passed once, even if several processes do this at once, and a second time only if a process
  /// crashed in between. `apps`: passes only messages about these bundle identifiers and about the folder; nil for all.
  func print(
    on channel: String, of apps: [String]? = nil, now: Timestamp, output: (AlertMessage) -> Void
  ) throws {
    let control = installation.control
    for message in try waiting(of: apps, now) where message.deliveries[channel]?.delivered == nil {
      guard try control.claim(message.identifier, channel: channel, at: now) else { continue }
      output(message)
      try control.markDelivered(message.identifier, channel: channel, at: now)
    }
  }

  /// Sends the waiting messages of the channels in the settings. `report` receives failed deliveries, which the next
  /// run retries unless the receiver has refused the message.
  func deliver(
    of apps: [String]? = nil, now: Timestamp, report: (Delivery, DeliveryFailure) -> Void
  ) throws {
    guard !channels.channels.isEmpty else { return }
    let control = installation.control
    // Each message is claimed for a minute, during which no other process sends it.
    let deliveries = try waiting(of: apps, now).flatMap { message in
      try channels.channels(for: message).filter {
        try isWaiting(message, for: $0, now) && control.claim(message.identifier, channel: $0, at: now)
      }.map { Delivery(message: message, channel: $0) }
    }
    let dispatcher = Dispatcher(channels: channels.channels, environment: ProcessInfo.processInfo.environment)
    let failed = try dispatcher.deliver(deliveries, now: now) { delivery, failure in
      let identifier = delivery.message.identifier
      if let failure {
        try control.markFailed(
          identifier, channel: delivery.channel, reason: failure.description, isFinal: failure.kind == .refused, at: now
        )
      } else {
        try control.markDelivered(identifier, channel: delivery.channel, at: now)
      }
    }
    for (delivery, failure) in failed { report(delivery, failure) }
  }

  /// The waiting messages about these apps and about the folder; nil for all apps. Messages that could not be delivered
  /// within a week are dropped.
  private func waiting(of apps: [String]?, _ now: Timestamp) throws -> [AlertMessage] {
    try installation.control.pendingMessages().filter { message in
      now.milliseconds - message.time.milliseconds < 7 * Self.day
        && (apps == nil || message.app == AlertMessage.everyApp || apps?.contains(message.app) == true)
    }
  }

  /// Whether a message waits for a channel. A channel without earlier attempts may be new in the settings, and gets
  /// only messages of the last day.
  private func isWaiting(_ message: AlertMessage, for channel: String, _ now: Timestamp) -> Bool {
    guard let delivery = message.deliveries[channel] else {
      return now.milliseconds - message.time.milliseconds < Self.day
    }
    return delivery.delivered == nil && !delivery.isRefused
  }

  private static let day: Int64 = 86_400_000
}

extension AlertLinks {
  /// Links to the dashboard's pages below a public URL; without one, no links.
  static func pages(_ publicURL: String?) -> AlertLinks {
    guard let root = root(publicURL) else { return .none }
    return AlertLinks(
      overview: { root + Page.alerts(app: $0).path },
      incident: { incident, app in
        root + (app.flatMap { app in incident.lead.map { page($0.key, of: app) } } ?? Page.alerts(app: app).path)
      })
  }

  /// The public URL without a slash at its end; nil if there is none.
  static func root(_ publicURL: String?) -> String? {
    guard let publicURL, !publicURL.isEmpty else { return nil }
    return publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
  }

  /// The path of the page about an incident: the group, the metric, or data quality for rules about payloads.
  private static func page(_ key: BreachKey, of app: String) -> String {
    if let group = key.group { return Page.group(app: app, id: group).path }
    guard let metric = key.metric else { return Page.dataQuality(app: app).path }
    let parts = [
      ("environment", key.slice?.environment), ("release", key.slice?.release),
    ].compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
    let query = parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    return Page.metric(app: app, name: metric).path + query
  }
}

/// Evaluates the alert rules while demo data is stored, at the times of the data, so that incidents begin and end when
/// the data require it. Sends no messages.
public struct SilentEvaluation {
  private let installation: Installation
  private let service: AlertService
  private let pipeline: Pipeline

  public init(_ installation: Installation, _ pipeline: Pipeline) {
    self.installation = installation
    self.pipeline = pipeline
    service = AlertService(
      installation, pipeline.store, BudgetRepository(installation, file: nil),
      thresholds: AlertThresholds(), publicURL: nil, channels: AlertSettings())
  }

  /// Evaluates every app as of `now`, after all received records are digested.
  public func evaluate(now: Timestamp) throws {
    try pipeline.waitUntilDigested()
    for app in try installation.control.apps() {
      if let failure = try service.evaluate(app, now: now).failure { throw failure }
    }
    for message in try installation.control.pendingMessages() {
      try installation.control.settle(message.identifier, at: now)
    }
  }
}
