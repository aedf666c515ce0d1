import Aggregation
import Record
import SQLiteStore
import Storage
import Telemetry

/// What a deletion takes out of the journal's records, and these records digested again.
struct ErasurePlan {
  let filter: RecordFilter
  /// The sequences of the records that are concerned.
  let range: ClosedRange<Int64>
  let replay: JournalReplay

  init(_ scope: ErasureScope, app: AppID, _ journal: SQLiteJournal, _ store: SQLiteStore) throws {
    let filter = RecordFilter(scope)
    var range: ClosedRange<Int64> = 1...Int64.max
    if case .payload(let key) = scope {
      guard let records = try journal.records(of: app, receipt: key) else {
        throw ErasureRefused(
          "No payload with this key is known. Keys are kept for seven days; those of older versions name no records.")
      }
      range = records
    }
    (self.filter, self.range) = (filter, range)
    let applied = try store.position(of: journal.node).applied(of: app)
    func forEach(
      _ sequences: ClosedRange<Int64>, without removed: (RecordFilter, ClosedRange<Int64>)?,
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

extension RecordFilter {
  /// The parts of records that a deletion takes out.
  fileprivate init(_ scope: ErasureScope) {
    self.init()
    switch scope {
    case .app, .payload: self = .everything
    case .release(let title): takesReport = { $0.release.isCalled(title) }
    case .days(let window):
      let days = window.from...window.to
      takesMeasurement = { _, _, day in days.contains(day) }
      takesSession = { _, day in days.contains(day) }
      takesDiagnostic = { _, day in days.contains(day) }
    case .metric(let name): takesMeasurement = { metric, _, _ in metric.name == name }
    case .label(let label, let name): takesMeasurement = { metric, found, _ in metric.name == name && found == label }
    case .user(let user):
      takesSession = { session, _ in session.user == user }
      takesDiagnostic = { diagnostic, _ in diagnostic.user == user }
    }
  }
}
