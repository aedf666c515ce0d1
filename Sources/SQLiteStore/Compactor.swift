import GRDB
import Storage
import Telemetry

/// Merges fine rows that have grown old into coarser ones, and drops what is past its retention. It changes no number
/// of a whole day.
struct Compactor {
  private let database: Database
  private let today: Int
  private let minute: Int

  /// Days that rows for any combination of filters are kept after their last receipt.
  static let cellDays = 35
  /// Days that marginals and tallies are kept.
  static let marginalDays = 400

  init(_ database: Database, now: Timestamp) {
    self.database = database
    today = now.day().number
    minute = ArrivalLedger.minute(of: now)
  }

  func run() throws {
    for table in ["cell", "marginal"] {
      try coarsen(table, from: .fiveMinutes, to: .hour, before: (today - 3) * 1440)
      try coarsen(table, from: .hour, to: .day, before: (today - 35) * 1440)
    }
    try DailySums(database).drop(before: (today - 35) * 1440)
    try drop("cell", "received", Self.cellDays)
    try drop("marginal", "received", Self.marginalDays)
    try drop("session", "received", SessionLedger.memory)
    try drop("tally", "day", Self.marginalDays)
    try drop("stream", "received", StreamLedger.memory)
    try dropDiagnostics()
    try database.execute(sql: "DELETE FROM arrival WHERE start < ?", arguments: [minute - ArrivalLedger.memory])
  }

  private func drop(_ table: String, _ column: String, _ days: Int) throws {
    try database.execute(sql: "DELETE FROM \(table) WHERE \(column) < ?", arguments: [today - days])
  }

  private func dropDiagnostics() throws {
    let oldest = Int64(today - Self.marginalDays) * 86_400_000
    try database.execute(sql: "DELETE FROM diagnostic WHERE received < ?", arguments: [oldest])
  }

  private func coarsen(
    _ table: String, from: TimeBin.Resolution, to: TimeBin.Resolution, before minute: Int
  ) throws {
    var batch = RowBatch(table: table)
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT slice, metric, start, label, source, received, body FROM \(table)
        WHERE resolution = ? AND start < ?
        """, arguments: [Int(from.rawValue), minute])
    while let row = try rows.next() {
      let bin = TimeBin(start: row[2], resolution: from).coarsened(to: to)
      let key = RowKey(slice: row[0], metric: row[1], bin: bin, label: row[3], source: row[4])
      batch.add(try RowBatch.aggregate(in: row, at: 6), to: key, received: row[5])
    }
    try database.execute(
      sql: "DELETE FROM \(table) WHERE resolution = ? AND start < ?", arguments: [Int(from.rawValue), minute])
    try batch.write(to: database)
  }
}
