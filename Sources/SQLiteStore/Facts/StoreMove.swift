import Core
import Foundation
import GRDB
import Statistics
import Storage
import Synchronization

/// Moves the rows of a store to the servers of a ledger, portion by portion: in one transaction rows leave their table and
/// enter the outbox. At any time each is in one place, so that a move that is killed goes on where it was.
public struct StoreMove {
  private let store: SQLiteStore
  private let facts: any FactTable

  /// Makes the store at `path` a ledger that still has rows, unless it is one. Throws for a schema of another version.
  public static func begin(_ path: String) throws {
    let queue = try Connections.queue(path, .full)
    guard try !queue.read(Migrator.isLedger) else { return }
    guard try Migrator.isCurrent(queue, steps: Migrations.plumb) else {
      throw SchemaError.behind(["migrations of this version"])
    }
    // The rest happens on opening it: sums by day are made of the rows that are here.
    try Migrator.migrate(queue, steps: Migrations.plumb + Migrations.ledger)
    try queue.close()
  }

  /// A move out of a ledger's own tables. `store` must be one.
  public init(_ store: SQLiteStore) throws {
    guard let facts = store.facts else { throw SchemaError.hasRows }
    self.store = store
    self.facts = facts
  }

  /// The rows that are still here: an estimate, by which progress is shown.
  public func left() throws -> Int {
    try store.pool.read { database in
      try Self.tables.reduce(0) { $0 + (try Int.fetchOne(database, sql: "SELECT count(*) FROM \($1)") ?? 0) }
    }
  }

  private static let tables = ["marginal", "cell", "day_pack"]
  /// The most rows of one transaction.
  private static let portion = 50_000

  /// Moves one portion to the outbox. Returns the number of rows; 0 when none are left.
  public func moveSome() throws -> Int {
    let moved = try store.write { database, _ in
      try database.execute(sql: "DELETE FROM \(DailySumTable.table)")
      for table in ["marginal", "cell"] {
        let count = try move(from: table, database)
        if count > 0 { return count }
      }
      return try movePacks(database)
    }
    if moved == 0 { store.moving.withLock { $0 = false } }
    return moved
  }

  private func move(from table: String, _ database: Database) throws -> Int {
    let columns = "slice, metric, start, resolution, label, source"
    var weeks = Weeks()
    var last: StatementArguments = []
    var count = 0
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(columns), received, body FROM \(table) ORDER BY \(columns) LIMIT \(Self.portion)")
    while let row = try rows.next() {
      guard let resolution = TimeBin.Resolution(rawValue: try row.value(3)) else {
        throw StoreError.damaged("a row of \(table)")
      }
      let key = RowKey(
        slice: try row.value(0), metric: try row.value(1),
        bin: TimeBin(start: try row.minute(2), resolution: resolution), label: try row.value(4),
        source: try row.value(5))
      weeks.add(try RowBatch.aggregate(in: row, at: 7), to: key, received: try row.value(6))
      last = key.arguments
      count += 1
    }
    guard count > 0 else { return 0 }
    try weeks.write(database, to: facts)
    try database.execute(sql: "DELETE FROM \(table) WHERE (\(columns)) <= (?, ?, ?, ?, ?, ?)", arguments: last)
    return count
  }

  private func movePacks(_ database: Database) throws -> Int {
    var weeks = Weeks()
    var (last, count): (Int64?, Int) = (nil, 0)
    let rows = try Row.fetchCursor(
      database, sql: "SELECT id, received, body FROM day_pack ORDER BY id LIMIT \(Self.portion / 50)")
    while let row = try rows.next() {
      let pack = PackKey(id: try row.value(0))
      let received: Int = try row.value(1)
      try row.withUnsafeData(atIndex: 2) { data in
        try (data ?? Data()).withUnsafeBytes { bytes in
          let damaged = PackReader.forEachSeries(of: bytes) { series, aggregate in
            weeks.add(aggregate, to: pack.row(series), received: received)
          }
          guard damaged.isEmpty else {
            throw StoreError.damaged("a day pack; `plumb verify --set-aside` sets it aside")
          }
        }
      }
      last = pack.id
      count += 1
    }
    guard let last else { return 0 }
    try weeks.write(database, to: facts)
    try database.execute(sql: "DELETE FROM day_pack WHERE id <= ?", arguments: [last])
    return count
  }
}

/// Rows by the week in which they were last received, because a block is of one week.
private struct Weeks {
  private var rows: [Int: [(key: RowKey, aggregate: Aggregate, received: Int)]] = [:]

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received: Int) {
    rows[received / 7, default: []].append((key, aggregate, received))
  }

  func write(_ database: Database, to table: any FactTable) throws {
    var collector = FactCollector(database, table)
    for (_, rows) in rows.sorted(by: { $0.key < $1.key }) {
      let received = CalendarDay(number: rows.map(\.received).max() ?? 0)
      for row in rows { try collector.add(row.aggregate, to: row.key, received: received) }
      try collector.finish(received: received)
    }
  }
}

extension FactCollector {
  /// Adds a stored row: of users one by one.
  fileprivate mutating func add(_ aggregate: Aggregate, to key: RowKey, received: CalendarDay) throws {
    guard case .users(let tally) = aggregate else { return try add(.sum(aggregate), to: key, received: received) }
    for (set, name) in [(tally.all, Fact.UserSetName.all), (tally.crashed, .crashed)] {
      for user in set.representatives {
        try add(.member(user: user, of: name, by: 1), to: key, received: received)
      }
    }
  }
}
