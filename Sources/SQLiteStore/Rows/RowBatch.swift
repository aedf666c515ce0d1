import Bytes
import Foundation
import GRDB
import Storage

/// The key of a stored row, in ids.
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

/// What one table gains with a batch, merged in memory so that each row is read and written once.
struct RowBatch {
  let table: String
  private var places: [RowKey: Int] = [:]
  private var keys: [RowKey] = []
  private var aggregates: [Aggregate] = []
  private var received: [Int] = []
  private var departures: [RowKey: UserTally] = [:]

  init(table: String) { self.table = table }

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received day: Int) {
    if let place = places[key] {
      aggregates[place].merge(aggregate)
      received[place] = max(received[place], day)
    } else {
      places[key] = keys.count
      keys.append(key)
      aggregates.append(aggregate)
      received.append(day)
    }
  }

  /// Rows that users leave with it.
  var leftByUsers: some Sequence<RowKey> { departures.keys }

  /// Rows in it.
  var count: Int { keys.count }

  /// What its rows finer than a day add up to, for another table.
  func sumsByDay(into table: String) -> RowBatch {
    var sums = RowBatch(table: table)
    for (place, key) in keys.enumerated() {
      guard let resolution = TimeBin.Resolution(rawValue: key.resolution), resolution != .day else { continue }
      let day = TimeBin(start: key.start, resolution: resolution).coarsened(to: .day)
      let sum = RowKey(slice: key.slice, metric: key.metric, bin: day, label: key.label, source: key.source)
      sums.add(aggregates[place], to: sum, received: received[place])
    }
    return sums
  }

  /// Takes users who have no session left there out of a stored row.
  mutating func remove(_ users: UserTally, from key: RowKey) {
    departures[key, default: UserTally()].merge(users)
    add(.users(UserTally()), to: key, received: 0)
  }

  /// Reads, merges and writes every row, in the order of the table. A row that is left with nothing goes. One that is
  /// damaged begins anew; the answer names these.
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
    var damaged: [RowKey] = []
    var writer = ByteWriter(reserving: 1024)
    for place in keys.indices.sorted(by: { Self.precedes(keys[$0], keys[$1]) }) {
      let key = keys[place]
      var sum = aggregates[place]
      select.bind(key)
      let stored = try select.blob { buffer in
        var reader = ByteReader(buffer)
        return Result { () throws(DamagedBytes) in try Aggregate(from: &reader) }
      }
      switch stored {
      case nil: break
      case .success(var merged)?:
        merged.merge(sum)
        sum = merged
      case .failure?: damaged.append(key)
      }
      if let leaving = departures[key] { sum.remove(leaving) }
      guard !sum.isVacated else {
        delete.bind(key)
        try delete.execute()
        continue
      }
      writer.removeAll()
      sum.encode(into: &writer)
      insert.bind(key)
      insert.bind(Int64(received[place]), at: 7)
      try writer.withBytes { try insert.execute(with: $0, at: 8) }
    }
    return damaged
  }

  private static let condition =
    "WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?"

  /// Decodes a stored body.
  static func aggregate(in row: Row, at column: Int) throws -> Aggregate {
    try body(in: row, at: column) { reader throws(DamagedBytes) in try Aggregate(from: &reader) }
  }

  /// Reads a stored body where it lies.
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
