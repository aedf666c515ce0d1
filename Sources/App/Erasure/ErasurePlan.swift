import Core
import Ingest
import SQLiteStore
import Storage

/// The part of the journal's records that a deletion removes, and the records digested again without it.
struct ErasurePlan {
  let filter: ErasedParts
  /// The sequences of the affected records.
  let range: ClosedRange<Int64>
  let replay: JournalReplay

  init(_ scope: ErasureScope, app: AppID, _ journal: SQLiteJournal, _ store: SQLiteStore) throws {
    var sessions: Set<UInt64> = []
    if case .user(let user) = scope {
      sessions = try store.sessions(of: user, app: app)
        .union(journal.sessions(of: user, app: app, through: journal.lastSequence()))
    }
    let filter = scope.filter(sessions: sessions)
    var range: ClosedRange<Int64> = 1...Int64.max
    if case .payload(let key) = scope {
      guard let records = try journal.records(of: app, receipt: key) else {
        throw ErasureRefused(
          "No payload with this key was found. Keys are kept for seven days. Keys stored by older versions of Plumb "
            + "have no link to their payload.")
      }
      range = records
    }
    (self.filter, self.range) = (filter, range)
    let applied = try store.position(of: journal.node).applied(of: app)
    func forEach(
      _ sequences: ClosedRange<Int64>, without removed: (ErasedParts, ClosedRange<Int64>)?,
      _ body: (DigestedBatch) throws -> Void
    ) throws {
      var next = sequences.lowerBound - 1
      while let batch = try journal.batches(after: next, limit: 1).first, batch.first <= sequences.upperBound {
        next = batch.through
        guard let part = SQLiteJournal.part(batch, of: app, in: sequences, without: removed) else { continue }
        var aggregator = RecordAggregator()
        aggregator.digest(part)
        if let digested = aggregator.take(node: journal.node) { try body(digested) }
      }
    }
    let (records, all) = (range, 1...max(1, applied))
    replay = JournalReplay(
      forEach: { try forEach(all, without: $0 ? (filter, records) : nil, $1) },
      removed: {
        var removed: [DigestedBatch] = []
        if case .payload = scope { try forEach(records.clamped(to: all), without: nil) { removed.append($0) } }
        return removed
      })
  }
}

extension ErasureScope {
  /// The parts of records that a deletion removes. `sessions`: the user's sessions, whose diagnostics may name no user.
  fileprivate func filter(sessions: Set<UInt64>) -> ErasedParts {
    var filter = ErasedParts()
    switch self {
    case .app, .payload: filter = .everything
    case .release(let title): filter.takesReport = { $0.release.isCalled(title) }
    case .days(let window):
      let days = window.from...window.to
      filter.takesMeasurement = { _, _, day in days.contains(day) }
      filter.takesSession = { _, day in days.contains(day) }
      filter.takesDiagnostic = { _, day in days.contains(day) }
    case .metric(let name): filter.takesMeasurement = { metric, _, _ in metric.name == name }
    case .label(let label, let name):
      filter.takesMeasurement = { metric, found, _ in metric.name == name && found == label }
    case .user(let user):
      filter.takesSession = { session, _ in session.user == user }
      filter.takesDiagnostic = { diagnostic, _ in
        diagnostic.user == user || diagnostic.session.map(sessions.contains) ?? false
      }
    }
    return filter
  }
}
