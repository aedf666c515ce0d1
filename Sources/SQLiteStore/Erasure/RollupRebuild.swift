import Core
import GRDB
import Storage

/// The recount of an environment's rollups on single days from its cells and sessions, without some releases.
struct RollupRebuild {
  private let database: Database
  private let app: AppID
  private let environment: Int64

  init(_ database: Database, _ app: AppID, environment: Int64) {
    self.database = database
    self.app = app
    self.environment = environment
  }

  /// Deletes the day's rollups and recounts them.
  func run(_ day: CalendarDay, without releases: Set<Int64>, using registry: inout NameRegistry) throws {
    try deleteRollups(of: day)
    var rollups = RowBatch(.rollups)
    var packs = DayPackBatch()
    let cells = try Row.fetchAll(
      database, sql: "SELECT id, release FROM slice WHERE app = ? AND environment = ? AND kind = ?",
      arguments: [app, environment, SliceKind.cell.number])
    var kept: Set<Int64> = []
    for cell in cells where !releases.contains(try cell.value(1)) {
      let id: Int64 = try cell.value(0)
      kept.insert(id)
      let sums = try Array(registry.cellSlices(of: id, in: database).rows.dropFirst())
      try RowTables(database).forEachValue(ofCell: id, on: day) { key, sum, received in
        if key.metric == Int64(Catalogue.sessions) { return }
        for slice in key.label == 0 ? sums[...] : sums.prefix(1) {
          var row = key
          row.slice = slice
          rollups.add(sum, to: row, received: received)
        }
      } packed: { key, series, sum, received in
        for home in sums.compactMap({ DayPackKey(slice: $0, day: day, source: key.source) }) {
          packs.add(sum, series, to: home, received: received)
        }
      }
    }
    try addSessions(of: kept, day, &rollups, &registry)
    var writer = try DayPackWriter(database)
    let damaged = try packs.write(by: &writer, leaving: &rollups) + rollups.write(to: database)
    guard damaged.isEmpty else {
      throw StoreError.damaged("rows of \(day.iso), which is being recounted")
    }
    registry.clusterRows = [:]
    registry.goneSlices = [:]
    registry.cellSlices = [:]
  }

  private func deleteRollups(of day: CalendarDay) throws {
    let slices = try Int64.fetchAll(
      database, sql: "SELECT id FROM slice WHERE app = ? AND environment = ? AND kind <> ?",
      arguments: [app, environment, SliceKind.cell.number])
    for slice in slices { try RowTables(database).delete(of: slice, on: day.number...day.number) }
  }

  private func addSessions(
    of cells: Set<Int64>, _ day: CalendarDay, _ rollups: inout RowBatch, _ registry: inout NameRegistry
  ) throws {
    var counts = SessionRowChanges()
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
        ) { try registry.cellSlices(of: $0, in: database) }
      }
    }
    let none = UserRows(of: UserDaySessions(), on: day) { _ in [] }
    for (user, sessions) in userDays {
      try counts.add(sessions, isKnownUser: true, day, sign: 1, received: received) {
        try registry.cellSlices(of: $0, in: database)
      }
      let rows = try UserRows(of: sessions, on: day) { try registry.cellSlices(of: $0, in: database).rows }
      counts.move(user: user, from: none, to: rows, received: received)
    }
    try counts.spread { try registry.cellSlices(of: $0, in: database) }
    // The rows of cells do not change.
    var ignored = RowBatch(.cells)
    counts.drain(intoCells: &ignored, rollups: &rollups, rows: registry.clusterRows)
  }
}
