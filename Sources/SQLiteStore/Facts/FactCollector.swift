public import Core
import Foundation
import GRDB
public import Storage

/// A collector of a batch's row changes with their names. It writes them to the outbox in the batch's transaction.
struct FactCollector {
  private let database: Database
  private let table: any FactTable
  private var scopes: [Int64: FactScope] = [:]
  private var metrics: [AppID: StoredMetrics] = [:]
  private var labels: [Int64: String] = [:]
  private var facts: [Fact] = []

  init(_ database: Database, _ table: any FactTable) {
    self.database = database
    self.table = table
  }

  /// Adds the changes of rows. Changes of users are added one by one.
  mutating func add(_ batch: RowBatch, received: CalendarDay) throws {
    try batch.forEach { key, aggregate in
      if case .users = aggregate { return }
      try add(.sum(aggregate), to: key, received: received)
    }
  }

  /// Adds the users who join or leave the sets of rows.
  mutating func add(_ memberships: [SessionCounts.Membership], received: CalendarDay) throws {
    for one in memberships {
      try add(.member(user: one.user, of: one.set, by: one.change), to: one.row, received: received)
    }
  }

  /// Writes the remaining changes to the outbox as one block.
  mutating func finish(received: CalendarDay) throws {
    guard !facts.isEmpty else { return }
    let nonce = UInt64.random(in: 0...UInt64.max)
    try database.cachedStatement(sql: "INSERT INTO outbox (nonce, size, block) VALUES (?, 0, x'')")
      .execute(arguments: [Int64(bitPattern: nonce)])
    let id = BlockID(number: database.lastInsertedRowID, nonce: nonce)
    let block = table.encode(facts, id, of: try SQLiteStore.factNode(database), received: received)
    let frame = block.withUnsafeBytes { Compression.compress(zstd: $0) }
    try database.cachedStatement(sql: "UPDATE outbox SET size = ?, block = ? WHERE number = ?")
      .execute(arguments: [block.count, Data(frame), id.number])
    facts = []
  }

  mutating func add(_ change: Fact.Change, to key: RowKey, received: CalendarDay) throws {
    let scope = try scope(of: key.slice)
    guard let metric = try metric(key.metric, app: scope.app) else {
      throw StoreError.damaged("the metric \(key.metric) does not exist")
    }
    guard let source = Source(rawValue: key.source) else {
      throw StoreError.damaged("invalid value for the source of a change")
    }
    facts.append(
      Fact(
        scope: scope, metric: metric, label: try label(key.label), source: source, bin: key.bin, change: change))
    if facts.count >= table.mostFacts { try finish(received: received) }
  }

