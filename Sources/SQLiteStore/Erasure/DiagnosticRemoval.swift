import Core
import Foundation
import GRDB
import Ingest
import Statistics
import Storage

/// Takes single diagnostics out of the numbers. Each had added one to the counter of its kind in its cell and rollups.
struct DiagnosticRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// What was deleted.
  struct Deleted {
    var identities: [UInt64] = []
    var signatures: Set<Int64> = []
    var days: Set<CalendarDay> = []
  }

  /// Takes out the diagnostics of a user, and those of the user's sessions. `facts`: takes the changes of rows, of a ledger.
  func run(
    user: UInt64, sessions: Set<UInt64>, using registry: inout NameRegistry, _ facts: inout FactCollector?
  ) throws -> Deleted {
    var deleted = Deleted()
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, identity, kind, cell, source, day, time, signature, user, session FROM diagnostic
        WHERE app = ? AND (user = ? OR session IS NOT NULL)
        """, arguments: [app, Int64(bitPattern: user)])
    let delete = try database.cachedStatement(sql: "DELETE FROM diagnostic WHERE id = ?")
    for row in rows {
      let isUsers = try row.value(8, as: Int64?.self) == Int64(bitPattern: user)
      let session = try row.value(9, as: Int64?.self).map(UInt64.init(bitPattern:))
      guard isUsers || session.map(sessions.contains) ?? false else { continue }
      guard let kind = DiagnosticKind(rawValue: try row.value(2)) else {
        throw StoreError.damaged("a diagnostic's kind")
      }
      let day = try row.day(5)
      let cell: Int64 = try row.value(3)
      if facts != nil {
        try subtract(kind, cell: cell, day, source: try row.value(4), &registry, from: &facts)
      } else {
        try subtract(kind, cell: cell, day, time: try row.value(6), source: try row.value(4), &registry)
      }
      try delete.execute(arguments: [row[0] as DatabaseValue])
      deleted.identities.append(UInt64(bitPattern: try row.value(1)))
      deleted.days.insert(day)
      if let signature: Int64 = try row.value(7) { deleted.signatures.insert(signature) }
    }
    try RowCounts.subtract(deleted.identities.count, .diagnostic, app, in: database)
    return deleted
  }

  /// Takes one from the day. Every query of these counters is by the day.
  private func subtract(
    _ kind: DiagnosticKind, cell: Int64, _ day: CalendarDay, source: UInt8, _ registry: inout NameRegistry,
    from facts: inout FactCollector?
  ) throws {
    let metric = try registry.metric(kind.counter, app: app, in: database)
    for slice in try registry.cellSlices(of: cell, in: database).rows {
      try facts?.add(
        .sum(.counter(CounterSum(steps: -1, payloads: -1))),
        to: RowKey(slice: slice, metric: metric, bin: TimeBin(day), source: source), received: registry.receivedDay)
    }
  }

  private func subtract(
    _ kind: DiagnosticKind, cell: Int64, _ day: CalendarDay, time: Int64?, source: UInt8, _ registry: inout NameRegistry
  ) throws {
    let metric = try registry.metric(kind.counter, app: app, in: database)
    let minute = time.map { Int($0 / 60_000) } ?? day.number * 1440
    for (index, slice) in try registry.cellSlices(of: cell, in: database).rows.enumerated() {
      let series = Series(slice: slice, metric: metric, day: day, source: source)
      if try subtract(series, near: minute, in: index == 0 ? "cell" : "marginal") { continue }
      guard let pack = PackKey(slice: slice, day: day, source: source) else { continue }
      try PackTable(database).edit(pack) { key, sum in key.metric == series.metric ? Self.lessOne(sum) : sum }
    }
  }

  private struct Series {
    let slice: Int64
    let metric: Int64
    let day: CalendarDay
    let source: UInt8
  }

  /// Takes one from the row that is nearest in time; false if the day has no row of its own.
  private func subtract(_ series: Series, near minute: Int, in table: String) throws -> Bool {
    let start = series.day.number * 1440
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT start, resolution, body FROM \(table) WHERE slice = ? AND metric = ? AND start >= ? AND start < ?
          AND label = 0 AND source = ? ORDER BY start > ?, abs(start - ?) LIMIT 1
          """),
      arguments: [series.slice, series.metric, start, start + 1440, series.source, minute, minute])
    guard let row, let resolution = TimeBin.Resolution(rawValue: try row.value(1)) else { return false }
    let bin = TimeBin(start: try row.minute(0), resolution: resolution)
    try write(Self.lessOne(RowBatch.aggregate(in: row, at: 2)), series, bin, in: table)
    guard table == "marginal", resolution != .day else { return true }
    let key = RowKey(slice: series.slice, metric: series.metric, bin: TimeBin(series.day), source: series.source)
    let daily = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT body FROM \(DailySumTable.table) \(Self.condition)"),
      arguments: key.arguments)
    if let daily {
      try write(
        Self.lessOne(RowBatch.aggregate(in: daily, at: 0)), series, TimeBin(series.day), in: DailySumTable.table)
    }
    return true
  }

  private static let condition =
    "WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?"

  private func write(_ sum: Aggregate?, _ series: Series, _ bin: TimeBin, in table: String) throws {
    let key = RowKey(slice: series.slice, metric: series.metric, bin: bin, source: series.source)
    guard let sum else {
      return try database.cachedStatement(sql: "DELETE FROM \(table) \(Self.condition)")
        .execute(arguments: key.arguments)
    }
    var writer = ByteWriter()
    sum.encode(into: &writer)
    try database.cachedStatement(sql: "UPDATE \(table) SET body = ? \(Self.condition)")
      .execute(arguments: [Data(writer.bytes)] + key.arguments)
  }

  /// A counter without one event of one payload; nil when nothing is left.
  private static func lessOne(_ sum: Aggregate) -> Aggregate? {
    guard case .counter(let counter) = sum else { return sum }
    let rest = CounterSum(steps: counter.steps - 1, payloads: counter.payloads - 1)
    return rest.payloads > 0 ? .counter(rest) : nil
  }
}

extension PackTable {
  /// Changes the series of a pack: those for which `change` gives nil are left out, and an empty pack is deleted.
  func edit(_ key: PackKey, _ change: (SeriesKey, Aggregate) -> Aggregate?) throws {
    let select = try database.cachedStatement(sql: "SELECT received, body FROM day_pack WHERE id = ?")
    guard let row = try Row.fetchOne(select, arguments: [key.id]) else { return }
    let body = [UInt8](try row.value(1, as: Data.self))
    var pack = DayPack()
    var isChanged = false
    try body.withUnsafeBytes { bytes in
      var reader = PackReader(bytes)
      while let (series, bytes) = reader.next() {
        var content = ByteReader(bytes)
        guard let sum = try? Aggregate(from: &content) else { throw StoreError.damaged("a series of a day pack") }
        let rest = change(series, sum)
        if rest != sum { isChanged = true }
        if let rest { pack.add(rest, to: series) }
      }
      if reader.isDamaged { throw StoreError.damaged("a day pack") }
    }
    guard isChanged else { return }
    guard pack.count > 0 else {
      return try database.cachedStatement(sql: "DELETE FROM day_pack WHERE id = ?").execute(arguments: [key.id])
    }
    var encoder = PackEncoder()
    pack.encode(with: nil, by: &encoder)
    try database.cachedStatement(sql: "UPDATE day_pack SET body = ? WHERE id = ?")
      .execute(arguments: [Data(encoder.writer.bytes), key.id])
  }
}
