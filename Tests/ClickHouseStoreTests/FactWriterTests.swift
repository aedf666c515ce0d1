import ClickHouseServer
import Foundation
import Testing
import TestSupport

@testable import ClickHouseStore
@testable import Core
@testable import Storage

@Suite(
  "A node's blocks in a real ClickHouse", .serialized,
  .enabled(if: ClickHouseServer.Engine.installed.contains(.server), "`make test-packages` installs Debian's server"))
struct FactWriterTests {
  private static let node = NodeID("0123456789abcdef")
  private static let query = RowQuery(
    app: 1, slice: Slice(), window: Window(days: 1, endingOn: MadeUp.firstDay), metrics: ["taps"])

  private static func id(_ number: Int64) -> BlockID { BlockID(number: number, nonce: UInt64(number) &* 77) }

  /// A block of `count` cells, each with one tap.
  private static func block(_ number: Int64, cells count: Int = 1, node: NodeID = node) -> [UInt8] {
    var block = FactBlock()
    for index in 0..<count {
      let key = CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: "\(index)"), os: "iOS", model: "m"
      )
      let taps = SeriesDelta(
        metric: .custom(name: "taps", unit: .count, kind: .counter), label: "",
        aggregate: .counter(CounterSum(steps: 1, payloads: 1)))
      let cell = CellDelta(
        key: key, bin: TimeBin(MadeUp.firstDay), series: [taps], received: Timestamp(milliseconds: 0))
      for fact in cell.facts { block.add(fact) }
    }
    return block.encoded(id(number), of: node, received: MadeUp.firstDay)
  }

  private static func taps(_ client: ClickHouseClient) throws -> Int64 {
    try FactReader(client, today: MadeUp.firstDay + 27).rows([query])[0].reduce(0) { sum, row in
      guard case .counter(let counter) = row.aggregate else { return sum }
      return sum + counter.steps
    }
  }

  @Test("a node's blocks are stored once in ClickHouse, in any order and however often they are sent")
  func once() throws {
    let server = try ClickHouseServer()
    let client = server.client()
    try FactMigrations.migrate(client)
    let writer = try FactWriter(client, node: Self.node)
    #expect(try writer.stored() == [])
    try writer.append(Self.block(1), Self.id(1))
    try writer.append(Self.block(3), Self.id(3))
    // A new process offers what it does not know to be stored, and what is missing between.
    let restarted = try FactWriter(client, node: Self.node)
    try restarted.append(Self.block(1), Self.id(1))
    try restarted.append(Self.block(2), Self.id(2))
    #expect(try restarted.stored() == [Self.id(1), Self.id(2), Self.id(3)])
    #expect(try restarted.stored(from: 3) == [Self.id(3)])
    #expect(try Self.taps(client) == 3)
    // The door of the first process is closed: what it sends now is refused, and asked for.
    // A copy of the node draws another number for its block.
    let other = BlockID(number: 3, nonce: 1)
    let late = #expect(throws: FactWriter.Failure.self) { try writer.append(Self.block(3), other) }
    #expect(late == .storedOther(3))
    #expect(try Self.taps(client) == 3)
    let doors = try client.rows("SELECT name FROM system.tables WHERE startsWith(name, 'door_')").strings("name")
    #expect(doors.count == 2, "\(doors)")
    withExtendedLifetime(server) {}
  }

  @Test("blocks of two nodes in ClickHouse are independent")
  func nodes() throws {
    let server = try ClickHouseServer()
    let client = server.client()
    try FactMigrations.migrate(client)
    let other = NodeID("fedcba9876543210")
    try FactWriter(client, node: Self.node).append(Self.block(1), Self.id(1))
    try FactWriter(client, node: other).append(Self.block(1, node: other), Self.id(1))
    #expect(try Self.taps(client) == 2)
    for name in ["", "x", "0123456789abcdeg", "0123456789abcde'"] {
      #expect(throws: FactWriter.Failure.invalidNode(name)) { try FactWriter(client, node: NodeID(name)) }
    }
    withExtendedLifetime(server) {}
  }

  @Test("a node's blocks are still recognised after ClickHouse merged and added them up")
  func merged() throws {
    let server = try ClickHouseServer()
    let client = server.client()
    try FactMigrations.migrate(client)
    let writer = try FactWriter(client, node: Self.node)
    for batch in Int64(1)...30 { try writer.append(Self.block(batch), Self.id(batch)) }
    try client.execute("OPTIMIZE TABLE facts FINAL")
    #expect(try writer.stored() == Set((1...30).map(Self.id)))
    #expect(try Self.taps(client) == 30)
    withExtendedLifetime(server) {}
  }

  @Test("a part that is lost on a ClickHouse disk is reported as missing and stored again")
  func lostPart() throws {
    let server = try ClickHouseServer()
    let client = server.client()
    try FactMigrations.migrate(client)
    let writer = try FactWriter(client, node: Self.node)
    for batch in Int64(1)...3 { try writer.append(Self.block(batch), Self.id(batch)) }
    let parts = try client.rows(
      "SELECT name FROM system.parts WHERE table = 'facts' AND active ORDER BY min_block_number"
    ).strings("name")
    server.kill()
    try #require(parts.count == 3, "a merge was quicker than the test")
    try FileManager.default.removeItem(atPath: "\(server.folder)/data/data/default/facts/\(parts[1])")
    try server.start()
    let again = try FactWriter(client, node: Self.node)
    #expect(try again.stored() == [Self.id(1), Self.id(3)])
    #expect(try Self.taps(client) == 2)
    try again.append(Self.block(2), Self.id(2))
    #expect(try again.stored() == [Self.id(1), Self.id(2), Self.id(3)] && Self.taps(client) == 3)
  }

  /// The block has more than what fits into the buffers of sockets, and less than what the server splits.
  @Test("a block is complete or missing if ClickHouse is killed while storing it, and is stored once afterwards")
  func kills() throws {
    let server = try ClickHouseServer()
    let client = server.client()
    try FactMigrations.migrate(client)
    let cells = 2_000
    var random = SeededRandom(seed: 5)
    var outcomes: [Bool: Int] = [:]
    for batch in Int64(1)...4 {
      let block = Self.block(batch, cells: cells)
      let delay = UInt32.random(in: 0...150_000, using: &random)
      let killer = Thread {
        usleep(delay)
        server.kill()
      }
      killer.start()
      let isStored = (try? FactWriter(client, node: Self.node).append(block, Self.id(batch))) != nil
      outcomes[isStored, default: 0] += 1
      while !killer.isFinished { usleep(1_000) }
      try server.start()
      let taps = try Self.taps(client)
      let known = try FactWriter(client, node: Self.node).stored()
      // Whole or missing, and as its mark says; what was acknowledged is there.
      #expect(taps == Int64(known.count * cells) && (!isStored || known.contains(Self.id(batch))))
      try FactWriter(client, node: Self.node).append(block, Self.id(batch))
      #expect(try Self.taps(client) == batch * Int64(cells))
    }
  }
}
