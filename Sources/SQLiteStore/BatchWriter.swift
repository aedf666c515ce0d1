import Core
import GRDB
import Ingest
import Statistics
import Storage

/// The application of one digested batch in a transaction: rows, sessions, diagnostics, tallies and the position.
struct BatchWriter: ~Copyable {
  private let database: Database
  /// The signatures of the batch's diagnostics, in the order of the diagnostics.
  private let signatures: [DiagnosticSignature]
  private var rows: RowChanges
  private var seriesKeys = SeriesKeyCache()
  private var lifetimes = ReleaseLifetimes()
  private var lastReceived: LastReceipts
  private var delays = ArrivalDelayTable()
  /// The latest receipt in the batch.
  private var latest = Timestamp(milliseconds: 0)
  /// The result of a replay; nil for new records.
  private var replayed: ReplayFilter?
  /// The changed slices of the batch; nil if rows of any may have changed.
  private(set) var change: ChangedSlices.Change?

  init(_ database: Database, signatures: [DiagnosticSignature], facts: (any FactTable)? = nil) throws {
    let rows = try RowChanges(database, facts)
    lastReceived = try LastReceipts(database)
    self.database = database
    self.rows = rows
    self.signatures = signatures
  }

  mutating func apply(_ batch: DigestedBatch, using registry: inout NameRegistry) throws {
    try DigestPositionTable(database).check(batch)
    var tallies = try add(batch, &registry)
    try batch.parts?.forEach { part in
      // Each part counts as a batch for the admission of names.
      _ = try registry.admit(in: database)
      registry.waitingNames.endBatch()
      tallies += try add(part, &registry)
    }
    try rows.write(&registry, received: latest.day())
    tallies += try rows.damaged.map { try damagedTally($0, &registry) }
    // Without rows, no lifetime can be shortened, because the remaining days are unknown.
    if !rows.isLedger { try lifetimes.write(to: database) }
    tallies += cappedTallies(&registry)
    try dateTallies(&tallies)
    try IntakeTallyTable(database).add(tallies, &registry)
    let isRenamed = try registry.finish(in: database)
    if isRenamed, !rows.isLedger {
      try RowVersions(database).changeAllDays()
    } else if !rows.isLedger {
      let (previous, version) = try RowVersions(database).change(rows.days)
      change = ChangedSlices.Change(previous: previous, version: version, slices: rows.slices)
    }
    try registry.boundRows(in: database)
    try lastReceived.write(to: database)
    try delays.write(to: database)
    try QuarantineTable(database).add(batch.quarantined, of: batch.node)
    try DigestPositionTable(database).advance(batch)
  }

  /// Adds changes of days whose rows were deleted, from records that were applied before. Tallies and the position do
  /// not change.
  mutating func replay(
    _ batch: DigestedBatch, of days: ReplayFilter, using registry: inout NameRegistry
  ) throws -> ReplayFilter {
    replayed = days
    _ = try add(batch, &registry)
    try rows.write(&registry, received: latest.day())
    guard rows.damaged.isEmpty else { throw StoreError.damaged("rows of a day that is recounted") }
    try lifetimes.write(to: database)
    _ = registry.takeCapped()
    _ = try registry.finish(in: database)
    try registry.boundRows(in: database)
    return replayed ?? days
  }

  /// Adds the changes of a batch or a part of one, and returns its tallies.
  private mutating func add(_ batch: DigestedBatch, _ registry: inout NameRegistry) throws -> [IntakeTally] {
    latest = max(latest, batch.latestReceipt)
    let keys = try BatchKeys(batch, &registry, database)
    for (cell, key) in zip(batch.cells, keys.cells) {
      try add(cell, key, &registry)
      try rows.writeLarge(&registry, received: latest.day())
    }
    var tallies = batch.tallies
    if !batch.agedCells.isEmpty { tallies += try add(batch.agedCells, keys.agedCells, &registry) }
    if !batch.sessions.isEmpty {
      tallies += try Connections.withLargeCache(database, if: batch.sessions.count > Self.mostSpreadSessions) {
        try add(batch.sessions, keys.sessions, &registry)
      }
    }
    if !batch.accumulations.isEmpty { tallies += try add(batch.accumulations, keys.accumulations, &registry) }
    if !batch.diagnostics.isEmpty { tallies += try add(batch.diagnostics, keys.diagnostics, &registry) }
    seriesKeys.finish(&registry)
    try noteHangs(batch.diagnostics, &registry)
    return tallies
  }

