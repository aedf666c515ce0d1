import Analysis
import Core
import Dispatch
import Foundation
import Logging
import Outbound
import SQLiteStore
import Storage
import Web

/// The periodic tasks of a server and of an ingest node.
struct PeriodicTasks {
  private let clock: PlausibleClock
  private let logger: Logger

  /// Seconds between two runs of retention, and between two requests of an ingest node for apps and keys.
  static let (maintenanceInterval, configurationInterval) = (3600.0, 3.0)

  init(_ clock: PlausibleClock, _ logger: Logger) { (self.clock, self.logger) = (clock, logger) }

  /// The tasks of every server, without the optional `nightlyCopy`, `alerts` and `watchdog`.
  func ofServer(
    _ pipeline: Pipeline, _ folder: DataFolder, _ health: ServerStatusCollector, _ space: SpaceWatch,
    _ backlog: BacklogWatch,
    _ version: DataChangeToken
  ) -> [PeriodicTask] {
    [
      maintenance(pipeline, health), grouping(pipeline), clockReview(pipeline),
      room(space, backlog, pipeline), changesOfOthers(version, pipeline),
      integrity(IntegrityWatch(pipeline.readiness, folder, DataFolderDatabase.allCases)), memory(),
    ]
  }

  /// The tasks of a server that is not a standby: a standby takes deletions from its primary.
  func ofPrimary(_ pipeline: Pipeline, _ epochs: EpochWatch, _ source: ReplicationSource) -> [PeriodicTask] {
    [
      deletions(pipeline),
      task("epochs", every: EpochWatch.interval) { task in
        task.attempt("The epoch cannot be read") { try epochs.look() }
      },
      task("standby-copy", every: 60, .background) { task in
        task.attempt("An unused copy for a standby could not be deleted") { try source.deleteUnusedCopy() }
      },
    ]
  }

  /// The tasks of every ingest node, without `watchdog`.
  func ofNode(
    _ journal: SQLiteJournal, _ relay: NodeRelay, _ retention: Retention, _ refresh: ConfigurationRefresh,
    _ epochs: NodeEpochWatch, _ readiness: Readiness, _ folder: DataFolder, _ space: SpaceWatch, _ backlog: BacklogWatch
  ) -> [PeriodicTask] {
    [
      task("configuration", after: 0, every: Self.configurationInterval) { _ in refresh.refresh() },
      task("epochs", after: 1, every: NodeEpochWatch.interval) { _ in epochs.look() },
      room(space, backlog),
      journalRetention(journal, relay, retention), integrity(IntegrityWatch(readiness, folder, [.journal, .control])),
      memory(),
    ]
  }

  private func task(
    _ name: String, after first: Double? = nil, every interval: Double, _ qos: DispatchQoS = .utility,
    leeway: DispatchTimeInterval = .nanoseconds(0), work: @escaping (PeriodicTask) -> Void
  ) -> PeriodicTask {
    PeriodicTask(name, after: first, every: interval, qos, leeway: leeway, clock: clock.now, logger, work: work)
  }

  // MARK: The data folder

  /// Applies retention and measures the data folder.
  private func maintenance(_ pipeline: Pipeline, _ health: ServerStatusCollector) -> PeriodicTask {
    task("maintenance", after: 60, every: Self.maintenanceInterval, .background) { task in
      task.attempt("Maintenance failed") {
        if try pipeline.reviewClock() == nil { try pipeline.maintain(now: pipeline.clock.now()) }
      }
      task.attempt("The size of the data folder cannot be measured") {
        try health.measure(now: pipeline.clock.now())
      }
    }
  }

  /// Deletes relayed records, as a primary deletes digested records.
  private func journalRetention(_ journal: SQLiteJournal, _ relay: NodeRelay, _ retention: Retention) -> PeriodicTask {
    task("maintenance", after: 60, every: Self.maintenanceInterval, .background) { [clock] task in
      guard clock.doubt == nil else { return }
      let day = clock.now().milliseconds - Int64(retention.journal) * 86_400_000
      task.attempt("Maintenance failed") {
        try journal.purge(
          through: relay.status.position, olderThan: Timestamp(milliseconds: day),
          keepingAtMost: Pipeline.mostAppliedBytes)
        _ = try journal.releaseSpace(all: false)
      }
    }
  }

  /// Measures the free space and the journal's backlog. A server also stops storing samples when space is short, and
  /// purges the journal when it has grown.
  private func room(_ space: SpaceWatch, _ backlog: BacklogWatch, _ pipeline: Pipeline? = nil) -> PeriodicTask {
    task("space", after: 0, every: 1) { task in
      space.look()
      backlog.look()
      guard let pipeline else { return }
      pipeline.samples.pause(space.level >= .short)
      task.attempt("The journal could not be purged. This will be retried") {
        try pipeline.purgeJournal(isFull: space.level >= .none, now: pipeline.clock.now())
      }
    }
  }

  /// Checks the databases for damage that payloads may not touch for a long time.
  private func integrity(_ watch: IntegrityWatch) -> PeriodicTask {
    task("integrity", after: 1, every: IntegrityWatch.interval, .background, work: watch.look)
  }

