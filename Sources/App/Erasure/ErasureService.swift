import Aggregation
import Dispatch
import Record
import SQLiteStore
public import Storage
public import Telemetry

/// Carries out requests to delete, in the process that digests. Requests wait in the control database, so that one that
/// was killed is finished by the next process; every step may be repeated.
public struct ErasureService: Sendable {
  private let pipeline: Pipeline
  private let requests: any ErasureRequests

  init(_ pipeline: Pipeline, _ requests: any ErasureRequests) {
    self.pipeline = pipeline
    self.requests = requests
  }

  /// Stores a request. An app's keys are removed at once, so that nothing new of it arrives.
  public func request(_ scope: ErasureScope, of app: App, by name: String, at now: Timestamp) throws -> Erasure {
    let erasure = try requests.request(scope, of: app, by: name, at: now)
    if scope == .app { try requests.eraseRecords(of: app.id) }
    return erasure
  }

  /// What a request would find. Changes nothing.
  public func trial(_ scope: ErasureScope, of app: App) throws -> ErasureFindings {
    let plan = try ErasurePlan(scope, app: app.id, pipeline.journal, pipeline.store)
    return try pipeline.store.erase(scope, of: app.id, replay: plan.replay, isTrial: true)
  }

  /// Carries out the requests that wait. The first error ends it; the request then still waits.
  public func carryOut(clock: @Sendable () -> Timestamp) throws {
    for erasure in try requests.waitingErasures() {
      guard clock().milliseconds - erasure.requested.milliseconds >= Self.settling(erasure.scope) else { continue }
      do {
        let statement = try carryOut(erasure, clock: clock)
        try requests.finish(erasure.id, statement: statement, isRefused: false, at: clock())
      } catch let refusal as ErasureRefused {
        try requests.finish(erasure.id, statement: refusal.description, isRefused: true, at: clock())
      }
    }
  }

  /// The milliseconds until a server has noticed that an app's keys were removed.
  private static func settling(_ scope: ErasureScope) -> Int64 { scope == .app ? 2000 : 0 }

  private func carryOut(_ erasure: Erasure, clock: @Sendable () -> Timestamp) throws -> String {
    let started = clock()
    if erasure.scope == .app { try requests.eraseRecords(of: erasure.app) }
    let last = try pipeline.journal.lastSequence()
    try pipeline.waitUntilApplied(through: last)
    let plan = try ErasurePlan(erasure.scope, app: erasure.app, pipeline.journal, pipeline.store)
    var findings = try pipeline.store.erase(
      erasure.scope, of: erasure.app, replay: plan.replay, sending: pipeline.sendRows)
    // A process that is killed from here on finds less the second time.
    if erasure.statement.isEmpty, !findings.isEmpty {
      try requests.note(erasure.id, deleted: ErasureStatement.lines(of: findings).joined(separator: "\n"))
    }
    let bodies = try pipeline.store.eraseUncountedSamples(of: erasure.app, receivedBefore: started)
    if bodies > 0 { findings.add(bodies, "bodies of diagnostics") }
    let records = try pipeline.journal.erase(plan.filter, of: erasure.app, in: plan.range.clamped(to: 1...max(1, last)))
    findings.add(records, "records of the journal")
    if erasure.scope == .app { try pipeline.journal.eraseReceipts(of: erasure.app) }
    pipeline.noteErasure()
    return ErasureStatement.text(erasure, findings, through: last, at: clock())
  }
}

/// The statement of a deletion, to keep.
public enum ErasureStatement {
  static func text(_ erasure: Erasure, _ findings: ErasureFindings, through last: Int64, at now: Timestamp) -> String {
    var lines = [
      "Deletion \(erasure.id): \(erasure.scope.title), app \(erasure.bundleID).",
      "Requested \(erasure.requested.iso) by \(erasure.requestedBy); carried out \(now.iso), up to record \(last).",
    ]
    if !erasure.statement.isEmpty {
      lines += ["It was interrupted. Deleted before that:", erasure.statement, "Deleted afterwards:"]
    }
    lines += self.lines(of: findings)
    lines.append(
      "Copies that were made before (backups, exports, messages sent) are not changed. Data sent later is kept as usual."
    )
    return lines.joined(separator: "\n")
  }

  /// What was found, a line each.
  public static func lines(of findings: ErasureFindings) -> [String] {
    guard !findings.isEmpty else { return ["Nothing was found."] + findings.remains }
    return findings.counts.filter { $0.count > 0 }.map { "\($0.name): \($0.count)" } + findings.remains
  }
}
