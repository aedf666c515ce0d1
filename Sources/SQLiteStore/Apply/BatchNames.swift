import GRDB
import Storage
import Telemetry

/// The ids of what every part of a batch came from, in the batch's order.
struct BatchNames {
  private(set) var cells: [SliceKey]
  private(set) var sessions: [SliceKey]
  private(set) var accumulations: [SliceKey]
  private(set) var diagnostics: [SliceKey]

  /// Finds them all before anything is written: a name that is admitted has what this batch brings of it.
  init(_ batch: DigestedBatch, _ interner: inout Interner, _ database: Database) throws {
    interner.noteTime(of: batch)
    self = try Self(batch, &interner, database, isCounting: true)
    if try interner.admit(in: database) { self = try Self(batch, &interner, database, isCounting: false) }
  }

  private init(_ batch: DigestedBatch, _ interner: inout Interner, _ database: Database, isCounting: Bool) throws {
    var last: (cell: CellKey, key: SliceKey)?
    // A payload is counted with its cells; one that holds nothing else, with the first of its sessions or diagnostics.
    func key(of cell: CellKey, _ payloads: Double?, _ interner: inout Interner) throws -> SliceKey {
      if let last, last.cell == cell, payloads ?? 0 == 0 { return last.key }
      let key = try interner.sliceKey(of: cell, uses: isCounting ? payloads ?? 1 : 0, in: database)
      last = (cell, key)
      return key
    }
    cells = try batch.cells.map { try key(of: $0.key, $0.payloads, &interner) }
    last = nil
    sessions = try batch.sessions.map { try key(of: $0.key, nil, &interner) }
    last = nil
    accumulations = try batch.accumulations.map { try key(of: $0.key, 0, &interner) }
    last = nil
    diagnostics = try batch.diagnostics.map { try key(of: $0.key, nil, &interner) }
  }
}

extension CellDelta {
  /// How many payloads began in it.
  fileprivate var payloads: Double {
    let count = series.last { $0.metric == .known(Catalogue.payloads) && $0.label.isEmpty }
    guard case .counter(let sum)? = count?.aggregate else { return 0 }
    return Double(min(max(0, sum.payloads), 1_000))
  }
}

extension Interner {
  /// Moves the clock to the batch's last receipt.
  mutating func noteTime(of batch: DigestedBatch) {
    for cell in batch.cells { clock = max(clock, cell.received.milliseconds) }
    for session in batch.sessions { clock = max(clock, session.received.milliseconds) }
    for record in batch.accumulations { clock = max(clock, record.received.milliseconds) }
    for diagnostic in batch.diagnostics { clock = max(clock, diagnostic.received.milliseconds) }
    if clock == 0 { clock = batch.tallies.map(\.day.startUTC.milliseconds).max() ?? 0 }
  }

  /// Ends a batch, all of whose rows are written.
  mutating func finish(in database: Database) throws {
    _ = try admit(in: database)
    newcomers.endBatch()
    try uses.save(on: today) { NameTable($0, database) }
    try moveRows(in: database)
    clusterRows = [:]
    goneSlices = [:]
    places = places.filter { $0.value.clusters.allSatisfy { $0 > 0 } }
    bound()
  }
}