  /// The number of sessions whose pages fit into the usual cache.
  static let mostSpreadSessions = 5_000

  /// Whether people felt a diagnostic. Other hangs are stored, but not counted.
  private static func isFelt(_ signature: DiagnosticSignature) -> Bool { signature.hang?.hangClass.isFelt ?? true }

  /// Marks the sessions of the batch's hangs, which may be in the batch.
  private mutating func noteHangs(_ diagnostics: [DiagnosticRecord], _ registry: inout NameRegistry) throws {
    guard diagnostics.contains(where: { $0.hangMinute != nil }) else { return }
    var updates = SessionUpdateBatch(database, memory: registry.limits.retention.sessions)
    for (record, signature) in zip(diagnostics, signatures) where Self.isFelt(signature) {
      guard let (old, new) = try updates.noteHang(record) else { continue }
      delays.add(
        new, after: old, at: record.received, environment: try registry.sliceKey(of: new.cell, in: database).environment
      )
    }
    let counts = try updates.counts(listsMemberships: rows.isLedger) {
      try registry.cellSlices(of: $0, in: database)
    }
    try rows.add(counts, &registry, received: latest.day())
    try updates.save()
  }

  private mutating func add(_ cell: CellDelta, _ name: SliceKey, _ registry: inout NameRegistry) throws {
    let (key, finest) = try registry.cell(name, in: database)
    let slices = try registry.cellSlices(of: finest, in: database).rows
    var order: [(key: SeriesKey, index: Int)] = []
    order.reserveCapacity(cell.series.count)
    for position in cell.series.used {
      let name = cell.series.names[position]
      let key = try seriesKeys.key(at: position, name.metric, name.label, app: cell.key.app, &registry, database)
      order.append((key, position))
    }
    try rows.add(cell, order, to: slices)
    delays.add(cell, environment: key.environment)
    note(key, cell.bin.day, cell.received)
  }

  /// Adds measurements to those of their age of the update, and returns tallies of rows that were damaged. Days of which
  /// no ages are kept are left out.
  private func add(
    _ cells: [AgedCellDelta], _ names: [SliceKey], _ registry: inout NameRegistry
  ) throws -> [IntakeTally] {
    var ages = MeasurementAgeTable()
    let oldest = registry.today - registry.limits.retention.ages
    for (cell, name) in zip(cells, names) where cell.day.number >= oldest {
      let key = try registry.cell(name, in: database).key
      try ages.add(cell, key) { metric in
        guard registry.isAdmitted(metric, app: cell.key.app) else { return nil }
        return try registry.metric(metric, app: cell.key.app, uses: 0, in: database)
      }
    }
    return try ages.write(to: database).map { app, count in
      IntakeTally(
        app: app, day: latest.day(), kind: .quarantined, reason: "damaged row", detail: "measurement_age", count: count)
    }
  }

  private mutating func add(
    _ records: [AccumulationRecord], _ names: [SliceKey], _ registry: inout NameRegistry
  ) throws -> [IntakeTally] {
    var streams = CumulativeToDelta(database)
    for (record, name) in zip(records, names) {
      if replayed?.isFirst(of: record) == true {
        try streams.forget(record)
        registry.rowCounts = RowCounts()
      }
      guard let gain = try streams.gain(of: record), replayed?.days.contains(record.bin.day) ?? true else { continue }
      for label in record.label.isEmpty ? [""] : ["", record.label] {
        var cluster = ClusterSum()
        var aggregate = Aggregate(gain.value, extent: gain.extent, of: record.metric, cluster: &cluster)
        aggregate.close(cluster)
        let series = SeriesDelta(metric: record.metric, label: label, aggregate: aggregate)
        try add(
          CellDelta(key: record.key, bin: record.bin, series: [series], received: record.received), name, &registry)
      }
    }
    try streams.save(&registry.rowCounts)
    return streams.tallies(latest.day())
  }

