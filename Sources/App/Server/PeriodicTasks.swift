import Analysis
import Core
import Dispatch
import Foundation
import Logging
import Outbound
import SQLiteStore
import Storage
import Web

/// Everything that a server and an ingest node do by the clock.
struct PeriodicTasks {
  private let clock: PlausibleClock
  private let logger: Logger

  init(_ clock: PlausibleClock, _ logger: Logger) { (self.clock, self.logger) = (clock, logger) }

  /// The tasks of every server, without the optional ones: `nightlyCopy`, `alerts`, `watchdog`.
  func ofServer(
    _ pipeline: Pipeline, _ folder: DataFolder, _ health: ServerHealth, _ space: SpaceWatch, _ backlog: BacklogWatch,
    _ version: DataVersion
  ) -> [PeriodicTask] {
    [
      maintenance(pipeline, health), grouping(pipeline), deletions(pipeline), clockReview(pipeline),
      room(space, backlog, pipeline), changesOfOthers(version, pipeline),
      integrity(IntegrityWatch(pipeline.readiness, folder, DatabaseFile.allCases)), memory(),
    ]
  }

  /// The tasks of every ingest node, without `watchdog`.
  func ofNode(
    _ journal: SQLiteJournal, _ relay: NodeRelay, _ retention: Retention, _ refresh: ConfigurationRefresh,
    _ readiness: Readiness, _ folder: DataFolder, _ space: SpaceWatch, _ backlog: BacklogWatch
  ) -> [PeriodicTask] {
    [
      task("configuration", after: 0, every: 3) { _ in refresh.refresh() }, room(space, backlog),
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

  /// Applies retention and measures the folder.
  private func maintenance(_ pipeline: Pipeline, _ health: ServerHealth) -> PeriodicTask {
    task("maintenance", after: 60, every: 3600, .background) { task in
      task.attempt("Maintenance failed") {
        if try pipeline.reviewClock() == nil { try pipeline.maintain(now: pipeline.clock.now()) }
      }
      task.attempt("The folder cannot be measured") { try health.measure(now: pipeline.clock.now()) }
    }
  }

  /// Deletes relayed records as a primary deletes digested ones.
  private func journalRetention(_ journal: SQLiteJournal, _ relay: NodeRelay, _ retention: Retention) -> PeriodicTask {
    task("maintenance", after: 60, every: 3600, .background) { [clock] task in
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

  /// Measures the room on the disk and what waits in the journal. A server also pauses what is given up first, and
  /// purges the journal when it has grown.
  private func room(_ space: SpaceWatch, _ backlog: BacklogWatch, _ pipeline: Pipeline? = nil) -> PeriodicTask {
    task("space", after: 0, every: 1) { task in
      space.look()
      backlog.look()
      guard let pipeline else { return }
      pipeline.samples.pause(space.level >= .short)
      task.attempt("The journal could not be purged; the next maintenance tries it again") {
        try pipeline.purgeJournal(isFull: space.level >= .none, now: pipeline.clock.now())
      }
    }
  }

  /// Looks for damage that payloads may not meet for long.
  private func integrity(_ watch: IntegrityWatch) -> PeriodicTask {
    task("integrity", after: 1, every: IntegrityWatch.interval, .background, work: watch.look)
  }

  /// Copies databases once a day of UTC, from three o'clock on.
  func nightlyCopy(_ folder: DataFolder, keeping kept: Int, _ space: SpaceWatch) -> PeriodicTask {
    task("copies", after: 90, every: 900, .background) { [clock, logger] task in
      // A name of a wrong day would displace a right one.
      guard clock.doubt == nil else { return }
      let now = clock.now()
      // Below the floor the room is for payloads.
      guard now.milliseconds / 3_600_000 % 24 >= 3, space.level < .short else { return }
      task.attempt("The nightly copy failed") {
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        if let path = try KeptCopies(folder).makeNightly(keeping: kept, now: date) {
          logger.info("control.db and plumb.db were copied to \(path).")
        }
      }
    }
  }

  /// Preserves what apps have written today across restarts: reads it now and stores it from then on. A crash loses at most
  /// the last minute.
  func rowQuota(_ quota: RowQuota, _ ledger: any RowLedger) throws -> PeriodicTask {
    let start = clock.now()
    quota.restore(try ledger.written(on: start.day()), at: start)
    return task("rows", every: 60, .background) { [clock] task in
      let now = clock.now()
      task.attempt("What apps have written today could not be remembered") {
        try ledger.remember(quota.used(at: now), on: now.day())
      }
    }
  }

  // MARK: What was received

  /// Assigns diagnostics to groups, within seconds after diagnostics or symbols arrive.
  private func grouping(_ pipeline: Pipeline) -> PeriodicTask {
    let regrouper = Regrouper(pipeline)
    return task("groups", after: 1, every: 5, .background) { task in
      task.attempt("Groups could not be brought up to date") { try regrouper.look() }
    }
  }

  /// Carries out requests to delete.
  private func deletions(_ pipeline: Pipeline) -> PeriodicTask {
    task("erasure", every: 1) { task in
      guard pipeline.isDigesting else { return }
      task.attempt("A deletion could not be carried out, and is tried again") {
        try pipeline.erasures.carryOut(clock: pipeline.clock.now)
      }
    }
  }

  /// Notices what other processes have changed.
  private func changesOfOthers(_ version: DataVersion, _ pipeline: Pipeline) -> PeriodicTask {
    // Summaries of apps are kept by what this process applies, which another one's changes do not show.
    // On a queue of its own, because a flush may hold it up.
    let noticing = DispatchQueue(label: "plumb.others", qos: .utility)
    return task("version", every: 0.5, leeway: .milliseconds(100)) { _ in
      if version.look() { noticing.async { pipeline.noticeOthers() } }
    }
  }

  /// Looks whether the clock is right, which the log says when it changes; every five seconds also whether another
  /// process has confirmed it.
  private func clockReview(_ pipeline: Pipeline) -> PeriodicTask {
    var (isDoubted, looks) = (false, 0)
    return task("clock", every: 1) { [logger] task in
      var doubt = pipeline.clock.doubt
      looks += 1
      // Also as soon as it is right, so that what was received meanwhile is corrected.
      if doubt != nil ? looks % 5 == 0 : isDoubted {
        task.attempt("The clock cannot be compared") { doubt = try pipeline.reviewClock() }
      }
      if (doubt != nil) != isDoubted {
        isDoubted.toggle()
        if let doubt { logger.error("\(doubt)") } else { logger.notice("The clock is right again.") }
      }
    }
  }

  /// Evaluates apps and delivers alerts.
  func alerts(_ service: AlertService, every span: TimeSpan) -> PeriodicTask {
    let seconds = Double(span.milliseconds) / 1000
    return task("alerts", after: min(10, seconds), every: seconds) { [clock, logger] task in
      guard clock.doubt == nil else { return }
      let now = clock.now()
      service.evaluateAll(now: now) { logger.error("An app could not be judged: \($0)") }
      task.attempt("Alerts cannot be told") {
        try service.print(on: "log", now: now) { logger.notice("\($0.title)") }
        try service.deliver(now: now) { logger.error("Channel \($0.channel): \($1)") }
      }
    }
  }

  // MARK: The process

  /// Returns freed memory to the system, if there is any to speak of.
  private func memory() -> PeriodicTask {
    var memory = FreeMemory()
    return task("memory", every: 1) { _ in memory.returnIfGrown() }
  }

  /// Sends systemd a sign of life while the server answers requests over a socket of its own, four times in the time
  /// after which systemd would end it. Nil if systemd wants none.
  func watchdog(_ state: ServiceState, _ server: HTTPServer) -> PeriodicTask? {
    guard let limit = state.watchdogMicroseconds else { return nil }
    let interval = max(limit / 4, 1_000)
    return task("watchdog", after: 0, every: Double(interval) / 1_000_000, .userInitiated) { [logger] _ in
      guard server.answers("/healthz", within: Int(min(interval / 1_000_000, 30))) else {
        return logger.warning("The server does not answer its own /healthz. systemd ends it if that lasts.")
      }
      state.send("WATCHDOG=1")
    }
  }
}