  /// Copies the databases once a day, from 03:00 UTC on.
  func nightlyCopy(_ folder: DataFolder, keeping kept: Int, _ space: SpaceWatch) -> PeriodicTask {
    task("copies", after: 90, every: 900, .background) { [clock, logger] task in
      // A copy named after a wrong day would replace a good copy.
      guard clock.doubt == nil else { return }
      let now = clock.now()
      // Below the floor, the free space is reserved for payloads.
      guard now.milliseconds / 3_600_000 % 24 >= 3, space.level < .short else { return }
      task.attempt("The nightly copy failed") {
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        if let path = try AutomaticBackups(folder).makeNightly(keeping: kept, now: date) {
          logger.info("control.db and plumb.db were copied to \(path).")
        }
      }
    }
  }

  /// Preserves today's quota usage of apps across restarts: restores it now and stores it every minute. A crash loses
  /// at most the last minute.
  func rowQuota(_ quota: WriteQuota, _ ledger: any WrittenAmounts) throws -> PeriodicTask {
    let start = clock.now()
    quota.restore(try ledger.written(on: start.day()), at: start)
    return task("rows", every: 60, .background) { [clock] task in
      let now = clock.now()
      task.attempt("Today's quota usage of apps could not be stored") {
        try ledger.remember(quota.used(at: now), on: now.day())
      }
    }
  }

  // MARK: What was received

  /// Assigns diagnostics to groups within seconds after diagnostics or symbols arrive.
  private func grouping(_ pipeline: Pipeline) -> PeriodicTask {
    let regrouper = RegroupingTask(pipeline)
    return task("groups", after: 1, every: 5, .background) { task in
      task.attempt("Groups could not be updated") { try regrouper.look() }
    }
  }

  /// Carries out requested deletions.
  private func deletions(_ pipeline: Pipeline) -> PeriodicTask {
    task("erasure", every: 1) { task in
      guard pipeline.isDigesting else { return }
      task.attempt("A deletion failed and will be retried") {
        try pipeline.erasures.carryOut(clock: pipeline.clock.now)
      }
    }
  }

  /// Detects changes by other processes.
  private func changesOfOthers(_ version: DataChangeToken, _ pipeline: Pipeline) -> PeriodicTask {
    // Cached summaries of apps are invalidated by what this process applies, so changes by other processes need a
    // check. The check has a separate queue, because a flush may delay it.
    let noticing = DispatchQueue(label: "plumb.others", qos: .utility)
    return task("version", every: 0.5, leeway: .milliseconds(100)) { _ in
      if version.look() { noticing.async { pipeline.noticeOthers() } }
    }
  }

  /// Checks whether the clock is plausible and logs changes. While it is in doubt, checks every five seconds whether
  /// another process has confirmed it.
  private func clockReview(_ pipeline: Pipeline) -> PeriodicTask {
    var (isDoubted, looks) = (false, 0)
    return task("clock", every: 1) { [logger] task in
      var doubt = pipeline.clock.doubt
      looks += 1
      // This also runs once when the clock is right again, to correct what was received meanwhile.
      if doubt != nil ? looks % 5 == 0 : isDoubted {
        task.attempt("The clock cannot be checked against received payloads") { doubt = try pipeline.reviewClock() }
      }
      if (doubt != nil) != isDoubted {
        isDoubted.toggle()
        if let doubt { logger.error("\(doubt)") } else { logger.notice("The clock is right again.") }
      }
    }
  }

  /// Evaluates apps and delivers alerts, unless a newer primary does. `isFenced`: whether there is one.
  func alerts(
    _ service: AlertService, every span: DurationSetting, unless isFenced: @escaping () -> Bool
  ) -> PeriodicTask {
    let seconds = Double(span.milliseconds) / 1000
    return task("alerts", after: min(10, seconds), every: seconds) { [clock, logger] task in
      guard clock.doubt == nil, !isFenced() else { return }
      let now = clock.now()
      service.evaluateAll(now: now) { logger.error("An app could not be evaluated: \($0)") }
      task.attempt("Alerts cannot be delivered") {
        try service.print(on: "log", now: now) { logger.notice("\($0.title)") }
        try service.deliver(now: now) { logger.error("Channel \($0.channel): \($1)") }
      }
    }
  }

  // MARK: The process

  /// Returns freed memory to the operating system when it has grown.
  private func memory() -> PeriodicTask {
    var memory = MemoryTrim()
    return task("memory", every: 1) { _ in memory.returnIfGrown() }
  }

  /// Sends systemd four watchdog pings per timeout, while the server answers requests over a socket. Nil if no systemd
  /// watchdog is configured.
  func watchdog(_ state: SystemdNotifier, _ server: HTTPServer) -> PeriodicTask? {
    guard let limit = state.watchdogMicroseconds else { return nil }
    let interval = max(limit / 4, 1_000)
    return task("watchdog", after: 0, every: Double(interval) / 1_000_000, .userInitiated) { [logger] _ in
      guard server.answers("/healthz", within: Int(min(interval / 1_000_000, 30))) else {
        return logger.warning("The server does not answer its own /healthz. systemd will restart it if this continues.")
      }
      state.send("WATCHDOG=1")
    }
  }
}
