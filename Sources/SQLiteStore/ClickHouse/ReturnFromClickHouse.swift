import Core
import Foundation
import GRDB
public import Storage
import Synchronization

/// The move of a ledger's rows back into its own tables, week by week, which makes it a store again. Progress is
/// recorded in the same transaction, so an interrupted return continues where it stopped.
public struct ReturnFromClickHouse {
  private let store: SQLiteStore
  private let facts: any FactTable

  private static let table = "returned"

  /// `store` must be a ledger with an empty outbox.
  public init(_ store: SQLiteStore) throws {
    guard let facts = store.facts else { throw SchemaError.hasRows }
    guard try store.waiting().blocks == 0 else { throw StoreError.damaged("the outbox is not empty") }
    self.store = store
    self.facts = facts
    try store.writeRows {
      try $0.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS \(Self.table) (app INTEGER, kind INTEGER, day INTEGER, PRIMARY KEY (app, kind, day))
          """)
    }
  }

  /// Moves an app's rows back. `progress` is called with the number of completed weeks and of all weeks.
  public func run(_ app: AppID, progress: (Int, Int) -> Void) throws {
    let lives = try facts.releases(of: app)
    guard let first = lives.map(\.firstDay).min(), let last = lives.map(\.lastDay).max() else { return }
    let weeks = stride(from: first.number, through: last.number, by: 7).map { CalendarDay(number: $0) }
    let kinds = SliceKind.allCases
    for (index, week) in weeks.enumerated() {
      for kind in kinds { try bring(app, kind, week) }
      progress(index + 1, weeks.count)
    }
    try store.writeRows { try Self.note(lives, of: app, $0) }
  }

  private func bring(_ app: AppID, _ kind: SliceKind, _ week: CalendarDay) throws {
    let place: StatementArguments = [app, Int(kind.rawValue), week.number]
    let isDone = try store.pool.read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM \(Self.table) WHERE app = ? AND kind = ? AND day = ?)", arguments: place)
    }
    if isDone == true { return }
    let found = try facts.stored(app, kind, from: week)
    try store.write(keeping: .everything) { database, registry in
      var batch = RowBatch(RowTables.Table(kind))
      for fact in found {
        let slice = try Self.slice(of: fact.scope, &registry, database)
        let metric = try registry.metric(fact.row.metric, app: app, in: database)
        let label = try registry.label(fact.row.label, metric: metric, app: app, in: database)
        batch.add(
          fact.row.aggregate,
          to: RowKey(slice: slice, metric: metric, bin: fact.row.bin, label: label, source: fact.row.source.rawValue),
          received: min(fact.received.number, registry.receivedDay.number))
      }
      guard try batch.merge(into: database).isEmpty else { throw StoreError.damaged("rows that were moved back") }
      _ = try registry.finish(in: database)
      try database.execute(sql: "INSERT INTO \(Self.table) VALUES (?, ?, ?)", arguments: place)
    }
  }

  private static func slice(of scope: FactScope, _ registry: inout NameRegistry, _ database: Database) throws -> Int64 {
    let cell = CellKey(
      app: scope.app, source: .native, environment: scope.environment, release: scope.release, os: scope.os,
      model: scope.model, attributes: scope.attributes)
    var key = try registry.sliceKey(of: cell, in: database)
    guard scope.kind != .cell else { return try registry.cell(key, in: database).id }
    // The device class cannot be derived here, because rollups by class have no model.
    key.deviceClass = scope.deviceClass
    return try registry.slice(key.rollup(scope.kind), in: database)
  }

  /// Records the first and last days of builds.
  private static func note(_ lives: [KnownRelease], of app: AppID, _ database: Database) throws {
    for life in lives {
      let release = try Int64.fetchOne(
        database, sql: "SELECT id FROM release WHERE app = ? AND version = ? AND build = ? ORDER BY retired",
        arguments: [app, life.release.version, life.release.build])
      let environment = try Int64.fetchOne(
        database, sql: "SELECT id FROM environment WHERE app = ? AND name = ? ORDER BY retired",
        arguments: [app, life.environment])
      guard let release, let environment else { continue }
      var lifetimes = ReleaseLifetimes()
      let key = SliceKey(app: app, environment: environment, kind: .release, release: release)
      lifetimes.note(key, life.firstDay)
      lifetimes.note(key, life.lastDay)
      try lifetimes.write(to: database)
    }
  }

  /// Makes the ledger a store. It must be opened again afterwards.
  public func finish() throws {
    try store.writeRows { database in
      for table in [Self.table, "outbox", "ledger"] { try database.execute(sql: "DROP TABLE IF EXISTS \(table)") }
      for step in MigrationFiles.ledger {
        try database.execute(sql: "DELETE FROM migration WHERE name = ?", arguments: [step.name])
      }
      try RowTables(database).fillDaySums()
    }
  }
}
