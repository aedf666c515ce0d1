import Foundation
import GRDB
public import Storage

/// The relation between a store's position and a journal.
public struct JournalConsistency: Sendable, Equatable {
  /// The journal's node; nil for a journal that was never written.
  public var node: NodeID?
  /// The sequence up to which the store has applied every record of the node; 0 before the first.
  public var applied: Int64
  /// The last sequence that the journal has assigned.
  public var last: Int64
  /// The records that the store has not applied and that are no longer in the journal.
  public var missing: [ClosedRange<Int64>]
  /// The nodes of the store that have another journal.
  public var otherNodes: [String]

  /// The number of records that wait for the digest.
  public var waiting: Int64 { max(0, last - applied) }
  /// The number of records that neither the store nor the journal has.
  public var missingCount: Int64 { missing.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }
  /// Whether the store has applied records that the journal has not yet assigned. The journal is then older than the
  /// store.
  public var isJournalOlder: Bool { applied > last }

  /// Compares the databases at two paths. It only reads.
  public static func read(journal: String, store: String) throws -> JournalConsistency {
    try DataFolderDatabase.read(journal) { queue in
      let node = try queue.read { database in
        try database.tableExists("node") ? String.fetchOne(database, sql: "SELECT id FROM node") : nil
      }
      // The position is read first, so that a running server is never ahead of its journal.
      let (applied, others) = try position(of: node, in: store)
      var coverage = JournalConsistency(
        node: node.map(NodeID.init), applied: applied, last: 0, missing: [], otherNodes: others)
      guard node != nil else { return coverage }
      try queue.read { try coverage.readBatches($0) }
      return coverage
    }
  }

  private mutating func readBatches(_ database: Database) throws {
    last = try Self.checked(
      Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'batch'") ?? 0)
    var next = applied + 1
    let rows = try Row.fetchCursor(
      database, sql: "SELECT first, through FROM batch WHERE through > ? ORDER BY through", arguments: [applied])
    while let row = try rows.next() {
      let (first, through) = (try Self.checked(row.value(0)), try Self.checked(row.value(1)))
      if first > next { missing.append(next...first - 1) }
      next = max(next, through + 1)
    }
    if next <= last { missing.append(next...last) }
  }

  /// Throws for an invalid sequence. Arithmetic on valid ones cannot overflow.
  private static func checked(_ sequence: Int64) throws -> Int64 {
    guard (0...1 << 60).contains(sequence) else { throw StoreError.damaged("the sequence \(sequence)") }
    return sequence
  }

  /// The sequence up to which every record of the node is applied, and the other nodes of the store.
  private static func position(of node: String?, in store: String) throws -> (Int64, [String]) {
    guard FileManager.default.fileExists(atPath: store) else { return (0, []) }
    return try DataFolderDatabase.read(store) { queue in
      try queue.read { database in
        guard try database.tableExists("watermark") else { return (0, []) }
        let known = try Row.fetchAll(database, sql: "SELECT node, sequence FROM watermark")
        var applied: Int64 = 0
        var others: [String] = []
        for row in known {
          let name: String = try row.value(0)
          if name == node { applied = try row.value(1) } else { others.append(name) }
        }
        if let node, try database.tableExists("behind"),
          let behind = try Int64.fetchOne(
            database, sql: "SELECT min(sequence) FROM behind WHERE node = ?", arguments: [node])
        {
          applied = min(applied, behind)
        }
        return (try checked(applied), others)
      }
    }
  }
}