  private mutating func add(
    _ diagnostics: [DiagnosticRecord], _ names: [SliceKey], _ registry: inout NameRegistry
  ) throws -> [IntakeTally] {
    var table = DiagnosticWriter(database, registry.limits, countsBinaries: replayed == nil)
    try table.prepare(
      zip(diagnostics, signatures).map { ($0.key.app, $1.hash) }, &registry.waitingStacks, today: registry.today)
    for ((record, signature), name) in zip(zip(diagnostics, signatures), names) {
      let (key, cell) = try registry.cell(name, in: database)
      guard try table.add(record, signature, key, cell: cell) else { continue }
      try registry.rowCounts.add(1, .diagnostic, record.key.app, in: database)
      guard Self.isFelt(signature) else { continue }
      let count = SeriesDelta(
        metric: record.kind.counter, label: "", aggregate: .counter(CounterSum(steps: 1, payloads: 1)))
      try add(CellDelta(key: record.key, bin: record.bin, series: [count], received: record.received), name, &registry)
    }
    try table.save()
    return table.repeatedTallies
  }

  private mutating func add(
    _ sessions: [SessionRecord], _ names: [SliceKey], _ registry: inout NameRegistry
  ) throws -> [IntakeTally] {
    var updates = SessionUpdateBatch(database, memory: registry.limits.retention.sessions)
    var arrivals = SessionArrivals()
    try updates.prepare(sessions)
    // The current names of the cells, which do not change in this step.
    var cellKeys: [Int64: SliceKey] = [:]
    func cellKey(_ cell: Int64, _ registry: inout NameRegistry) throws -> SliceKey {
      if let known = cellKeys[cell] { return known }
      let key = try registry.sliceKey(of: cell, in: database)
      cellKeys[cell] = key
      return key
    }
    var new: [AppID: Int] = [:]
    for (record, name) in zip(sessions, names) {
      let (key, cell) = try registry.cell(name, in: database)
      let (old, state) = try updates.apply(record, key, cell: cell)
      if old == nil { new[key.app, default: 0] += 1 }
      let home = try cellKey(state.cell, &registry)
      arrivals.add(state, after: old, at: record.received, in: home)
      delays.add(state, after: old, at: record.received, environment: home.environment)
      lastReceived.note(key.app, record.received)
    }
    for (app, count) in new { try registry.rowCounts.add(count, .session, app, in: database) }
    for (app, count) in updates.installations.added {
      try registry.rowCounts.add(count, .installation, app, in: database)
    }
    try updates.forEachChange { old, new in
      lifetimes.note(try cellKey(new.cell, &registry), lastReceived.plausible.bounded(new.day))
      guard let old, old.cell != new.cell || old.day != new.day else { return }
      let before = try cellKey(old.cell, &registry)
      lifetimes.leave(before, old.day, slice: try registry.slice(before.rollup(.release), in: database))
    }
    let counts = try updates.counts(listsMemberships: rows.isLedger) {
      try registry.cellSlices(of: $0, in: database)
    }
    try rows.add(counts, &registry, received: latest.day())
    try updates.save()
    if replayed == nil { try arrivals.write(to: database) } else { replayed?.arrivals.merge(arrivals) }
    return updates.tallies
  }

  private mutating func note(_ key: SliceKey, _ day: CalendarDay, _ received: Timestamp) {
    lifetimes.note(key, lastReceived.plausible.bounded(day))
    lastReceived.note(key.app, received)
  }

