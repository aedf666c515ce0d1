import Core
import Ingest
import SQLiteStore
import Storage
import Web

/// Carries out deletions in the process that digests. Requests are stored in the control database, so that the next
/// process completes the deletions of a killed one. Every step can be repeated.
struct ErasureService: DeletionService {
  private let pipeline: Pipeline
  private let requests: any ErasureRequests

  init(_ pipeline: Pipeline, _ requests: any ErasureRequests) {
    self.pipeline = pipeline
    self.requests = requests
  }

  /// The most requests of an app that can wait at once.
  private static let mostWaiting = 100

  /// Stores a request, or returns an equal waiting request. To delete an app, removes its keys at once, so that no new
  /// data arrives. Throws `ErasureQueueFull` when too many requests of the app wait.
  func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure {
    let waiting = try requests.waitingErasures().filter { $0.app == app.id }
    if let same = waiting.first(where: { $0.scope == scope && !pipeline.erasedFiles.isWaiting($0.id) }) { return same }
    guard waiting.count < Self.mostWaiting else { throw ErasureQueueFull(waiting: waiting.count) }
    let erasure = try requests.request(scope, of: app, by: name, at: now)
    if scope == .app { try requests.eraseRecords(of: app.id) }
    return erasure
  }

  /// The data that a request would delete, one line per kind. Changes nothing.
  func trial(_ scope: ErasureScope, of app: App) throws -> [String] {
    let findings = try pipeline.store.estimate(scope, of: app.id) {
      guard case .payload = scope else { return [] }
      return try ErasurePlan(scope, app: app.id, pipeline.journal, pipeline.store).replay.removed()
    }
    return ErasureStatement.lines(of: findings)
  }

  /// The request with a number; nil if there is none.
  public func erasure(_ id: Int64) throws -> Erasure? { try requests.erasure(id) }

  /// Carries out the waiting requests, and then rewrites the files. Stops at the first error, and the request keeps
  /// waiting. Throws `ErasureUnfinished` if bytes of deleted data are still in the files.
  func carryOut(clock: @Sendable () -> Timestamp) throws {
    let files = pipeline.erasedFiles
    guard files.beginPass() else { return }
    for erasure in try requests.waitingErasures() where !files.isWaiting(erasure.id) {
      guard Self.isSettled(erasure, at: clock()), files.hasTime else { continue }
      do {
        files.add(try carryOut(erasure, clock: clock))
      } catch let refusal as ErasureRefused {
        try requests.finish(erasure.id, statement: refusal.description, isRefused: true, at: clock())
      }
    }
    do {
      for carried in try files.rewrite() {
        let statement = try ErasureStatement.text(carried, leftIn: pipeline.leftovers(), at: clock())
        try requests.finish(carried.erasure.id, statement: statement, isRefused: false, at: clock())
        files.remove(carried.erasure.id)
      }
    } catch let unfinished as ErasureUnfinished {
      for carried in files.waiting() {
        let lines = ErasureStatement.lines(of: carried.findings) + ["\(ErasureUnfinished.mark) \(unfinished.reason)"]
        try requests.note(carried.erasure.id, deleted: lines.joined(separator: "\n"))
      }
      throw unfinished
    }
  }

  /// Whether a server has seen that an app's keys were removed. The clock may have been set back meanwhile.
  private static func isSettled(_ erasure: Erasure, at now: Timestamp) -> Bool {
    guard erasure.scope == .app else { return true }
    return !(0..<2000).contains(now.milliseconds &- erasure.requested.milliseconds)
  }

  private func carryOut(_ erasure: Erasure, clock: @Sendable () -> Timestamp) throws -> CarriedErasure {
    let started = clock()
    if erasure.scope == .app { try requests.eraseRecords(of: erasure.app) }
    let last = try pipeline.journal.lastSequence()
    try pipeline.waitUntilApplied(through: last)
    let plan = try ErasurePlan(erasure.scope, app: erasure.app, pipeline.journal, pipeline.store)
    let range = plan.range.clamped(to: 1...max(1, last))
    var findings = try pipeline.store.erase(
      erasure.scope, of: erasure.app, replay: plan.replay, sending: pipeline.sendRows)
    // The findings are stored now, because a repeated run after a kill finds less.
    if erasure.statement.isEmpty, !findings.isEmpty {
      try requests.note(erasure.id, deleted: ErasureStatement.lines(of: findings).joined(separator: "\n"))
    }
    let bodies = try pipeline.store.eraseUncountedSamples(of: erasure.app, receivedBefore: started)
    if bodies > 0 { findings.add(bodies, "diagnostic bodies") }
    let records = try pipeline.journal.erase(plan.filter, of: erasure.app, in: range)
    findings.add(records.changed, "records of the journal")
    if erasure.scope == .app { try pipeline.journal.eraseReceipts(of: erasure.app) }
    let setAside = try pipeline.store.eraseSetAside(
      plan.filter, of: erasure.app, in: range, of: pipeline.journal.node)
    if setAside.changed > 0 { findings.add(setAside.changed, "quarantined records") }
    findings.remains += ErasureStatement.unread(records, setAside: setAside.unreadable)
    pipeline.noteErasure()
    return CarriedErasure(erasure: erasure, findings: findings, last: last)
  }
}

/// The statement of a deletion, for the operator's files.
enum ErasureStatement {
  /// The statement's text. `left`: sentences about data that deletions do not reach.
  static func text(_ carried: CarriedErasure, leftIn left: [String], at now: Timestamp) -> String {
    let erasure = carried.erasure
    var lines = [
      "Deletion \(erasure.id): \(erasure.scope.title), app \(erasure.bundleID).",
      "Requested \(erasure.requested.iso) by \(erasure.requestedBy).",
      "Completed \(now.iso), through record \(carried.last).",
    ]
    let before = erasure.statement.split(separator: "\n").filter { !$0.hasPrefix(ErasureUnfinished.mark) }
    if !before.isEmpty {
      lines += ["The deletion was interrupted. Deleted before:"] + before.map(String.init) + ["Deleted afterwards:"]
    }
    lines += self.lines(of: carried.findings)
    lines.append(
      "The databases of the data folder were rewritten and no longer contain the data. Not reached:")
    if case .payload = erasure.scope {
      lines.append("The key's hash is kept for seven days after receipt, so that the payload is not accepted again.")
    }
    if erasure.scope != .app {
      lines.append(
        "Incidents, alert messages, and decisions and notes about groups keep their text.")
    }
    lines += left
    return lines.joined(separator: "\n")
  }

  /// The findings, one line per kind.
  static func lines(of findings: ErasureFindings) -> [String] {
    guard !findings.isEmpty else { return ["Nothing was found."] + findings.remains }
    return findings.counts.filter { $0.count > 0 }.map { "\($0.name): \($0.count)" } + findings.remains
  }

  /// Sentences about unreadable data that may contain some of the deleted data.
  static func unread(_ records: ErasedRecords, setAside: Int) -> [String] {
    var lines: [String] = []
    if records.unreadable > 0 {
      let ranges = records.ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
      lines.append(
        """
        NOT REACHED: \(records.unreadable) records of journal.db cannot be read (\(ranges.joined(separator: ", "))) \
        and may contain some of the data. They are deleted when the journal is purged (keep-journal).
        """)
    }
    if setAside > 0 {
      lines.append(
        """
        NOT REACHED: \(setAside) entries of the table quarantine in plumb.db cannot be read and may contain some of \
        the data. They are deleted with the app.
        """)
    }
    return lines
  }
}
