public import Core
import Foundation
import GRDB
public import Storage

/// The relay of an ingest node: its stored state, and the records after a position.
extension SQLiteJournal {
  /// The node's relay state; nil before its first contact with the primary.
  public func relayState() throws -> RelayState? {
    try Connections.naming(path) { try reader.read { try RelayTable($0).state() } }
  }

  /// Starts or continues the relay. From then on the journal belongs to an ingest node.
  public func openRelay() throws -> RelayState {
    try Connections.naming(path) {
      try writer.write { database in
        let table = RelayTable(database)
        let last = try Self.lastSequence(in: database)
        var state = try table.state() ?? RelayState(identity: node, position: 0, opened: last, setAside: 0)
        // The value stays until the primary has responded: records that arrive before that, also after a restart, are
        // new.
        state.opened = min(state.opened ?? last, last)
        try table.store(state)
        return state
      }
    }
  }

  /// Stores the node's relay state.
  public func store(_ state: RelayState) throws {
    try Connections.naming(path) { try writer.write { try RelayTable($0).store(state) } }
  }

  /// The parts after `position`: at least one if there are any, then more up to `limit` bytes of records.
  public func parts(after position: Int64, limit: Int) throws -> RelayParts {
    try Connections.naming(path) {
      try reader.read { database in
        var collector = PartCollector(after: position, limit: limit)
        let statement = try database.cachedStatement(
          sql: """
            SELECT first, count, records, dictionary, through, requests, received FROM batch WHERE through > ?
            ORDER BY through
            """)
        let rows = try Row.fetchCursor(statement, arguments: [position])
        var isOpen = true
        while isOpen, let row = try rows.next() {
          let batch = try batch(row, after: collector.through)
          let list = try row.withUnsafeData(atIndex: 5) { data in
            (data ?? Data()).withUnsafeBytes { BatchRequestList($0, total: batch.count) }
          }
          let received = Timestamp(milliseconds: (try? row.value(6, as: Int64.self)) ?? 0)
          isOpen = collector.add(batch, list, received)
        }
        if isOpen { collector.fill(through: try Self.lastSequence(in: database)) }
        return RelayParts(parts: collector.parts, through: collector.through)
      }
    }
  }
}

/// The table `relay`.
struct RelayTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Whether the journal belongs to an ingest node.
  static func isThere(in database: Database) throws -> Bool {
    try Int.fetchOne(database, sql: "SELECT 1 FROM relay") != nil
  }

  func state() throws -> RelayState? {
    guard let row = try Row.fetchOne(database, sql: "SELECT identity, position, opened, set_aside FROM relay") else {
      return nil
    }
    return RelayState(
      identity: NodeID(try row.value(0)), position: try row.value(1), opened: try row.value(2, as: Int64?.self),
      setAside: try row.value(3))
  }

  func store(_ state: RelayState) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO relay (only, identity, position, opened, set_aside) VALUES (1, ?, ?, ?, ?)",
      arguments: [state.identity.text, state.position, state.opened, state.setAside])
  }
}

/// The error for a command that digests records if it is given an ingest node's folder.
struct NodeJournalError: Error, CustomStringConvertible {
  let path: String

  var description: String {
    "\(path) is an ingest node's journal, which its primary digests. Start the node with `plumb ingest`."
  }
}

/// A collector that divides batches into parts along their requests.
private struct PartCollector {
  private(set) var parts: [RelayPart] = []
  private(set) var through: Int64
  private let limit: Int
  private var bytes = 0

  /// The maximum number of parts that are read at once.
  private static let mostParts = 20_000
  /// The approximate size at which records without keys are divided, in bytes.
  private static let portion = 1 << 20

  init(after position: Int64, limit: Int) { (through, self.limit) = (position, limit) }

  /// Marks the sequences up to `last` as missing.
  mutating func fill(through last: Int64) {
    guard last > through else { return }
    parts.append(.missing(Int(last - through)))
    through = last
  }

  /// Adds the parts of a batch; returns false if the limit is reached.
  mutating func add(_ batch: JournalBatch, _ list: BatchRequestList, _ received: Timestamp) -> Bool {
    fill(through: batch.first - 1)
    guard batch.damaged.isEmpty, batch.isSeparable else {
      fill(through: batch.through)
      return true
    }
    return batch.records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      var next = batch.first
      for entry in list.entries {
        let end = next + Int64(entry.count)
        while next < end {
          let start = reader
          let isWhole = entry.keyed != nil
          var count = 0
          while next < end, isWhole || start.remaining - reader.remaining < Self.portion {
            if (try? reader.slice()) == nil { return true }
            next += 1
            count += 1
            // The beginning of the batch may already be relayed.
            if next - 1 == through { break }
          }
          guard next - 1 > through else { continue }
          let size = start.remaining - reader.remaining
          guard parts.isEmpty || (bytes + size <= limit && parts.count < Self.mostParts) else { return false }
          let from = buffer.count - start.remaining
          let keyed = entry.keyed.flatMap { count == entry.count ? $0 : nil }
          parts.append(
            .records(
              PendingRecords(
                app: keyed?.app ?? 0, bytes: Array(buffer[from..<from + size]), count: count, receipt: keyed?.receipt,
                received: keyed?.received ?? received)))
          bytes += size
          through = next - 1
        }
      }
      return true
    }
  }
}

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
