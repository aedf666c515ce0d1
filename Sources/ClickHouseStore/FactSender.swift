public import Core
import Storage
import Synchronization

/// Sends the blocks of a node's outbox to the shards, each to one of them, exactly once.
///
/// Which shard has a block does not matter to queries, so blocks go in turn to those that answer. A block that was sent to a
/// shard stays with it: until the shard says that it is not there, it may be.
public final class FactSender: Sendable {
  private let outbox: any FactOutbox
  private let shards: [Shard]
  private let stored: @Sendable () -> Void
  /// Held while blocks are sent, over the network: two senders at once would offer a block to two shards. A second caller of
  /// `send` waits for the first, a command for the server's thread; nothing else takes this lock, and `end` needs none.
  private let state = Mutex(State())

  private struct State {
    /// When the marks of shards were compared with the outbox, of those that have not failed since.
    var compared: [String: Timestamp] = [:]
    var turn = 0
  }

  /// A server with the table `facts`.
  struct Shard: Sendable {
    /// The name under which the outbox remembers it: the address.
    let name: String
    let writer: FactWriter
  }

  /// What became of the blocks that waited.
  public struct Outcome: Sendable {
    /// The number of blocks that are stored now and were not known to be before.
    public var stored = 0
    /// The number of blocks that a shard had lost, and that wait again.
    public var lost = 0
    /// Whether a shard has blocks that this ledger has not made. Then nothing is sent.
    var isBehind = false
    /// The errors of shards that failed. Blocks that were sent to them before wait for them.
    public var failures: [String: any Error] = [:]
  }

  /// How long a stored block stays in the outbox: a server that does not sync its parts loses the last ones in a power cut, and
  /// a copy of the tables has only what was stored before it. docs/scaling.md promises an hour; the rest is for a backup that
  /// takes long.
  private static let keptSeconds: Int64 = 90 * 60

  /// How often what a shard has is compared with the outbox, although it does not fail: a server may lose parts and start
  /// again between two blocks.
  private static let comparedSeconds: Int64 = 15

  private static let mostBytes = 64 << 20

  /// `stored` is called after blocks were stored.
  init(_ outbox: any FactOutbox, to shards: [Shard], stored: @escaping @Sendable () -> Void = {}) {
    self.outbox = outbox
    self.shards = shards
    self.stored = stored
  }

  /// The names of the shards.
  public var shardNames: [String] { shards.map(\.name) }

  /// Ends a `send` that runs, within about a second, and lets later ones fail. What was sent last waits, and is looked for by
  /// the next process.
  public func end() { for shard in shards { shard.writer.end() } }

  /// Sends the blocks that wait, as far as shards answer. `now`: the time that stored blocks are kept from. Throws only for
  /// errors of the outbox.
  public func send(now: Timestamp) throws -> Outcome {
    let outcome = try state.withLock { state in
      var outcome = Outcome()
      for shard in shards where state.compared[shard.name].map({ now - $0 >= Self.comparedSeconds }) ?? true {
        state.compared[shard.name] = try compare(shard, now, &outcome) ? now : nil
      }
      for block in outcome.isBehind ? [] : try outbox.waitingBlocks(limit: Self.mostBytes) {
        guard let shard = choose(for: block, &state, &outcome) else { continue }
        try outbox.assign(block.number, to: shard.name)
        do {
          try shard.writer.append(block.bytes, block.id)
        } catch {
          state.compared[shard.name] = nil
          outcome.failures[shard.name] = error
          continue
        }
        try outbox.confirm([block.number], in: shard.name, at: now)
        outcome.stored += 1
      }
      // Not of a shard that does not answer: after a restore it may lack blocks that were stored long ago.
      try outbox.forget(
        storedBefore: Timestamp(milliseconds: now.milliseconds - Self.keptSeconds * 1000),
        exceptIn: shards.map(\.name).filter { state.compared[$0] == nil })
      return outcome
    }
    if outcome.stored > 0 { stored() }
    return outcome
  }

  /// Compares what a shard has with what the outbox believes; false if the shard does not answer.
  private func compare(_ shard: Shard, _ now: Timestamp, _ outcome: inout Outcome) throws -> Bool {
    let (blocks, last) = (try outbox.blocks(), try outbox.lastBlock())
    let stored: Set<BlockID>
    do {
      stored = try shard.writer.stored(from: blocks.first?.number ?? last + 1)
    } catch {
      outcome.failures[shard.name] = error
      return false
    }
    let known = Dictionary(blocks.map { ($0.number, $0) }) { first, _ in first }
    if let other = stored.first(where: { known[$0.number] != $0 }) {
      outcome.failures[shard.name] = LedgerBehind(stored: other.number, made: last)
      outcome.isBehind = true
      return false
    }
    try outbox.confirm(stored.map(\.number), in: shard.name, at: now)
    outcome.lost += try outbox.reopen(in: shard.name, storedNow: Set(stored.map(\.number)))
    return true
  }

  /// The shard that a block goes to: its own, or the next that has not failed.
  private func choose(for block: OutboxBlock, _ state: inout State, _ outcome: inout Outcome) -> Shard? {
    if let name = block.shard, !shards.contains(where: { $0.name == name }) {
      outcome.failures[name] = UnknownShard(name: name)
      return nil
    }
    let able = shards.filter { outcome.failures[$0.name] == nil && $0.name == block.shard ?? $0.name }
    guard !able.isEmpty else { return nil }
    state.turn += 1
    return able[state.turn % able.count]
  }

  /// A shard has blocks of this ledger that the ledger has not made: it is an older copy of the one that made them.
  struct LedgerBehind: Error, CustomStringConvertible {
    let stored: Int64
    let made: Int64

