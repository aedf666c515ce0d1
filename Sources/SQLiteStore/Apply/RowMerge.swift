import GRDB
import Storage

/// Rows that are added to others of their table, of which one that is damaged does not stop the rest.
struct RowMerge {
  private let table: String
  private var sums: [Sum] = []

  private typealias Sum = (key: RowKey, aggregate: Aggregate, received: Int)

  init(table: String) { self.table = table }

  mutating func add(_ aggregate: Aggregate, to key: RowKey, received: Int) { sums.append((key, aggregate, received)) }

  /// Adds them to what is there. Returns rows that were damaged and are replaced: they could not be read before.
  @discardableResult func write(to database: Database) throws -> [RowKey] {
    if try isWritten(batch(sums), to: database) { return [] }
    var damaged: [RowKey] = []
    for sum in sums where try !isWritten(batch([sum]), to: database) {
      try database.execute(
        sql: """
          DELETE FROM \(table)
          WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?
          """, arguments: sum.key.arguments)
      try batch([sum]).write(to: database)
      damaged.append(sum.key)
    }
    return damaged
  }

  private func batch(_ sums: [Sum]) -> RowBatch {
    sums.reduce(into: RowBatch(table: table)) { $0.add($1.aggregate, to: $1.key, received: $1.received) }
  }

  private func isWritten(_ batch: RowBatch, to database: Database) throws -> Bool {
    do {
      try database.inSavepoint {
        try batch.write(to: database)
        return .commit
      }
      return true
    } catch StoreError.damaged {
      return false
    }
  }
}
