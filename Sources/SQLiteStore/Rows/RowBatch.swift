import Core
import Foundation
import GRDB
import Storage

/// The key of a stored row: the ids of its slice, metric and label, its time bin and its source.
struct RowKey: Hashable {
  var slice: Int64
  var metric: Int64
  var start: Int
  var resolution: UInt8
  var label: Int64
  var source: UInt8

  init(slice: Int64, metric: Int64, bin: TimeBin, label: Int64 = 0, source: UInt8) {
    self.slice = slice
    self.metric = metric
    start = bin.start
    resolution = bin.resolution.rawValue
    self.label = label
    self.source = source
  }

  var arguments: StatementArguments { [slice, metric, start, Int(resolution), label, Int(source)] }
}

/// The changes of one table in a batch, merged in memory so that each row is read and written once.
struct RowBatch {
  let table: String
  private var indices: [RowKey: Int] = [:]
  private var keys: [RowKey] = []
  private var aggregates: [Aggregate] = []
  private var received: [Int] = []
  private var departures: [RowKey: UserTally] = [:]

  init(table: String) { self.table = table }

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

  /// The rows from which users are removed, because they have no session in them any longer.
  var leftByUsers: some Sequence<RowKey> { departures.keys }

  /// The number of rows in the batch.
  var count: Int { keys.count }

  /// Passes every change to `body`, without the users that leave rows.
  func forEach(_ body: (RowKey, Aggregate) throws -> Void) rethrows {
    for (key, aggregate) in zip(keys, aggregates) { try body(key, aggregate) }
  }

  /// The daily sums of the rows that are finer than a day, for another table.
  func sumsByDay(into table: String) -> RowBatch {
    var sums = RowBatch(table: table)
    for (index, key) in keys.enumerated() {
      guard let resolution = TimeBin.Resolution(rawValue: key.resolution), resolution != .day else { continue }
      let day = TimeBin(start: key.start, resolution: resolution).coarsened(to: .day)
      let sum = RowKey(slice: key.slice, metric: key.metric, bin: day, label: key.label, source: key.source)
      sums.add(aggregates[index], to: sum, received: received[index])
    }
    return sums
  }

  /// Removes users from a stored row in which they no longer have a session.
  mutating func remove(_ users: UserTally, from key: RowKey) {
    departures[key, default: UserTally()].merge(users)
    add(.users(UserTally()), to: key, received: 0)
  }

  /// Reads, merges and writes every row, in the order of the table's key. Empty rows are deleted. Damaged rows are set
  /// aside and replaced, and their keys returned.
  @discardableResult func write(to database: Database) throws -> [RowKey] {
    let select = try RowStatement(database, sql: "SELECT body FROM \(table) \(Self.condition)")
    let insert = try RowStatement(
      database,
      sql: """
        INSERT INTO \(table) (slice, metric, start, resolution, label, source, received, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET received = max(received, excluded.received), body = excluded.body
        """)
    let delete = try RowStatement(database, sql: "DELETE FROM \(table) \(Self.condition)")
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
        if case .failure = aggregate { damaged.append(DamagedRow(table, key, bytes: buffer)) }
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

  private static let condition =
    "WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?"

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
    (left.slice, left.metric, left.start, left.resolution, left.label, left.source)
      < (right.slice, right.metric, right.start, right.resolution, right.label, right.source)
  }
}

/// Rows to be merged into a table. If that fails they are merged one by one, so that a damaged row does not stop the
/// others.
struct RowMerge {
  private let table: String
  private var sums: [Sum] = []

  private typealias Sum = (key: RowKey, aggregate: Aggregate, received: Int)

  init(table: String) { self.table = table }

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received: Int) { sums.append((key, aggregate, received)) }

  /// Merges the rows. Returns the keys of rows that were damaged and were replaced.
  @discardableResult func write(to database: Database) throws -> [RowKey] {
    if try isWritten(batch(sums), to: database) { return [] }
    var damaged: [RowKey] = []
    for sum in sums where try !isWritten(batch([sum]), to: database) {
      try database.execute(
        sql: """
          DELETE FROM \(table)
          WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?
          """, arguments: sum.key.arguments)
      try batch([sum]).write(to: database)
      damaged.append(sum.key)
    }
    return damaged
  }

  private func batch(_ sums: [Sum]) -> RowBatch {
    sums.reduce(into: RowBatch(table: table)) { $0.add($1.aggregate, to: $1.key, received: $1.received) }
  }

  private func isWritten(_ batch: RowBatch, to database: Database) throws -> Bool {
    do {
      try database.inSavepoint {
        try batch.write(to: database)
        return .commit
      }
      return true
    } catch StoreError.damaged {
      return false
    }
  }
}
