import Core
import Foundation
import GRDB
import Statistics
import Storage
import Synchronization

/// The move of a store's rows to the ClickHouse servers of a ledger, in portions: each transaction moves rows from
/// their table to the outbox. Every row is in one place at any time, so an interrupted move continues where it stopped.
public struct MoveToClickHouse {
  private let store: SQLiteStore
  private let facts: any FactTable

  /// Converts the store at `path` to a ledger that still has rows, unless it already is one. Throws for a schema of
  /// another version.
  public static func begin(_ path: String) throws {
    let queue = try Connections.queue(path, .full)
    guard try !queue.read(Migrator.isLedger) else { return }
    guard try Migrator.isCurrent(queue, steps: MigrationFiles.plumb) else {
      throw SchemaError.behind(["migrations of this version"])
    }
    // The remaining steps follow when it is opened: daily sums are computed from the rows that are here.
    try Migrator.migrate(queue, steps: MigrationFiles.plumb + MigrationFiles.ledger)
    try queue.close()
  }

  /// Creates a move out of the tables of `store`, which must be a ledger.
  public init(_ store: SQLiteStore) throws {
    guard let facts = store.facts else { throw SchemaError.hasRows }
    self.store = store
    self.facts = facts
  }

  /// An estimate of the number of rows that are still here, for progress.
  public func left() throws -> Int {
    try store.pool.read { try RowTables($0).count() }
  }

  /// The maximum number of rows in one transaction.
  private static let portion = 50_000

  /// Moves one portion to the outbox. Returns the number of rows; 0 if none are left.
  public func moveSome() throws -> Int {
    let moved = try store.write { database, _ in
      var weeks = Weeks()
      let count = try RowTables(database).drain(atMost: Self.portion) { weeks.add($1, to: $0, received: $2) }
      try weeks.write(database, to: facts)
      return count
    }
    if moved == 0 { store.moving.withLock { $0 = false } }
    return moved
  }
}

/// Rows by the week in which they were last received, because a block contains one week.
private struct Weeks {
  private var rows: [Int: [(key: RowKey, aggregate: Aggregate, received: Int)]] = [:]

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received: Int) {
    rows[received / 7, default: []].append((key, aggregate, received))
  }

  func write(_ database: Database, to table: any FactTable) throws {
    var collector = OutboxWriter(database, table)
    for (_, rows) in rows.sorted(by: { $0.key < $1.key }) {
      let received = CalendarDay(number: rows.map(\.received).max() ?? 0)
      for row in rows { try collector.add(row.aggregate, to: row.key, received: received) }
      try collector.finish(received: received)
    }
  }
}

extension OutboxWriter {
  /// Adds a stored row; users are added one by one.
  fileprivate mutating func add(_ aggregate: Aggregate, to key: RowKey, received: CalendarDay) throws {
    guard case .users(let tally) = aggregate else { return try add(.sum(aggregate), to: key, received: received) }
    for (set, name) in [(tally.all, Fact.UserSetName.all), (tally.crashed, .crashed)] {
      for user in set.representatives {
        try add(.member(user: user, of: name, by: 1), to: key, received: received)
      }
    }
  }
}