  /// The tally for a damaged row that was replaced, so that its numbers are lost.
  private func damagedTally(_ row: RowKey, _ registry: inout NameRegistry) throws -> IntakeTally {
    IntakeTally(
      app: try registry.sliceKey(of: row.slice, in: database).app, day: latest.day(), kind: .quarantined,
      reason: "damaged row", detail: "slice \(row.slice), metric \(row.metric), minute \(row.bin.start)", count: 1)
  }

  /// Sets the day of tallies of records whose time of receipt is unknown.
  private func dateTallies(_ tallies: inout [IntakeTally]) throws {
    guard tallies.contains(where: { $0.day == IntakeTally.unknownDay }) else { return }
    let now = try Int64.fetchOne(database, sql: "SELECT unixepoch() * 1000") ?? 0
    let day = max(latest, Timestamp(milliseconds: now)).day()
    for index in tallies.indices where tallies[index].day == IntakeTally.unknownDay { tallies[index].day = day }
  }

  private func cappedTallies(_ registry: inout NameRegistry) -> [IntakeTally] {
    let day = latest.day()
    return registry.takeCapped().map { capped, count in
      IntakeTally(app: capped.app, day: day, kind: .capped, reason: capped.kind, detail: "", count: count)
    }
  }
}

/// The slice keys of the batch's parts, in the batch's order.
private struct BatchKeys {
  private(set) var cells: [SliceKey]
  private(set) var agedCells: [SliceKey]
  private(set) var sessions: [SliceKey]
  private(set) var accumulations: [SliceKey]
  private(set) var diagnostics: [SliceKey]

  /// Resolves all keys before anything is written, so that an admitted name gets all its data of this batch.
  init(_ batch: DigestedBatch, _ registry: inout NameRegistry, _ database: Database) throws {
    registry.noteTime(of: batch)
    self = try Self(batch, &registry, database, isCounting: true)
    if try registry.admit(in: database) { self = try Self(batch, &registry, database, isCounting: false) }
  }

  /// A payload counts as one use of its names: with its cells or, without cells, with its sessions or diagnostics, which
  /// follow each other. However many payloads a cell has in a time bin, they count as at most 1,000.
  private init(_ batch: DigestedBatch, _ registry: inout NameRegistry, _ database: Database, isCounting: Bool) throws {
    func keys(_ uses: CellUses) throws -> [SliceKey] {
      let found = try uses.cells.map {
        try registry.sliceKey(of: $0.key, uses: isCounting ? Double($0.uses) : 0, in: database)
      }
      return uses.indices.map { found[$0] }
    }
    cells = try keys(CellUses(batch.cells.lazy.map { ($0.key, min(max(0, $0.payloads), 1_000)) }))
    agedCells = try keys(CellUses(batch.agedCells.lazy.map { ($0.key, 0) }))
    sessions = try keys(CellUses(batch.sessions.lazy.map { ($0.key, nil) }))
    accumulations = try keys(CellUses(batch.accumulations.lazy.map { ($0.key, 0) }))
    diagnostics = try keys(CellUses(batch.diagnostics.lazy.map { ($0.key, nil) }))
  }
}

/// The distinct cells of a part of a batch, because thousands of sessions may be in one cell.
private struct CellUses {
  /// The cells in the order of their first element, each with the number of uses of its names.
  private(set) var cells: [(key: CellKey, uses: Int64)] = []
  /// The index in `cells` of each element's cell.
  private(set) var indices: [Int] = []

  /// Each element adds its uses to those of its cell. Nil stands for one use if the element before is of another cell,
  /// and for none otherwise.
  init(_ elements: some Sequence<(CellKey, Int64?)>) {
    var known: [ObjectIdentifier: Int] = [:]
    for (key, uses) in elements {
      let index = known[key.identity] ?? cells.count
      if index == cells.count {
        known[key.identity] = index
        cells.append((key, 0))
      }
      cells[index].uses += uses ?? (indices.last == index ? 0 : 1)
      indices.append(index)
    }
  }
}
