import ClickHouseServer
import Testing
import TestSupport

@testable import ClickHouseStore
@testable import Core
@testable import Statistics
@testable import Storage

@Suite(
  "Users in a real ClickHouse", .serialized,
  .enabled(if: !ClickHouseServer.Engine.installed.isEmpty, "`make test-packages` installs Debian's server"))
struct FactUserTests {
  @Test(
    "users in a real ClickHouse equal the sets that SQLite stores, exactly and as sketches",
    arguments: ClickHouseServer.Engine.installed)
  func sets(engine: ClickHouseServer.Engine) throws {
    let server = try ClickHouseServer(engine)
    let client = server.client()
    try FactMigrations.migrate(client)
    let node = NodeID("0123456789abcdef")
    let writer = try FactWriter(client, node: node)
    var random = SeededRandom(seed: 9)
    let counts = [0: 3, 1: UserSet.exactLimit, 2: UserSet.exactLimit + 1, 3: 20_000]
    var expected: [CalendarDay: UserTally] = [:]
    var block = FactBlock()
    for (offset, count) in counts {
      let day = MadeUp.firstDay + offset
      let users = (0..<count).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
      let leaving = (0..<50).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
      expected[day] = UserTally(all: UserSet(users), crashed: UserSet(users.prefix(count / 3)))
      func add(_ users: some Sequence<UInt64>, _ set: Fact.UserSetName, _ change: Int64) {
        for user in users {
          block.add(
            Fact(
              scope: Self.scope, metric: .known(Catalogue.users), source: .sentry, bin: TimeBin(day),
              change: .member(user: user, of: set, by: change)))
        }
      }
      add(users, .all, 1)
      add(users.prefix(count / 3), .crashed, 1)
      // Twice known, as after the ledger forgot a session; and users who left again.
      add(users.prefix(2), .all, 1)
      add(leaving, .all, 1)
      add(leaving, .all, -1)
    }
    try writer.append(
      block.encoded(BlockID(number: 1, nonce: 1), of: node, received: MadeUp.firstDay), BlockID(number: 1, nonce: 1))
    for _ in 0..<2 {
      let rows = try FactReader(client, today: MadeUp.firstDay + 27).rows([
        RowQuery(app: 1, slice: Slice(), window: Window(from: MadeUp.firstDay, to: MadeUp.firstDay + 27))
      ])[0]
      #expect(rows.count == counts.count)
      for row in rows {
        #expect(row.metric == .known(Catalogue.users) && row.source == .sentry)
        #expect(row.aggregate == expected[row.bin.day].map { .users($0) })
      }
      try client.execute("OPTIMIZE TABLE facts FINAL")
    }
    withExtendedLifetime(server) {}
  }

  private static let scope = FactScope(
    .all, app: 1, environment: "production", release: Release(version: ""), os: "", model: "", deviceClass: "",
    attributes: [])
}
