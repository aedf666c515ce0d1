import Core
import GRDB
import Storage

/// The row changes of a transaction, merged in memory so that each row is read and written once. They are written to
/// the tables or, in a ledger, whose rows are in ClickHouse, to the outbox.
struct RowChanges: ~Copyable {
  private let database: Database
  private var cells = RowBatch(.cells)
  private var rollups = RowBatch(.rollups)
  private var packs = DayPackBatch()
  private var packWriter: DayPackWriter
  private var packOrder = PackOrder()
  private var facts: OutboxWriter?
  /// The damaged rows that were replaced by the changes.
  private(set) var damaged: [RowKey] = []
  private(set) var days = ChangedDays()
  /// The slices of rollups whose rows change.
  private(set) var slices: Set<Int64> = []

  init(_ database: Database, _ facts: (any FactTable)?) throws {
    packWriter = try DayPackWriter(database)
    self.database = database
    self.facts = facts.map { OutboxWriter(database, $0) }
  }

  var isLedger: Bool { facts != nil }

  /// Adds the changes of a cell to its rows and to those of its rollups. `order`: the keys of its series with their
  /// positions; `slices`: first the cell, then its rollups.
  mutating func add(_ cell: CellDelta, _ order: [(key: SeriesKey, index: Int)], to slices: [Int64]) throws {
    let (source, received) = (cell.key.source.rawValue, cell.received.day())
    days.insert(cell.key.app, cell.bin.day)
    self.slices.formUnion(slices.dropFirst())
    var order = order
    let keys = slices.compactMap { DayPackKey(slice: $0, day: cell.bin.day, source: source) }
    if !isLedger, DayPackBatch.isPacked(cell.bin, received: received), keys.count == slices.count {
      // Labelled series are stored as rows, because an app may have thousands of them.
      let labelled = order.filter { $0.key.label != 0 }
      let sorted = packOrder.sorted(labelled.isEmpty ? order : order.filter { $0.key.label == 0 })
      damaged += try packWriter.add(cell.series, sorted, to: keys[0], received: received.number, leaving: &cells)
      packs.add(cell.series, sorted, to: Array(keys.dropFirst()), received: received.number)
      order = labelled
    }
    for (series, position) in order {
      let sum = cell.series.aggregate(at: position)
      var row = RowKey(slice: slices[0], metric: series.metric, bin: cell.bin, label: series.label, source: source)
      cells.add(sum, to: row, received: received.number)
      // Only the rollup over everything has rows per label. Other rollups have the sum over labels.
      for slice in series.label == 0 ? slices[1...] : slices[1..<2] {
        row.slice = slice
        rollups.add(sum, to: row, received: received.number)
      }
    }
  }

  /// Adds the changes of sessions and users.
  mutating func add(_ counts: SessionRowChanges, _ registry: inout NameRegistry, received: CalendarDay) throws {
    let known = rollups.count
    counts.drain(intoCells: &cells, rollups: &rollups, rows: registry.clusterRows)
    slices.formUnion(rollups.slices.dropFirst(known))
    days.formUnion(counts.days)
    try counts.ages.write(to: database) { try registry.sliceKey(of: $0, in: database) }
    try facts?.add(counts.memberships, received: received)
  }

  /// Subtracts one event of one payload from a counter of a day. In a store, it is subtracted from the row that is
  /// nearest to `minute`; in a ledger, all queries of these counters are by day. `slices`: first the cell, then its
  /// rollups.
  mutating func subtractOne(
    _ metric: Int64, on day: CalendarDay, near minute: Int, source: UInt8, from slices: [Int64], received: CalendarDay
  ) throws {
    for (index, slice) in slices.enumerated() {
      let key = RowKey(slice: slice, metric: metric, bin: TimeBin(day), source: source)
      if isLedger {
        try facts?.add(.sum(.counter(CounterSum(steps: -1, payloads: -1))), to: key, received: received)
      } else {
        try RowTables(database).change(key, near: minute, in: index == 0 ? .cells : .rollups) { sum in
          guard case .counter(let counter) = sum else { return sum }
          let rest = CounterSum(steps: counter.steps - 1, payloads: counter.payloads - 1)
          return rest.payloads > 0 ? .counter(rest) : nil
        }
      }
    }
  }

  /// The maximum numbers of changed cell rows, rollup rows and series of day packs that are held in memory.
  private static let (mostCells, mostRollups, mostPacked) = (4_000, 40_000, 60_000)

  /// Writes changes that have become large. Only batches with few cells add to a row several times. With many cells,
  /// writing early saves memory.
  mutating func writeLarge(_ registry: inout NameRegistry, received: CalendarDay) throws {
    if cells.count > Self.mostCells { try writeCells(received) }
    if packs.count > Self.mostPacked { damaged += try packs.write(by: &packWriter, leaving: &rollups) }
    if rollups.count > Self.mostRollups { try writeRollups(&registry, received) }
  }

  /// Writes all changes. `received`: the day of the last receipt, for a ledger. `forgetsUsers`: whether every estimate
  /// that users left is recomputed, because it has traces of them.
  mutating func write(
    _ registry: inout NameRegistry, received: CalendarDay, forgetsUsers: Bool = false
  ) throws {
    try writeCells(received)
    damaged += try packs.write(by: &packWriter, leaving: &rollups)
    try writeRollups(&registry, received, forgetsUsers: forgetsUsers)
    try facts?.finish(received: received)
  }

  private mutating func writeCells(_ received: CalendarDay) throws {
    defer { cells = RowBatch(.cells) }
    guard !isLedger else {
      try facts?.add(cells, received: received)
      return
    }
    damaged += try cells.write(to: database)
  }

  private mutating func writeRollups(
    _ registry: inout NameRegistry, _ received: CalendarDay, forgetsUsers: Bool = false
  ) throws {
    defer { rollups = RowBatch(.rollups) }
    guard !isLedger else {
      try facts?.add(rollups, received: received)
      return
    }
    damaged += try rollups.write(to: database)
    try UserRecount(database).run(rollups.leftByUsers, always: forgetsUsers) {
      try registry.cellSlices(of: $0, in: database).rows
    }
  }
}
