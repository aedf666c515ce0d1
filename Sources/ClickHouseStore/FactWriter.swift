import Storage
import Synchronization

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
