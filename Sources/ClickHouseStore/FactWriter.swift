import Storage
import Synchronization

/// A writer that stores a node's blocks in one ClickHouse server, each exactly once.
///
/// An insert may be stored after its client has given up on the response. Therefore blocks go through a separate table
/// that stores nothing, the door, and a view passes them on to `facts`. Dropping the door waits for running inserts and
/// rejects later ones. Afterwards the marks show exactly which blocks are stored. A node has one writer at a time:
/// opening a writer closes the doors of earlier ones.
final class FactWriter: Sendable {
  private let client: ClickHouseClient
  private let node: NodeID
  /// Held while a block is stored: a node has one writer at a time, and the next block needs the door of this one. Only
  /// `FactSender` waits for it; `end` does not need the lock.
  private let state = Mutex(State())

  private struct State {
    /// The number of the open door; nil before the first one and after an insert whose outcome is unknown.
    var door: Int?
    var lastDoor = 0
  }

  /// The reason why a node's blocks cannot be stored.
  enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The node's name is not the name of a data folder.
    case invalidNode(String)
    /// The block of this number is stored more than once.
    case storedTwice(Int64)
    /// A different block with this number is stored. It was created by a copy of the data folder.
    case storedOther(Int64)

    var description: String {
      switch self {
      case .invalidNode(let text): "\"\(text)\" is not a node name: expected 16 hexadecimal digits"
      case .storedTwice(let number): "block \(number) is stored more than once"
      case .storedOther(let number): "a different block \(number) is stored, which a copy of this data folder created"
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

  /// Ends running statements and rejects further ones.
  func end() { client.end() }

  /// The node's blocks in the shard from a number on. Blocks in a part that the server has lost are missing.
  func stored(from first: Int64 = 1) throws -> Set<BlockID> {
    let rows = try client.rows(
      """
      SELECT number, user, sum(n) AS copies FROM facts
      WHERE kind = \(FactBlock.markKind) AND node = \(ClickHouseQuoting.literal(node.text)) AND number >= \(first)
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

  /// Stores a block of `FactBlock.encoded` unless the shard has already stored it. After an error the outcome is
  /// unknown, and the same block must be appended again.
  func append(_ block: [UInt8], _ id: BlockID) throws {
    try state.withLock { state in
      if let door = state.door, try insert(block, through: door, &state) == nil { return }
      // This is the first block of the writer, or the outcome of the previous insert is unknown.
      let door = try open(&state)
      let stored = try stored(from: id.number)
      state.door = door
      if stored.contains(id) { return }
      if stored.contains(where: { $0.number == id.number }) { throw Failure.storedOther(id.number) }
      if let error = try insert(block, through: door, &state) { throw error }
    }
  }

  /// Inserts a block. Returns an error if the outcome is unknown; the door is then not used again.
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
        AND startsWith(name, \(ClickHouseQuoting.literal(prefix))) ORDER BY name
      """
    ).strings("name")
    // Old servers drop a table when the last statement that uses it has ended; newer ones do so only with SYNC.
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
