import ClickHouseServer
import Testing
import TestSupport

@testable import ClickHouseStore
@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

@Suite(
  "The table facts in a real ClickHouse", .serialized,
  .enabled(if: !ClickHouseServer.Engine.installed.isEmpty, "`make test-packages` installs Debian's server"))
struct FactTableTests {
  private static let hasServer = ClickHouseServer.Engine.installed.contains(.server)
  private static let nodes = [NodeID("00000000000000a1"), NodeID("00000000000000b2")]

  /// Applies changes to SQLite as one node, in batches of `size`.
  private static func sqlite(_ cells: [CellDelta], in folder: String, size: Int = 40) throws -> SQLiteStore {
    let store = try SQLiteStore(path: folder + "/plumb.db")
    for (index, start) in stride(from: 0, to: cells.count, by: size).enumerated() {
      let part = Array(cells[start..<min(start + size, cells.count)])
      try store.apply(
        DigestedBatch(node: nodes[0], from: Int64(index + 1), through: Int64(index + 1), cells: part))
    }
    // Old bins are read as SQLite merges them.
    try store.compact(now: MadeUp.now)
    return store
  }

  /// Stores the same changes through two nodes, each to the shards in turn.
  private static func append(_ cells: [CellDelta], to shards: [ClickHouseClient], size: Int = 40) throws {
    for (index, node) in nodes.enumerated() {
      let writers = try shards.map { try FactWriter($0, node: node) }
      let half = cells.indices.filter { $0 % 2 == index }.map { cells[$0] }
      for (batch, start) in stride(from: 0, to: half.count, by: size).enumerated() {
        var block = FactBlock()
        for fact in half[start..<min(start + size, half.count)].flatMap(\.facts) { block.add(fact) }
        let id = BlockID(number: Int64(batch + 1), nonce: UInt64(index))
        let bytes = block.encoded(id, of: node, received: MadeUp.firstDay + batch)
        let writer = writers[batch % writers.count]
        try writer.append(bytes, id)
        // Offered again, as after an answer that was lost.
        if batch % 3 == 0 { try FactWriter(shards[batch % shards.count], node: node).append(bytes, id) }
      }
    }
  }

  private static func compare(_ store: SQLiteStore, _ reader: FactReader, every step: Int = 1) throws {
    var found = 0
    let queries = stride(from: 0, to: MadeUp.queries.count, by: step).map { MadeUp.queries[$0] }
    // Together, as a page asks.
    for (query, answer) in zip(queries, try reader.rows(queries)) {
      let expected = RowSums(try store.rows(query), of: query)
      let rows = RowSums(answer, of: query)
      #expect(rows == expected, "\(query): \(rows.sums.count) rows instead of \(expected.sums.count)")
      found += rows.sums.count
    }
    #expect(found > 2_000 / step)
  }

  @Test(
    "the table facts answers queries of a thousand long names at once, as one by one",
    arguments: ClickHouseServer.Engine.installed)
  func manyNames(engine: ClickHouseServer.Engine) throws {
    var random = SeededRandom(seed: 24)
    let server = try ClickHouseServer(engine)
    let client = server.client()
    try FactMigrations.migrate(client)
    try Self.append(MadeUp.cells(60, &random), to: [client])
    let reader = FactReader(client, today: MadeUp.firstDay + 27)
    let names = ["launch.first_draw", "sessions"] + (0..<1_000).map { "\($0)." + String(repeating: "é", count: 58) }
    let window = Window(from: MadeUp.firstDay, to: MadeUp.firstDay + 27)
    let queries = (0..<12).map { index in
      RowQuery(
        app: 1, slice: Slice(), window: window, metrics: index < 6 ? names : ["launch.first_draw"],
        dimension: [nil, Dimension.release][index % 2], bins: .days)
    }
    for (query, rows) in zip(queries, try reader.rows(queries)) {
      #expect(try !rows.isEmpty && RowSums(rows, of: query) == RowSums(reader.rows([query])[0], of: query))
    }
    withExtendedLifetime(server) {}
  }

  @Test(
    "the table facts in a real ClickHouse answers every query like SQLite, digit for digit",
    arguments: ClickHouseServer.Engine.installed)
  func equality(engine: ClickHouseServer.Engine) throws {
    try withFolder { folder in
      var random = SeededRandom(seed: 22)
      let cells = MadeUp.cells(300, &random)
      let store = try Self.sqlite(cells, in: folder)
      let server = try ClickHouseServer(engine)
      let client = server.client()
      try FactMigrations.migrate(client)
      try Self.append(cells, to: [client])
      try Self.compare(store, FactReader(client, today: MadeUp.firstDay + 27))
      try client.execute("OPTIMIZE TABLE facts FINAL")
      try Self.compare(store, FactReader(client, today: MadeUp.firstDay + 27), every: 7)
    }
  }

