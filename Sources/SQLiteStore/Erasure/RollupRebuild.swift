import Core
import Foundation
import GRDB
import Storage

/// Counts the rollups of an environment's days anew from its cells and sessions, without some releases.
struct RollupRebuild {
  private let database: Database
  private let app: AppID
  private let environment: Int64

  init(_ database: Database, _ app: AppID, environment: Int64) {
    self.database = database
    self.app = app
    self.environment = environment
  }

  /// Deletes the day's rollups and counts them anew.
  func run(_ day: CalendarDay, without releases: Set<Int64>, using registry: inout NameRegistry) throws {
    try deleteRollups(of: day)
    var rollups = RowBatch(table: "marginal")
    var packs = PackBatch()
    let cells = try Row.fetchAll(
      database, sql: "SELECT id, release FROM slice WHERE app = ? AND environment = ? AND kind = ?",
      arguments: [app, environment, SliceKey.Kind.cell.rawValue])
    var kept: Set<Int64> = []
    for cell in cells where !releases.contains(try cell.value(1)) {
      let id: Int64 = try cell.value(0)
      kept.insert(id)
      let sums = try Array(registry.cellSlices(of: id, in: database).rows.dropFirst())
      try addRows(of: id, day, to: sums, &rollups)
      try addPacks(of: id, day, to: sums, &packs)
    }
    try addSessions(of: kept, day, &rollups, &registry)
    var writer = try PackWriter(database)
    let damaged = try packs.write(by: &writer, leaving: &rollups) + rollups.write(to: database)
    guard try damaged.isEmpty && DailySumTable(database).add(rollups).isEmpty else {
      throw StoreError.damaged("rows of \(day.iso), which is counted again")
    }
    registry.clusterRows = [:]
    registry.goneSlices = [:]
    registry.cellSlices = [:]
  }

  private func deleteRollups(of day: CalendarDay) throws {
    let slices = try Int64.fetchAll(
      database, sql: "SELECT id FROM slice WHERE app = ? AND environment = ? AND kind <> ?",
      arguments: [app, environment, SliceKey.Kind.cell.rawValue])
    for slice in slices {
      for table in ["marginal", DailySumTable.table] {
        try database.cachedStatement(sql: "DELETE FROM \(table) WHERE slice = ? AND start >= ? AND start < ?")
          .execute(arguments: [slice, day.number * 1440, (day.number + 1) * 1440])
      }
      try database.cachedStatement(sql: "DELETE FROM day_pack WHERE id >= ? AND id < ?")
        .execute(arguments: [PackKey.first(of: slice, from: day), PackKey.first(of: slice, from: day + 1)])
    }
  }

  private func addRows(of cell: Int64, _ day: CalendarDay, to sums: [Int64], _ rollups: inout RowBatch) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT metric, start, resolution, label, source, received, body FROM cell
          WHERE slice = ? AND start >= ? AND start < ? AND metric <> ?
          """),
      arguments: [cell, day.number * 1440, (day.number + 1) * 1440, Int64(Catalogue.sessions)])
    while let row = try rows.next() {
      guard let resolution = TimeBin.Resolution(rawValue: try row.value(2)) else {
        throw StoreError.damaged("resolution of a row")
      }
      let label: Int64 = try row.value(3)
      let aggregate = try RowBatch.aggregate(in: row, at: 6)
      let bin = TimeBin(start: try row.minute(1), resolution: resolution)
      for slice in label == 0 ? sums[...] : sums.prefix(1) {
        let key = RowKey(slice: slice, metric: try row.value(0), bin: bin, label: label, source: try row.value(4))
        rollups.add(aggregate, to: key, received: try row.value(5))
      }
    }
  }

  private func addPacks(of cell: Int64, _ day: CalendarDay, to sums: [Int64], _ packs: inout PackBatch) throws {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, received, body FROM day_pack WHERE id >= ? AND id < ?"),
      arguments: [PackKey.first(of: cell, from: day), PackKey.first(of: cell, from: day + 1)])
    for row in rows {
      let (key, received): (PackKey, Int) = (PackKey(id: try row.value(0)), try row.value(1))
      let homes = sums.compactMap { PackKey(slice: $0, day: day, source: key.source) }
      try row.withUnsafeData(atIndex: 2) { data in
        try data?.withUnsafeBytes { bytes in
          var reader = PackReader(bytes)
          while let (series, body) = reader.next() {
            var content = ByteReader(body)
            guard let sum = try? Aggregate(from: &content) else { throw StoreError.damaged("a series of a day pack") }
            for home in homes { packs.add(sum, series, to: home, received: received) }
          }
          if reader.isDamaged { throw StoreError.damaged("a day pack") }
        }
      }
    }
  }

  private func addSessions(
    of cells: Set<Int64>, _ day: CalendarDay, _ rollups: inout RowBatch, _ registry: inout NameRegistry
  ) throws {
    var counts = SessionCounts()
    var userDays: [UInt64: UserDaySessions] = [:]
    var received = 0
    try SessionTable(database).forEach(of: app, on: day) { state in
      guard cells.contains(state.cell) else { return }
      counts.add(outcomeOf: state, sign: 1)
      received = max(received, state.received)
      if let user = state.user {
        userDays[user, default: UserDaySessions()].add(state, 1)
      } else {
        try counts.add(
          UserDaySessions(state), isKnownUser: false, day, sign: 1, received: state.received
        ) { try registry.cellSlices(of: $0, in: database).clusters }
      }
    }
    try counts.spreadOutcomes { try registry.cellSlices(of: $0, in: database).rows }
    let none = UserRows(of: UserDaySessions(), on: day) { _ in [] }
    for (user, sessions) in userDays {
      try counts.add(sessions, isKnownUser: true, day, sign: 1, received: received) {
        try registry.cellSlices(of: $0, in: database).clusters
      }
      let rows = try UserRows(of: sessions, on: day) { try registry.cellSlices(of: $0, in: database).rows }
      counts.move(user: user, from: none, to: rows, received: received)
    }
    // The rows of cells are as they were.
    var ignored = RowBatch(table: "cell")
    counts.drain(intoCells: &ignored, rollups: &rollups, rows: registry.clusterRows)
  }
}