    var description: String {
      """
      it has another block \(stored) of this data folder, which has made \(made): the folder is an earlier copy. Restore \
      the tables from a copy of the same time (docs/scaling.md)
      """
    }
  }

  /// Blocks were sent to a shard that is configured no longer, so that it is unknown whether they are stored.
  struct UnknownShard: Error, Sendable, CustomStringConvertible {
    let name: String

    var description: String { "blocks were sent to \(name), which is no shard any longer: it may have them" }
  }
}

extension Timestamp {
  /// The seconds between two times.
  fileprivate static func - (later: Timestamp, earlier: Timestamp) -> Int64 {
    (later.milliseconds - earlier.milliseconds) / 1000
  }
}

/// Stores a node's blocks in one ClickHouse server, a shard, each exactly once.
///
/// An insert whose answer is lost may be stored later than its client believes. Therefore blocks go through a table of their
/// own that keeps nothing, the door, from which a view passes them to `facts`. Dropping the door waits for inserts that run
/// and refuses later ones, so that afterwards the marks say what is stored and what is not. At any time there is one writer
/// of a node: opening it closes the doors of earlier ones.
final class FactWriter: Sendable {
  private let client: ClickHouseClient
  private let node: NodeID
  /// Held while a block is stored: there is one writer of a node at a time, and the next block goes through the door that
  /// this one leaves. Only `FactSender` waits for it, and `end` needs no lock.
  private let state = Mutex(State())

  private struct State {
    /// The number of the open door; nil before the first and after an insert whose outcome is unknown.
    var door: Int?
    var lastDoor = 0
  }

  /// Why a node's blocks cannot be stored.
  enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The node's name is not that of a data folder.
    case invalidNode(String)
    /// The block of this number is stored more than once.
    case storedTwice(Int64)
    /// Another block of this number is stored: one of two copies of the same data folder made it.
    case storedOther(Int64)

    var description: String {
      switch self {
      case .invalidNode(let text): "\"\(text)\" is no name of a node: 16 hexadecimal digits"
      case .storedTwice(let number): "the block \(number) is stored more than once"
      case .storedOther(let number): "another block \(number) is stored, which a copy of this data folder made"
      }
    }
  }

  init(_ client: ClickHouseClient, node: NodeID) throws(Failure) {
    guard node.text.utf8.count == 16, node.text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw .invalidNode(node.text)
    }
    self.client = client
    self.node = node
  }

  /// Ends statements that run, and refuses further ones.
  func end() { client.end() }

  /// The node's blocks that the shard has stored, from a number on. One in a part that the server has lost is missing.
  func stored(from first: Int64 = 1) throws -> Set<BlockID> {
    let rows = try client.rows(
      """
      SELECT number, user, sum(n) AS copies FROM facts
      WHERE kind = \(FactBlock.markKind) AND node = \(ClickHouseText.literal(node.text)) AND number >= \(first)
      GROUP BY number, user
      """)
    var blocks: Set<BlockID> = []
    for ((number, nonce), copies) in try zip(
      zip(rows.integers("number"), rows.integers("user")), rows.integers("copies"))
    {
      guard copies == 1 else { throw Failure.storedTwice(number) }
      blocks.insert(BlockID(number: number, nonce: UInt64(bitPattern: nonce)))
    }
    return blocks
  }

  /// Stores a block of `FactBlock.encoded`, unless the shard has stored it already. Afterwards it is stored. After an error it
  /// is unknown, and the same block must be offered again.
  func append(_ block: [UInt8], _ id: BlockID) throws {
    try state.withLock { state in
      if let door = state.door, try insert(block, through: door, &state) == nil { return }
      // The first block of this writer, or one whose outcome is unknown.
      let door = try open(&state)
      let stored = try stored(from: id.number)
      state.door = door
      if stored.contains(id) { return }
      if stored.contains(where: { $0.number == id.number }) { throw Failure.storedOther(id.number) }
      if let error = try insert(block, through: door, &state) { throw error }
    }
  }

  /// Inserts a block. Returns the error after which the outcome is unknown and the door is not used again.
  private func insert(_ block: [UInt8], through door: Int, _ state: inout State) throws -> ClickHouseError? {
    do {
      try client.insert(block, into: name(door), columns: FactBlock.columns)
      return nil
    } catch {
      guard error.mayHaveBeenStored else { throw error }
      state.door = nil
      return error
    }
  }

  /// Closes every door of the node and opens a new one.
  private func open(_ state: inout State) throws -> Int {
    let prefix = "door_\(node.text)_"
    let tables = try client.rows(
      """
      SELECT name FROM system.tables WHERE database = currentDatabase()
        AND startsWith(name, \(ClickHouseText.literal(prefix))) ORDER BY name
      """
    ).strings("name")
    // Old servers drop a table when the last statement that uses it has ended; newer ones only if asked to.
    let sync = try client.version().lexicographicallyPrecedes([20, 10]) ? "" : " SYNC"
    for table in tables where !table.hasSuffix(Self.view) { try client.execute("DROP TABLE IF EXISTS \(table)\(sync)") }
    for table in tables where table.hasSuffix(Self.view) { try client.execute("DROP TABLE IF EXISTS \(table)\(sync)") }
    let used = tables.compactMap { Int($0.dropFirst(prefix.count).prefix(while: \.isNumber)) }.max() ?? 0
    state.lastDoor = max(used, state.lastDoor) + 1
    let door = name(state.lastDoor)
    try client.execute("CREATE TABLE \(door) AS facts ENGINE = Null")
    try client.execute("CREATE MATERIALIZED VIEW \(door)\(Self.view) TO facts AS SELECT * FROM \(door)")
    return state.lastDoor
  }

  private func name(_ door: Int) -> String { "door_\(node.text)_\(door)" }

  private static let view = "_view"
}