  @Test(
    "the table facts on two shards answers every query like SQLite", .enabled(if: hasServer, "needs Debian's server"))
  func shards() throws {
    try withFolder { folder in
      var random = SeededRandom(seed: 23)
      let cells = MadeUp.cells(300, &random)
      let store = try Self.sqlite(cells, in: folder)
      let servers = try ClickHouseServer.shards(2)
      let clients = servers.map { $0.client() }
      for client in clients { try FactMigrations.migrate(client) }
      try clients[0].execute("CREATE TABLE all_facts AS facts ENGINE = Distributed(shards, default, facts)")
      try Self.append(cells, to: clients)
      #expect(try clients.allSatisfy { try $0.rows("SELECT n FROM facts WHERE kind != 0 LIMIT 1").count == 1 })
      try Self.compare(store, FactReader(clients[0], table: "all_facts", today: MadeUp.firstDay + 27), every: 3)
    }
  }

  @Test(
    "migrations create the table facts once, on every engine of ClickHouse",
    arguments: ClickHouseServer.Engine.installed)
  func migrations(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    #expect(try FactMigrations.missing(in: client) == ["v001_facts"])
    #expect(try FactMigrations.migrate(client) == ["v001_facts"])
    #expect(try FactMigrations.migrate(client) == [] && FactMigrations.missing(in: client) == [])
    // Interrupted between the table and the note of it.
    try client.execute("DROP TABLE plumb_migrations")
    #expect(try FactMigrations.migrate(client) == ["v001_facts"])
    withExtendedLifetime(server) {}
  }

  @Test("a change and its opposite in the table facts cancel out", arguments: ClickHouseServer.Engine.installed)
  func opposites(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    try FactMigrations.migrate(client)
    var tally = SessionTally()
    tally[.crashed] = 1
    tally.userDays.add(x: 1, y: 1)
    var opposite = SessionTally()
    opposite[.crashed] = -1
    opposite.userDays.subtract(x: 1, y: 1)
    let key = CellKey(
      app: 1, source: .sentry, environment: "production", release: Release(version: "1"), os: "iOS 18", model: "m")
    let writer = try FactWriter(client, node: Self.nodes[0])
    for (index, tally) in [tally, opposite].enumerated() {
      var block = FactBlock()
      for scope in FactScope.all(of: key) {
        block.add(
          Fact(
            scope: scope, metric: .known(Catalogue.sessions), source: .sentry, bin: TimeBin(MadeUp.firstDay),
            change: .sum(.sessions(tally))))
      }
      let id = BlockID(number: Int64(index + 1), nonce: 1)
      try writer.append(block.encoded(id, of: Self.nodes[0], received: MadeUp.firstDay), id)
      let query = RowQuery(app: 1, slice: Slice(), window: Window(days: 1, endingOn: MadeUp.firstDay))
      #expect(try FactReader(client, today: MadeUp.firstDay + 27).rows([query])[0].count == 1 - index)
    }
    withExtendedLifetime(server) {}
  }
}

extension FactScope {
  /// The scopes of the rows that a change of a cell affects. Labels are kept only in the first two. Each of the cell's
  /// attributes has its own rows by attribute.
  static func all(of cell: CellKey) -> [FactScope] {
    let deviceClass = DeviceClass.of(model: cell.model).name
    func scope(_ kind: SliceKind, _ attributes: [AppAttribute]) -> FactScope {
      FactScope(
        kind, app: cell.app, environment: cell.environment, release: cell.release, os: cell.os, model: cell.model,
        deviceClass: deviceClass, attributes: attributes)
    }
    return SliceKind.allCases.flatMap { kind in
      kind == .cell || !kind.has(.attribute)
        ? [scope(kind, cell.attributes)] : cell.attributes.map { scope(kind, [$0]) }
    }
  }
}

extension CellDelta {
  /// The changes of all rows that this change of a cell affects.
  var facts: [Fact] {
    let scopes = FactScope.all(of: key)
    return series.deltas.flatMap { series in
      (series.label.isEmpty ? scopes[...] : scopes[..<2]).map {
        Fact(
          scope: $0, metric: series.metric, label: series.label, source: key.source, bin: bin,
          change: .sum(series.aggregate))
      }
    }
  }
}
