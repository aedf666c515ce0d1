import GRDB

/// The three statements that intern one kind of string.
struct InternTable {
  let find: String
  let count: String
  let insert: String

  func id(
    _ identity: StatementArguments, extra: StatementArguments = [], other: StatementArguments, cap: Int,
    countOf: StatementArguments, in database: Database, capped: () -> Void
  ) throws -> Int64 {
    if let known = try Int64.fetchOne(database.cachedStatement(sql: find), arguments: identity) { return known }
    let count = try Int.fetchOne(database.cachedStatement(sql: count), arguments: countOf) ?? 0
    guard count < cap else {
      capped()
      if let known = try Int64.fetchOne(database.cachedStatement(sql: find), arguments: other) { return known }
      return try insert(other + extra, in: database)
    }
    return try insert(identity + extra, in: database)
  }

  private func insert(_ arguments: StatementArguments, in database: Database) throws -> Int64 {
    try database.cachedStatement(sql: insert).execute(arguments: arguments)
    return database.lastInsertedRowID
  }
}