  private mutating func scope(of slice: Int64) throws -> FactScope {
    if let known = scopes[slice] { return known }
    let statement = try database.cachedStatement(
      sql: """
        SELECT slice.kind, slice.app, environment.name, release.version, release.build, os.name, device.model, slice.class,
          attribute.name, attribute.value
        FROM slice JOIN environment ON environment.id = slice.environment
        LEFT JOIN release ON release.id = slice.release LEFT JOIN os ON os.id = slice.os
        LEFT JOIN device ON device.id = slice.device LEFT JOIN attribute ON attribute.id = slice.attribute
        WHERE slice.id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [slice]),
      let kind = SliceKind(number: try row.value(0))
    else { throw StoreError.damaged("the slice \(slice) does not exist") }
    func text(_ column: Int) throws -> String { try row.value(column, as: String?.self) ?? "" }
    let scope = FactScope(
      kind, app: try row.value(1), environment: try text(2),
      release: Release(version: try text(3), build: try text(4)), os: try text(5), model: try text(6),
      deviceClass: try text(7), attribute: AppAttribute(name: try text(8), value: try text(9)))
    scopes[slice] = scope
    return scope
  }

  private mutating func metric(_ id: Int64, app: AppID) throws -> MetricReference? {
    if let known = metrics[app]?.reference(of: id) { return known }
    // Read again, because the batch may have added the metric.
    let stored = try StoredMetrics(database, app: app)
    metrics[app] = stored
    return stored.reference(of: id)
  }

  private mutating func label(_ id: Int64) throws -> String {
    if id == 0 { return "" }
    if let known = labels[id] { return known }
    let found = try String.fetchOne(
      database.cachedStatement(sql: "SELECT name FROM label WHERE id = ?"), arguments: [id])
    guard let name = found else { throw StoreError.damaged("the label \(id) does not exist") }
    labels[id] = name
    return name
  }
}

/// The table `outbox`: blocks of changes, written by `FactCollector`, on their way to the store with the rows.
extension SQLiteStore: FactOutbox {
  public func factNode() throws -> NodeID { try pool.read(Self.factNode) }

  static func factNode(_ database: Database) throws -> NodeID {
    guard let text = try String.fetchOne(database.cachedStatement(sql: "SELECT node FROM ledger")) else {
      throw StoreError.damaged("the ledger has no name")
    }
    return NodeID(text)
  }

  public func lastBlock() throws -> Int64 {
    try pool.read { try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'") ?? 0 }
  }

  public func waiting() throws -> OutboxBacklog {
    try pool.read { database in
      var backlog = OutboxBacklog(blocks: 0, bytes: 0, byShard: [:])
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT coalesce(shard, ''), count(*), sum(length(block)) FROM outbox WHERE stored IS NULL GROUP BY shard
          """)
      for row in rows {
        backlog.byShard[try row.value(0)] = try row.value(1)
        backlog.blocks += try row.value(1)
        backlog.bytes += try row.value(2)
      }
      return backlog
    }
  }

  public func waitingBlocks(limit: Int) throws -> [OutboxBlock] {
    try pool.read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT number, shard, size, block, nonce FROM outbox WHERE stored IS NULL ORDER BY number")
      var blocks: [OutboxBlock] = []
      var total = 0
      while total < limit, let row = try rows.next() {
        let (number, size): (Int64, Int) = (try row.value(0), try row.value(2))
        let bytes: Data = try row.value(3)
        do {
          let block = try bytes.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: size) }
          guard block.count == size else { throw StoreError.damaged("the block \(number) of the outbox") }
          let id = BlockID(number: number, nonce: UInt64(bitPattern: try row.value(4)))
          blocks.append(OutboxBlock(id, shard: try row.value(1, as: String?.self), bytes: block))
        } catch is CompressionError {
          throw StoreError.damaged("the block \(number) of the outbox")
        }
        total += size
      }
      return blocks
    }
  }

  public func assign(_ number: Int64, to shard: String) throws {
    try writeRows { database in
      try database.execute(
        sql: "UPDATE outbox SET shard = ? WHERE number = ? AND shard IS NULL", arguments: [shard, number])
      let assigned = try String.fetchOne(
        database, sql: "SELECT shard FROM outbox WHERE number = ?", arguments: [number])
      guard assigned == shard else {
        throw StoreError.damaged("the block \(number) was sent to \(assigned ?? "no server")")
      }
    }
  }

  public func confirm(_ numbers: [Int64], in shard: String, at time: Timestamp) throws {
    try writeRows { database in
      let update = try database.cachedStatement(
        sql: "UPDATE outbox SET stored = ? WHERE number = ? AND shard = ? AND stored IS NULL")
      for number in numbers { try update.execute(arguments: [time.milliseconds, number, shard]) }
    }
  }

  public func reopen(in shard: String, storedNow numbers: Set<Int64>) throws -> Int {
    try writeRows { database in
      let missing = try Int64.fetchAll(
        database, sql: "SELECT number FROM outbox WHERE stored NOT NULL AND shard = ? AND block <> x''",
        arguments: [shard]
      ).filter { !numbers.contains($0) }
      let update = try database.cachedStatement(sql: "UPDATE outbox SET stored = NULL WHERE number = ?")
      for number in missing { try update.execute(arguments: [number]) }
      return missing.count
    }
  }

  public func blocks() throws -> [BlockID] {
    try pool.read { database in
      try Row.fetchAll(database, sql: "SELECT number, nonce FROM outbox ORDER BY number").map {
        BlockID(number: try $0.value(0), nonce: UInt64(bitPattern: try $0.value(1)))
      }
    }
  }

  public func forget(storedBefore time: Timestamp, exceptIn servers: [String]) throws {
    let isPast = "stored < ? AND shard NOT IN (\(servers.map { _ in "?" }.joined(separator: ", ")))"
    let arguments = [time.milliseconds] + StatementArguments(servers)
    try writeRows { database in
      try database.execute(
        sql: """
          DELETE FROM outbox WHERE \(isPast)
            AND number < ifnull((SELECT min(number) FROM outbox WHERE NOT ifnull(\(isPast), FALSE)), \(Int64.max))
          """, arguments: arguments + arguments)
      // Behind a block that waits, the numbers are kept: they distinguish this folder from an older copy of it.
      try database.execute(
        sql: "UPDATE outbox SET block = x'' WHERE \(isPast) AND block <> x''", arguments: arguments)
    }
  }

  /// Throws `OutboxFull` if too many blocks wait.
  func checkOutbox() throws {
    let waiting = try waiting().bytes
    guard waiting <= limits.outboxBytes else { throw OutboxFull(waiting: waiting, most: limits.outboxBytes) }
  }
}
