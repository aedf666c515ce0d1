import Foundation
import GRDB
public import Storage

/// How a store's position and a journal fit together.
public struct JournalCoverage: Sendable, Equatable {
  /// The journal's node; nil for a journal that was never written to.
  public var node: NodeID?
  /// The sequence up to which the store has applied every record of the node; 0 before the first.
  public var applied: Int64
  /// The last sequence that the journal has assigned.
  public var last: Int64
  /// The oldest record in the journal; nil when it holds none.
  public var oldest: Int64?
  /// The records that the store has not applied and the journal no longer has.
  public var missing: [ClosedRange<Int64>]
  /// Nodes of the store whose journal is another one.
  public var otherNodes: [String]

  /// The number of records that wait for the digest.
  public var waiting: Int64 { max(0, last - applied) }
  /// The number of records that neither has.
  public var missingCount: Int64 { missing.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }
  /// Whether the store has applied records that the journal has not assigned yet: it is of before them.
  public var isJournalOlder: Bool { applied > last }

  /// Compares the databases at two paths. Only reads.
  public static func read(journal: String, store: String) throws -> JournalCoverage {
    try DatabaseFile.read(journal) { queue in
      let (node, last) = try queue.read { database in
        guard try database.tableExists("batch") else { return (String?.none, Int64(0)) }
        return (
          try String.fetchOne(database, sql: "SELECT id FROM node"),
          try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'batch'") ?? 0
        )
      }
      let (applied, others) = try position(of: node, in: store)
      var coverage = JournalCoverage(
        node: node.map(NodeID.init), applied: applied, last: last, oldest: nil, missing: [], otherNodes: others)
      guard node != nil else { return coverage }
      try queue.read { try coverage.readBatches($0) }
      return coverage
    }
  }

  private mutating func readBatches(_ database: Database) throws {
    oldest = try Int64.fetchOne(database, sql: "SELECT first FROM batch ORDER BY through LIMIT 1")
    var next = applied + 1
    let rows = try Row.fetchCursor(
      database, sql: "SELECT first, through FROM batch WHERE through > ? ORDER BY through", arguments: [applied])
    while let row = try rows.next() {
      let (first, through): (Int64, Int64) = (try row.value(0), try row.value(1))
      if first > next { missing.append(next...first - 1) }
      next = max(next, through + 1)
    }
    if next <= last { missing.append(next...last) }
  }

  /// The sequence up to which every record of the node is applied, and the other nodes of the store.
  private static func position(of node: String?, in store: String) throws -> (Int64, [String]) {
    guard FileManager.default.fileExists(atPath: store) else { return (0, []) }
    return try DatabaseFile.read(store) { queue in
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
        return (applied, others)
      }
    }
  }
}
