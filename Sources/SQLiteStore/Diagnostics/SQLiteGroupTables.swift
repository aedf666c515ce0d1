import Core
import Foundation
import GRDB
import Ingest
import Storage

/// The tables `diagnostic_group`, `signature` and `own_binary`, as needed by the grouping rules.
struct SQLiteGroupTables: GroupRows {
  private let database: Database

  init(_ database: Database) { self.database = database }

  // MARK: Groups

  func groupID(of fingerprint: UInt64, app: AppID) throws -> Int64? {
    let find = try database.cachedStatement(sql: "SELECT id FROM diagnostic_group WHERE app = ? AND fingerprint = ?")
    return try Int64.fetchOne(find, arguments: [app, Int64(bitPattern: fingerprint)])
  }

  func group(_ id: Int64) throws -> GroupRow? {
    let find = try database.cachedStatement(
      sql: "SELECT fingerprint, successor, symbolic, prefixes FROM diagnostic_group WHERE id = ?")
    return try Row.fetchOne(find, arguments: [id]).map { row in
      GroupRow(
        fingerprint: UInt64(bitPattern: try row.value(0)), successor: try row.value(1), isSymbolic: try row.value(2),
        prefixes: Self.hashes(in: try row.value(3)))
    }
  }

  func insertGroup(_ fingerprint: Fingerprint, app: AppID) throws -> Int64 {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO diagnostic_group (app, fingerprint, version, kind, exception, place, binary, symbolic, cut, prefixes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try insert.execute(arguments: [
      app, Int64(bitPattern: fingerprint.hash), fingerprint.version, Int(fingerprint.kind.rawValue),
      fingerprint.exception, fingerprint.place, fingerprint.binary, fingerprint.isSymbolic, fingerprint.isCut,
      Self.data(of: fingerprint.prefixes),
    ])
    return database.lastInsertedRowID
  }

  func setSuccessor(_ successor: Int64?, of group: Int64) throws {
    try database.cachedStatement(sql: "UPDATE diagnostic_group SET successor = ? WHERE id = ?")
      .execute(arguments: [successor, group])
  }

  func markCut(_ group: Int64) throws {
    try database.cachedStatement(sql: "UPDATE diagnostic_group SET cut = 1 WHERE id = ? AND cut = 0")
      .execute(arguments: [group])
  }

  func currentGroups(of app: AppID, version: Int) throws -> [(fingerprint: Fingerprint, count: Int)] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT fingerprint, cut, prefixes,
          (SELECT sum(count) FROM signature_life JOIN signature ON signature.id = signature_life.signature
            WHERE signature.member = diagnostic_group.id)
        FROM diagnostic_group WHERE app = ? AND successor IS NULL AND version = ?
        """, arguments: [app, version])
    var found: [(fingerprint: Fingerprint, count: Int)] = []
    while let row = try rows.next() {
      let fingerprint = Fingerprint(
        hash: UInt64(bitPattern: try row.value(0)), prefixes: Self.hashes(in: try row.value(2)),
        isCut: try row.value(1))
      found.append((fingerprint, row.count(3)))
    }
    return found
  }

  func appsWithCutGroups() throws -> [AppID] {
    try AppID.fetchAll(
      database, sql: "SELECT DISTINCT app FROM diagnostic_group WHERE cut = 1 AND successor IS NULL")
  }

  func diagnosticCount(ofGroup group: Int64) throws -> Int {
    let count = try database.cachedStatement(
      sql: """
        SELECT coalesce(sum(count), 0) FROM signature_life JOIN signature ON signature.id = signature_life.signature
        WHERE signature.member = ?
        """)
    return try Int.fetchOne(count, arguments: [group]) ?? 0
  }

  /// The stored form of hashes: eight bytes each, big-endian.
  private static func data(of hashes: [UInt64]) -> Data {
    Data(
      hashes.flatMap { hash in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: hash >> UInt64($0)) }
      })
  }

  private static func hashes(in data: Data) -> [UInt64] {
    let bytes = [UInt8](data)
    return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
  }

  // MARK: Signatures

  func anySignature(of group: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT id FROM signature WHERE member = ? LIMIT 1"), arguments: [group])
  }

  func hasSignatures(_ group: Int64) throws -> Bool { try anySignature(of: group) != nil }

  func forEachStack(of group: Int64, limit: Int, _ body: (NormalizedStack) throws -> Bool) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(sql: "SELECT stem FROM signature WHERE member = ? ORDER BY id DESC LIMIT ?"),
      arguments: [group, limit])
    while let row = try rows.next() {
      guard let stack = NormalizedStack(encoded: [UInt8](try row.value(0, as: Data.self)), title: "") else { continue }
      if try !body(stack) { return }
    }
  }

  func signatures(generations: [ClosedRange<Int>], limit: Int) throws -> [StoredSignature] {
    let range =
      "SELECT id, app, member, exception, stem, generation FROM signature WHERE generation BETWEEN ? AND ?"
    let sql = generations.map { _ in range }.joined(separator: " UNION ALL ") + " LIMIT ?"
    let bounds = generations.flatMap { [$0.lowerBound, $0.upperBound] }
    return try Row.fetchAll(database, sql: sql, arguments: StatementArguments(bounds + [limit])).map(Self.signature)
  }

  private static func signature(_ row: Row) throws -> StoredSignature {
    StoredSignature(
      id: try row.value(0), app: try row.value(1), group: try row.value(2), generation: try row.value(5),
      stack: NormalizedStack(encoded: [UInt8](try row.value(4, as: Data.self)), title: try row.value(3)))
  }

  func isStored(_ signature: StoredSignature) throws -> Bool {
    let find = try database.cachedStatement(
      sql: "SELECT id, app, member, exception, stem, generation FROM signature WHERE id = ?")
    return try Row.fetchOne(find, arguments: [signature.id]).map(Self.signature) == signature
  }

  func update(_ signature: Int64, group: Int64, generation: Int, stack: NormalizedStack?) throws {
    try database.cachedStatement(
      sql: "UPDATE signature SET member = ?, generation = ?, stem = coalesce(?, stem) WHERE id = ?"
    ).execute(arguments: [group, generation, stack.map { Data($0.encoded()) }, signature])
  }

  func moveSignatures(from group: Int64, to other: Int64) throws -> Int {
    try database.cachedStatement(sql: "UPDATE signature SET member = ? WHERE member = ?")
      .execute(arguments: [other, group])
    return database.changesCount
  }

  func setGeneration(_ generation: Int, whereGeneration old: Int?, app: AppID?) throws {
    var conditions: [String] = []
    var arguments: StatementArguments = [generation]
    if let old {
      conditions.append("generation = ?")
      arguments += [old]
    }
    if let app {
      conditions.append("app = ?")
      arguments += [app]
    }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    try database.execute(sql: "UPDATE signature SET generation = ?" + filter, arguments: arguments)
  }

  func diagnosticCount(ofSignature signature: Int64) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT coalesce(sum(count), 0) FROM signature_life WHERE signature = ?"),
      arguments: [signature]) ?? 0
  }

  // MARK: Own binaries

  func ownBinaries() throws -> [AppID: Set<String>] {
    try Row.fetchAll(database, sql: "SELECT app, name FROM own_binary").reduce(into: [:]) { found, row in
      found[try row.value(0), default: []].insert(try row.value(1))
    }
  }

  func ownBinaries(of app: AppID) throws -> Set<String> {
    try Set(
      String.fetchAll(
        database.cachedStatement(sql: "SELECT name FROM own_binary WHERE app = ?"), arguments: [app]))
  }

  func setOwnBinaries(_ names: Set<String>, of app: AppID) throws {
    try database.execute(sql: "DELETE FROM own_binary WHERE app = ?", arguments: [app])
    for name in names.sorted() {
      try database.execute(sql: "INSERT INTO own_binary VALUES (?, ?)", arguments: [app, name])
    }
  }

  // MARK: Retention

  /// Deletes a group without signatures, and the groups whose chain of successors ends there. If the group has a
  /// successor, its predecessors get that successor.
  func discard(_ group: Int64) throws {
    var waiting = [group]
    while let next = waiting.popLast() {
      guard try !hasSignatures(next) else { continue }
      if let successor = try self.group(next)?.successor {
        try database.cachedStatement(sql: "UPDATE diagnostic_group SET successor = ? WHERE successor = ? AND id <> ?")
          .execute(arguments: [successor, next, successor])
      } else {
        waiting += try Int64.fetchAll(
          database.cachedStatement(sql: "SELECT id FROM diagnostic_group WHERE successor = ? AND id <> successor"),
          arguments: [next])
        try database.cachedStatement(sql: "UPDATE diagnostic_group SET successor = NULL WHERE successor = ?")
          .execute(arguments: [next])
      }
      try database.cachedStatement(sql: "DELETE FROM diagnostic_group WHERE id = ?").execute(arguments: [next])
    }
  }
}
