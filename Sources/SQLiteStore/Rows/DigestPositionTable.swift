import GRDB
import Storage

/// The tables `watermark` and `behind`: the position up to which the records of each node are applied.
struct DigestPositionTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func position(of node: NodeID) throws -> DigestPosition {
    let through = try Int64.fetchOne(
      database, sql: "SELECT sequence FROM watermark WHERE node = ?", arguments: [node.text])
    let rows = try Row.fetchAll(
      database, sql: "SELECT app, sequence FROM behind WHERE node = ?", arguments: [node.text])
    return DigestPosition(
      through: through ?? 0,
      behind: try rows.reduce(into: [:]) { behind, row in behind[try row.value(0)] = try row.value(1, as: Int64.self) }
    )
  }

  /// Throws if a batch does not start at the store's position.
  func check(_ batch: DigestedBatch) throws {
    let stored = try position(of: batch.node)
    guard batch.from == stored.through + 1, batch.through >= stored.through, batch.behindBefore == stored.behind else {
      throw StoreError.notContiguous(expected: stored.through + 1, offered: batch.from)
    }
  }

  func advance(_ batch: DigestedBatch) throws {
    try database.execute(
      sql: "INSERT INTO watermark VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence",
      arguments: [batch.node.text, batch.through])
    guard batch.behind != batch.behindBefore else { return }
    try database.execute(sql: "DELETE FROM behind WHERE node = ?", arguments: [batch.node.text])
    for (app, sequence) in batch.behind {
      try database.execute(
        sql: "INSERT INTO behind (node, app, sequence) VALUES (?, ?, ?)", arguments: [batch.node.text, app, sequence])
    }
  }
}
