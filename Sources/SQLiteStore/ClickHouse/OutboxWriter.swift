import Core
import Foundation
import GRDB
import Storage

/// A collector of a batch's row changes with their names. It writes them to the outbox in the batch's transaction.
struct OutboxWriter {
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
  mutating func add(_ memberships: [SessionRowChanges.Membership], received: CalendarDay) throws {
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
          \(SliceAttributes.names), \(SliceAttributes.texts)
        FROM slice JOIN environment ON environment.id = slice.environment
        LEFT JOIN release ON release.id = slice.release LEFT JOIN os ON os.id = slice.os
        LEFT JOIN device ON device.id = slice.device \(SliceAttributes.join)
        WHERE slice.id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [slice]),
      let kind = SliceKind(number: try row.value(0))
    else { throw StoreError.damaged("the slice \(slice) does not exist") }
    func text(_ column: Int) throws -> String { try row.value(column, as: String?.self) ?? "" }
    let scope = FactScope(
      kind, app: try row.value(1), environment: try text(2),
      release: Release(version: try text(3), build: try text(4)), os: try text(5), model: try text(6),
      deviceClass: try text(7), attributes: AttributeTexts(names: try text(8), values: try text(9)).attributes)
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
