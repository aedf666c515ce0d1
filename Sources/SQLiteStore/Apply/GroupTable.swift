import Foundation
import GRDB
import Grouping
import Storage
import Telemetry

/// Groups by fingerprint, and what became of them.
struct GroupTable {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// The group of a fingerprint, or the one that it became part of; nil when there is none.
  func id(of fingerprint: Fingerprint, app: AppID) throws -> Int64? {
    try known(fingerprint.hash, app: app).map { try last(of: $0) }
  }

  /// The group of a fingerprint, made where it is new.
  ///
  /// A group that symbols took apart comes back when it gets a diagnostic again: one without names when another build, of
  /// which nobody has symbols, has code at the same place; one with names always, whatever it was made part of. A cut one
  /// stays with the group that it was found to be part of, which begins as it does: where it leads to because its own
  /// diagnostics were told apart, is another cause.
  func make(_ fingerprint: Fingerprint, app: AppID) throws -> Int64 {
    let prefixes = Data(fingerprint.prefixes.flatMap(Self.bytes))
    if let known = try known(fingerprint.hash, app: app) {
      if fingerprint.isCut, try isPart(known, fingerprint) {
        let end = try last(of: known)
        // A group with names is never left for one without.
        if try !fingerprint.isSymbolic || isSymbolic(end) { return end }
      }
      try database.cachedStatement(sql: "UPDATE diagnostic_group SET successor = NULL WHERE id = ?")
        .execute(arguments: [known])
      return known
    }
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO diagnostic_group (app, fingerprint, version, kind, exception, place, binary, symbolic, cut, prefixes)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try insert.execute(arguments: [
      app, Int64(bitPattern: fingerprint.hash), fingerprint.version, Int(fingerprint.kind.rawValue),
      fingerprint.exception, fingerprint.place, fingerprint.binary, fingerprint.isSymbolic, fingerprint.isCut,
      prefixes,
    ])
    return database.lastInsertedRowID
  }

  /// Whether the group became part of one that begins as its fingerprint does.
  private func isPart(_ group: Int64, _ fingerprint: Fingerprint) throws -> Bool {
    let find = try database.cachedStatement(
      sql: """
        SELECT whole.prefixes FROM diagnostic_group AS part
        JOIN diagnostic_group AS whole ON whole.id = part.successor WHERE part.id = ?
        """)
    guard let prefixes = try Data.fetchOne(find, arguments: [group]) else { return false }
    let own = Self.bytes(of: fingerprint.hash)
    return stride(from: 0, to: prefixes.count, by: 8).contains { prefixes.dropFirst($0).prefix(8).elementsEqual(own) }
  }

  private static func bytes(of hash: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: hash >> UInt64($0)) }
  }

  /// Remembers of a group of older rules that it may be part of another.
  func markCut(_ group: Int64) throws {
    try database.cachedStatement(sql: "UPDATE diagnostic_group SET cut = 1 WHERE id = ? AND cut = 0")
      .execute(arguments: [group])
  }

  func known(_ fingerprint: UInt64, app: AppID) throws -> Int64? {
    let find = try database.cachedStatement(sql: "SELECT id FROM diagnostic_group WHERE app = ? AND fingerprint = ?")
    return try Int64.fetchOne(find, arguments: [app, Int64(bitPattern: fingerprint)])
  }

  /// Whether all frames that a group was made of have names.
  func isSymbolic(_ group: Int64) throws -> Bool {
    let find = try database.cachedStatement(sql: "SELECT symbolic FROM diagnostic_group WHERE id = ?")
    return try Bool.fetchOne(find, arguments: [group]) ?? false
  }

  /// Where the way of successors ends.
  func last(of group: Int64) throws -> Int64 {
    let find = try database.cachedStatement(sql: "SELECT successor FROM diagnostic_group WHERE id = ?")
    var group = group
    // Ways are short; a bound keeps a damaged file from holding up the digest.
    for _ in 0..<32 {
      guard let next = try Int64.fetchOne(find, arguments: [group]) else { break }
      group = next
    }
    return group
  }

  func anySignature(of group: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT id FROM signature WHERE member = ? LIMIT 1"), arguments: [group])
  }

  /// Says what became of a group that has no signatures any more. A way of successors never leads back, and the group at
  /// its end has signatures.
  func retire(_ group: Int64, into successor: Int64) throws {
    guard group != successor, try last(of: successor) != group, try anySignature(of: group) == nil else { return }
    try database.cachedStatement(sql: "UPDATE diagnostic_group SET successor = ? WHERE id = ?")
      .execute(arguments: [successor, group])
  }
}
