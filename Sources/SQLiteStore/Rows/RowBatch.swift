import Core
import Foundation
import GRDB
import Storage

/// The changes of one table in a batch, merged in memory so that each row is read and written once.
struct RowBatch {
  let table: RowTables.Table
  private var indices: [RowKey: Int] = [:]
  private var keys: [RowKey] = []
  private var aggregates: [Aggregate] = []
  private var received: [Int] = []
  private var departures: [RowKey: UserTally] = [:]

  init(_ table: RowTables.Table) { self.table = table }

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received day: Int) {
    if let index = indices[key] {
      aggregates[index].merge(aggregate)
      received[index] = max(received[index], day)
    } else {
      indices[key] = keys.count
      keys.append(key)
      aggregates.append(aggregate)
      received.append(day)
    }
  }

  /// The rows from which users are removed, because they no longer have a session in them.
  var leftByUsers: some Sequence<RowKey> { departures.keys }

  /// The number of rows in the batch.
  var count: Int { keys.count }

  /// The slice of each row.
  var slices: some Sequence<Int64> { keys.lazy.map(\.slice) }

  /// Passes every change to `body`, without the users who leave rows.
  func forEach(_ body: (RowKey, Aggregate) throws -> Void) rethrows {
    for (key, aggregate) in zip(keys, aggregates) { try body(key, aggregate) }
  }

  /// The daily sums of the rows that are finer than a day.
  private var daySums: RowBatch {
    var sums = RowBatch(.daySums)
    for (index, key) in keys.enumerated() where key.bin.resolution != .day {
      var day = key
      day.bin = TimeBin(key.bin.day)
      sums.add(aggregates[index], to: day, received: received[index])
    }
    return sums
  }

  /// Removes users from a stored row in which they no longer have a session.
  mutating func remove(_ users: UserTally, from key: RowKey) {
    departures[key, default: UserTally()].merge(users)
    add(.users(UserTally()), to: key, received: 0)
  }

  /// Writes the changes of rows and, for rollups, of daily sums. Returns the keys of damaged rows, which are replaced.
  func write(to database: Database) throws -> [RowKey] {
    let damaged = try merge(into: database)
    return table == .rollups ? damaged + (try daySums.merge(into: database)) : damaged
  }

  /// Reads, merges and writes every row, in the order of the table's key. Empty rows are deleted. Damaged rows are
  /// quarantined and replaced, and their keys returned. Daily sums do not change.
  @discardableResult func merge(into database: Database) throws -> [RowKey] {
    let select = try RawStatement(database, sql: "SELECT body FROM \(table.rawValue) \(RowTables.atKey)")
    let insert = try RawStatement(
      database,
      sql: """
        INSERT INTO \(table.rawValue) (\(RowTables.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET received = max(received, excluded.received), body = excluded.body
        """)
    let delete = try RawStatement(database, sql: "DELETE FROM \(table.rawValue) \(RowTables.atKey)")
    var damaged: [DamagedRow] = []
    var damagedKeys: [RowKey] = []
    var writer = ByteWriter(reserving: 1024)
    for index in keys.indices.sorted(by: { Self.precedes(keys[$0], keys[$1]) }) {
      let key = keys[index]
      var sum = aggregates[index]
      try select.bind(key)
      let stored = try select.blob { buffer in
        var reader = ByteReader(buffer)
        let aggregate = Result { () throws(DamagedBytes) in try Aggregate(from: &reader) }
        if case .failure = aggregate { damaged.append(DamagedRow(table.rawValue, key, bytes: buffer)) }
        return aggregate
      }
      switch stored {
      case nil: break
      case .success(var merged)?:
        merged.merge(sum)
        sum = merged
      case .failure?: damagedKeys.append(key)
      }
      if let leaving = departures[key] { sum.remove(leaving) }
      guard !sum.isVacated else {
        try delete.bind(key)
        try delete.execute()
        continue
      }
      writer.removeAll()
      sum.encode(into: &writer)
      try insert.bind(key)
      try insert.bind(Int64(received[index]), at: 7)
      try writer.withBytes { try insert.execute(with: $0, at: 8) }
    }
    try QuarantineTable(database).add(damaged)
    return damagedKeys
  }

  /// Decodes the stored body of a row into an aggregate.
  static func aggregate(in row: Row, at column: Int) throws -> Aggregate {
    try body(in: row, at: column) { reader throws(DamagedBytes) in try Aggregate(from: &reader) }
  }

  /// Reads the stored body of a row without copying it; damaged bytes throw `StoreError.damaged`.
  static func body<Value>(
    in row: Row, at column: Int, _ read: (inout ByteReader) throws(DamagedBytes) -> Value
  ) throws -> Value {
    try row.withUnsafeData(atIndex: column) { data in
      try (data ?? Data()).withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        do {
          return try read(&reader)
        } catch {
          throw StoreError.damaged("\(error)")
        }
      }
    }
  }

  private static func precedes(_ left: RowKey, _ right: RowKey) -> Bool {
    (left.slice, left.metric, left.bin.start, left.bin.resolution.rawValue, left.label, left.source)
      < (right.slice, right.metric, right.bin.start, right.bin.resolution.rawValue, right.label, right.source)
  }
}
