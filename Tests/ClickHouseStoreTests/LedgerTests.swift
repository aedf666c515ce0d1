import ClickHouseServer
import Foundation
import Testing
import TestSupport

@testable import ClickHouseStore
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite(
  "A ledger with rows in ClickHouse", .serialized,
  .enabled(if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
struct LedgerTests {
  private static let node = NodeID("0123456789abcdef")
  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  private static func ledger(_ folder: String, _ cluster: FactCluster) throws -> SQLiteStore {
    try SQLiteStore(path: folder + "/ledger.db", facts: cluster)
  }

  /// Two shards with the schema.
  private static func servers() throws -> (shards: [ClickHouseServer], cluster: FactCluster) {
    let servers = try ClickHouseServer.shards(2)
    let cluster = FactCluster(servers.map { $0.client() }, name: "shards") { MadeUp.now }
    try cluster.migrate()
    return (servers, cluster)
  }

  /// Compares the rows of every third query, of another third for another `offset`.
  private static func compare(_ store: SQLiteStore, _ reader: FactCluster, offset: Int = 0) throws {
    var kinds: Set<String> = []
    try store.compact(now: MadeUp.now)
    for index in stride(from: offset, to: MadeUp.queries.count, by: 3) {
      let query = MadeUp.queries[index]
      let expected = RowSums(try store.rows(query), of: query)
      let found = RowSums(try reader.rows([query])[0], of: query)
      #expect(found == expected, "\(query)")
      kinds.formUnion(expected.sums.keys.map(\.metric.name))
    }
    #expect(kinds.isSuperset(of: ["sessions", "users", "requests", "taps"]), "\(kinds)")
  }

  @Test("a ClickHouse ledger stores what SQLite stores: sessions out of order, users, streams, diagnostics, cells")
  func equality() throws {
    try withFolder { folder in
      let (servers, reader) = try Self.servers()
      let (store, ledger) = (try SQLiteStore(path: folder + "/plumb.db"), try Self.ledger(folder, reader))
      let sender = try reader.sender(for: ledger)
      var random = SeededRandom(seed: 31)
      let batches = MadeUp.batches(40, of: Self.node, &random)
      var sent = 0
      for (index, batch) in batches.enumerated() {
        try store.apply(batch)
        try ledger.apply(batch)
        if index % 5 == 4 { sent += try sender.send(now: Self.now).stored }
        if index == 19 { try Self.compare(store, reader) }
      }
      #expect(sent == 40)
      #expect(try ledger.waitingBlocks(limit: 1).isEmpty)
      try Self.compare(store, reader, offset: 1)
      for server in servers { try server.client().execute("OPTIMIZE TABLE facts FINAL") }
      try Self.compare(store, reader, offset: 2)
      // Its sessions and diagnostics are those of the store.
      let query = DiagnosticQuery(app: 1)
      #expect(try ledger.diagnostics(query) == store.diagnostics(query))
    }
  }

  @Test("a ClickHouse ledger deletes a user, a metric, days, an app and expired rows like SQLite")
  func deletions() throws {
    try withFolder { folder in
      let (servers, cluster) = try Self.servers()
      let (store, ledger) = (try SQLiteStore(path: folder + "/plumb.db"), try Self.ledger(folder, cluster))
      let sender = try cluster.sender(for: ledger)
      var random = SeededRandom(seed: 34)
      let batches = MadeUp.batches(20, of: Self.node, &random)
      for batch in batches {
        try store.apply(batch)
        try ledger.apply(batch)
      }
      let user = try #require(batches.flatMap(\.sessions).compactMap(\.user).first)
      let replay = JournalReplay(forEach: { _, _ in })
      // The blocks before wait in the outbox at first.
      func erase(_ scope: ErasureScope) throws {
        let found = try store.erase(scope, of: 1, replay: replay)
        let erased = try ledger.erase(scope, of: 1, replay: replay) {
          while try sender.send(now: Self.now).stored > 0 {}
        }
        #expect(!found.isEmpty && !erased.isEmpty)
        while try sender.send(now: Self.now).stored > 0 {}
      }
      try erase(.user(user))
      try Self.compare(store, cluster)
      try erase(.metric("cart's size"))
      try Self.compare(store, cluster, offset: 1)
      try erase(.days(Window(from: MadeUp.firstDay + 24, to: MadeUp.firstDay + 25)))
      try Self.compare(store, cluster, offset: 2)
      for scope in [ErasureScope.release("4.2.0"), .label("Home", metric: "screen.load")] {
        #expect(throws: ErasureRefused.self) { try ledger.erase(scope, of: 1, replay: replay) }
      }
      try erase(.app)
      #expect(try cluster.releases(of: 1).isEmpty && !cluster.releases(of: 2).isEmpty)
      #expect(try cluster.rows([MadeUp.queries[0]])[0].isEmpty)
      // Of the other app cells leave first, then everything.
      let cells = RowQuery(
        app: 2, slice: Slice(release: "4.2.0", os: "iOS 18.0"),
        window: Window(from: MadeUp.firstDay, to: MadeUp.firstDay + 27))
      let all = RowQuery(app: 2, slice: Slice(), window: cells.window)
      // Whole weeks of receipts expire at once.
      try cluster.expire(Retention(), today: MadeUp.firstDay + 27 + 35 + 6)
      #expect(try !cluster.rows([cells])[0].isEmpty)
      try cluster.expire(Retention(), today: MadeUp.firstDay + 27 + 35 + 14)
      #expect(try cluster.rows([cells])[0].isEmpty && !cluster.rows([all])[0].isEmpty)
      try cluster.expire(Retention(), today: MadeUp.firstDay + 27 + 400 + 14)
      #expect(try cluster.rows([all])[0].isEmpty)
      withExtendedLifetime(servers) {}
    }
  }

  @Test("a ClickHouse ledger repeats a read that a block interrupted, unless the body does more than read")
  func snapshots() throws {
    try withFolder { folder in
      let (servers, cluster) = try Self.servers()
      let ledger = try Self.ledger(folder, cluster)
      let sender = try cluster.sender(for: ledger)
      var random = SeededRandom(seed: 36)
      var batches = MadeUp.batches(6, of: Self.node, &random)[...]
      // On a thread of its own, as the digest does.
      func sendNext() {
        let batch = batches.removeFirst()
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          do {
            try ledger.apply(batch)
            #expect(try sender.send(now: Self.now).stored > 0)
          } catch { Issue.record(error) }
          done.signal()
        }
        done.wait()
      }
      func sums() throws -> RowSums { RowSums(try ledger.rows(MadeUp.queries[0]), of: MadeUp.queries[0]) }
      sendNext()
      var calls = 0
      let (before, after) = try ledger.snapshot {
        calls += 1
        let before = try sums()
        if calls == 1 { sendNext() }
        return (before, try ledger.snapshot { try sums() })
      }
      #expect(calls == 2 && before == after && !before.sums.isEmpty)
      calls = 0
      let (older, newer) = try ledger.snapshot(isRepeatable: false) {
        calls += 1
        let before = try sums()
        sendNext()
        return (before, try sums())
      }
      #expect(calls == 1 && older != newer)
      // Not for ever.
      calls = 0
      try ledger.snapshot {
        calls += 1
        _ = try sums()
        sendNext()
      }
      #expect(calls == 3)
      // What needs no rows needs no server.
      for server in servers { server.kill() }
      #expect(try ledger.snapshot { try ledger.watermark(of: Self.node) } > 0)
      #expect(throws: StoreError.self) { try ledger.snapshot { try sums() } }
    }
  }

  @Test("a ClickHouse ledger refuses to send what an older copy of it makes, because the shards have those numbers")
  func olderCopy() throws {
    try withFolder { folder in
      let (servers, cluster) = try Self.servers()
      var random = SeededRandom(seed: 35)
      let batches = MadeUp.batches(3, of: Self.node, &random)
      let ledger = try Self.ledger(folder, cluster)
      try ledger.apply(batches[0])
      try DataFolderDatabase.copy(folder + "/ledger.db", to: folder + "/older.db")
      try ledger.apply(batches[1])
      try ledger.apply(batches[2])
      #expect(try cluster.sender(for: ledger).send(now: Self.now).stored == 3)
      let older = try SQLiteStore(path: folder + "/older.db", facts: cluster)
      func refusals() throws -> Int {
        let outcome = try cluster.sender(for: older).send(now: Self.now)
        #expect(outcome.stored == 0)
        return outcome.failures.values.count { "\($0)".contains("older copy") }
      }
      #expect(try refusals() > 0)
      // The numbers that it gives are taken.
      try older.apply(batches[1])
      #expect(try refusals() > 0)
      try older.apply(batches[2])
      #expect(try refusals() == 2)
      withExtendedLifetime(servers) {}
    }
  }

  @Test("a ClickHouse ledger sends to the shards that respond, and sends a shard's own blocks only to it")
  func outage() throws {
    try withFolder { folder in
      let (servers, reader) = try Self.servers()
      let ledger = try Self.ledger(folder, reader)
      let store = try SQLiteStore(path: folder + "/plumb.db")
      let sender = try reader.sender(for: ledger)
      var random = SeededRandom(seed: 32)
      let batches = MadeUp.batches(12, of: Self.node, &random)
      func apply(_ range: Range<Int>) throws {
        for batch in batches[range] {
          try ledger.apply(batch)
          try store.apply(batch)
        }
      }
      try apply(0..<4)
      #expect(try sender.send(now: Self.now).stored == 4)
      servers[1].kill()
      try apply(4..<10)
      let outcome = try sender.send(now: Self.now)
      #expect(outcome.failures.keys.sorted() == ["\(servers[1].address())"])
      // One block was tried at the shard that is away, and waits for it.
      #expect(outcome.stored == 5)
      #expect(try ledger.waitingBlocks(limit: .max).map(\.shard) == ["\(servers[1].address())"])
      // Nor does it go to the other one later, as long as its own is away: for two days, which is longer than blocks are kept.
      #expect(try sender.send(now: Self.now).stored == 0)
      try apply(10..<12)
      #expect(try sender.send(now: Self.after(86_400)).stored == 2)
      #expect(try sender.send(now: Self.after(2 * 86_400)).stored == 0)
      #expect(try ledger.waitingBlocks(limit: .max).count == 1)
      try servers[1].start()
      let after = try sender.send(now: Self.after(2 * 86_400 + 60))
      #expect(after.stored == 1 && after.failures.isEmpty)
      try Self.compare(store, reader)
      withExtendedLifetime(servers) {}
    }
  }

  @Test("a ClickHouse ledger counts everything once after a shard was added, and after one was renamed")
  func changedShards() throws {
    try withFolder { folder in
      let servers = try ClickHouseServer.shards(2)
      let store = try SQLiteStore(path: folder + "/plumb.db")
      var random = SeededRandom(seed: 37)
      let batches = MadeUp.batches(18, of: Self.node, &random)
      // Applies batches and sends their blocks, as a server does between its start and its end.
      func run(_ range: Range<Int>, _ shards: [ClickHouseClient]) throws -> FactCluster {
        let cluster = FactCluster(shards, name: shards.count > 1 ? "shards" : nil) { MadeUp.now }
        try cluster.migrate()
        let ledger = try Self.ledger(folder, cluster)
        for batch in batches[range] {
          try store.apply(batch)
          try ledger.apply(batch)
        }
        let outcome = try cluster.sender(for: ledger).send(now: Self.now)
        #expect(outcome.stored == range.count && outcome.lost == 0 && outcome.failures.isEmpty)
        try ledger.close()
        return cluster
      }
      _ = try run(0..<6, [servers[0].client()])
      try Self.compare(store, run(6..<12, servers.map { $0.client() }))
      let moved = ClickHouseClient(try ClickHouseAddress("clickhouse://localhost:\(servers[1].port)/default"))
      try Self.compare(store, run(12..<18, [servers[0].client(), moved]), offset: 1)
      withExtendedLifetime(servers) {}
    }
  }

  @Test("a ClickHouse ledger resends blocks that a shard lost, even if the shard restarted unnoticed")
  func lostPart() throws {
    try withFolder { folder in
      let (servers, reader) = try Self.servers()
      let ledger = try Self.ledger(folder, reader)
      let store = try SQLiteStore(path: folder + "/plumb.db")
      let sender = try reader.sender(for: ledger)
      var random = SeededRandom(seed: 33)
      for batch in MadeUp.batches(3, of: Self.node, &random) {
        try ledger.apply(batch)
        try store.apply(batch)
        #expect(try sender.send(now: Self.now).stored == 1)
      }
      let parts = "\(servers[0].folder)/data/data/default/facts"
      servers[0].kill()
      for part in try FileManager.default.contentsOfDirectory(atPath: parts) where part.contains("_") {
        try FileManager.default.removeItem(atPath: "\(parts)/\(part)")
      }
      try servers[0].start()
      // Within a minute nothing is compared, and nothing waits.
      #expect(try sender.send(now: Self.now).lost == 0)
      let outcome = try sender.send(now: Self.after(61))
      #expect(outcome.lost > 0 && outcome.stored == outcome.lost)
      try Self.compare(store, reader, offset: 1)
      // The manual promises an hour. Blocks are not kept for ever.
      _ = try sender.send(now: Self.after(61 + 3600))
      #expect(try ledger.blocks().count == 3)
      _ = try sender.send(now: Self.after(61 + 2 * 3600))
      #expect(try ledger.blocks().isEmpty)
      withExtendedLifetime(servers) {}
    }
  }

  private static func after(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds + seconds * 1000)
  }

  /// docs/scaling.md: first the tables on each shard, within the hour the folder; both are restored, a day later.
  @Test("copies of tables and of a folder an hour later are restored to what the folder had counted")
  func backup() throws {
    try withFolder { folder in
      let (servers, reader) = try Self.servers()
      var ledger = try Self.ledger(folder, reader)
      let store = try SQLiteStore(path: folder + "/plumb.db")
      var sender = try reader.sender(for: ledger)
      var random = SeededRandom(seed: 36)
      let batches = MadeUp.batches(14, of: Self.node, &random)
      func send(_ batch: DigestedBatch, after seconds: Int64) throws {
        try ledger.apply(batch)
        #expect(try sender.send(now: Self.after(seconds)).stored == 1)
      }
      let files = FileManager.default
      for (index, batch) in batches.prefix(4).enumerated() {
        try store.apply(batch)
        try send(batch, after: Int64(index))
      }
      for server in servers {
        server.kill()
        try files.copyItem(atPath: "\(server.folder)/data", toPath: "\(server.folder)/copy")
        try server.start()
      }
      for (index, batch) in batches[4..<10].enumerated() {
        try store.apply(batch)
        try send(batch, after: 5 + Int64(index) * 700)
      }
      // 3,600 seconds after the first of these blocks, which the copy of the tables lacks.
      _ = try sender.send(now: Self.after(3605))
      try ledger.close()
      try files.copyItem(atPath: folder + "/ledger.db", toPath: folder + "/ledger-copy.db")
      ledger = try Self.ledger(folder, reader)
      sender = try reader.sender(for: ledger)
      for (index, batch) in batches[10...].enumerated() { try send(batch, after: 4000 + Int64(index)) }
      try ledger.close()

      for server in servers {
        server.kill()
        try files.removeItem(atPath: "\(server.folder)/data")
        try files.moveItem(atPath: "\(server.folder)/copy", toPath: "\(server.folder)/data")
      }
      for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: folder + "/ledger.db" + suffix) {
        try files.removeItem(atPath: folder + "/ledger.db" + suffix)
      }
      try files.moveItem(atPath: folder + "/ledger-copy.db", toPath: folder + "/ledger.db")
      ledger = try Self.ledger(folder, reader)
      sender = try reader.sender(for: ledger)
      // A day later, and one shard takes longer to come back than the other.
      try servers[0].start()
      _ = try sender.send(now: Self.after(86_400))
      try servers[1].start()
      let outcome = try sender.send(now: Self.after(86_500))
      #expect(outcome.failures.isEmpty)
      #expect(try ledger.waitingBlocks(limit: 1).isEmpty)
      try Self.compare(store, reader, offset: 2)
    }
  }
}
