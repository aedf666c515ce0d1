public import Core
import GRDB
public import Storage

/// The relay on the primary: it stores each record of ingest nodes once.
extension SQLiteJournal {
  /// Appends the records of a node between its sequences `after` and `through`. Keys, records and the node's position
  /// change in one transaction, which is on disk when this returns. Repeated records do not match the stored position
  /// and change nothing.
  ///
  /// `acknowledged`: the epoch whose primary acknowledged the records up to `after`. If it was an earlier one, and the
  /// node is unknown, that primary was lost before its standby had any record of the node.
  public func take(
    _ requests: [PendingRecords], of node: NodeID, named name: String, after: Int64, through: Int64, at now: Timestamp,
    acknowledged: Int64 = .max
  ) throws -> RelayOutcome {
    try Connections.naming(path) {
      try writer.write { database in
        try admission.check()
        let table = NodeTable(database)
        let known = try table.position(of: node)
        if let known, known != after { return .elsewhere(position: known) }
        if try known == nil && after > 0 && acknowledged < Self.epoch(database).number {
          return .elsewhere(position: 0)
        }
        guard try known != nil || table.count() < IngestNode.most else { return .tooManyNodes }
        // A node with nothing to send causes no write.
        if known != nil, through == after {
          return .taken(position: through, batch: nil, repeated: [], isNewNode: false)
        }
        let appended = try append(requests, after: try Self.lastSequence(in: database), in: database)
        try receipts.bound(requests.filter { $0.receipt != nil }.map(\.app), in: database)
        try table.store(IngestNode(id: node, name: name, position: through, heard: now))
        if let batch = appended.batch { try table.note(node, at: through, in: batch) }
        let repeated = zip(requests, appended.outcomes).compactMap { records, outcome in
          if case .duplicate(let isReused) = outcome { (records, isReused) } else { nil }
        }
        return .taken(position: through, batch: appended.batch, repeated: repeated, isNewNode: known == nil)
      }
    }
  }

  /// The ingest nodes, by name.
  public func ingestNodes() throws -> [IngestNode] {
    try Connections.naming(path) { try reader.read { try NodeTable($0).nodes() } }
  }

  /// Deletes the stored position of a node. Returns false if it is unknown. If the node returns, it continues from its
  /// own position.
  public func forget(_ node: NodeID) throws -> Bool {
    try Connections.naming(path) { try writer.write { try NodeTable($0).forget(node) } }
  }
}

/// The table `ingest_node`.
struct NodeTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The sequence up to which the records of a node are stored here; nil for an unknown node.
  func position(of node: NodeID) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT position FROM ingest_node WHERE id = ?")
    return try Int64.fetchOne(statement, arguments: [node.text])
  }

  func count() throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM ingest_node") ?? 0 }

  func nodes() throws -> [IngestNode] {
    try Row.fetchAll(database, sql: "SELECT id, name, position, heard FROM ingest_node ORDER BY name, id").map { row in
      IngestNode(
        id: NodeID(try row.value(0)), name: try row.value(1), position: try row.value(2),
        heard: Timestamp(milliseconds: try row.value(3)))
    }
  }

  func store(_ node: IngestNode) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO ingest_node (id, name, position, heard) VALUES (?, ?, ?, ?)")
    try statement.execute(arguments: [node.id.text, node.name, node.position, node.heard.milliseconds])
  }

  /// Stores a node's position beside the batch that has its records, for standbys.
  func note(_ node: NodeID, at position: Int64, in batch: JournalBatch) throws {
    let statement = try database.cachedStatement(
      sql: "UPDATE batch SET node = ?, node_position = ? WHERE through = ?")
    try statement.execute(arguments: [node.text, position, batch.through])
  }

  func forget(_ node: NodeID) throws -> Bool {
    try database.execute(sql: "DELETE FROM ingest_node WHERE id = ?", arguments: [node.text])
    return database.changesCount > 0
  }

  func forgetAll() throws { try database.execute(sql: "DELETE FROM ingest_node") }
}
