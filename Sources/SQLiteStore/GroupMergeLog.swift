import GRDB
import Storage

/// Notes which groups diagnostics leave for which others.
struct GroupMergeLog {
  private struct Way: Hashable {
    let app: AppID
    let part: Int64
    let whole: Int64
  }

  private var moved: [Way: Int] = [:]
  /// What wholes had before any came.
  private var before: [Int64: Int] = [:]

  /// Call it before the signature is moved.
  mutating func note(_ signature: Int64, of app: AppID, from part: Int64, to whole: Int64, in database: Database) throws
  {
    if before[whole] == nil { before[whole] = try Self.diagnostics(of: whole, in: database) }
    let count = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT coalesce(sum(count), 0) FROM signature_life WHERE signature = ?"),
      arguments: [signature])
    moved[Way(app: app, part: part, whole: whole), default: 0] += count ?? 0
  }

  /// The same for all that a group has.
  mutating func noteAll(of part: Int64, app: AppID, to whole: Int64, in database: Database) throws {
    if before[whole] == nil { before[whole] = try Self.diagnostics(of: whole, in: database) }
    moved[Way(app: app, part: part, whole: whole), default: 0] += try Self.diagnostics(of: part, in: database)
  }

  /// After all were moved.
  func joins(in database: Database) throws -> [GroupJoin] {
    let name = try database.cachedStatement(sql: "SELECT fingerprint FROM diagnostic_group WHERE id = ?")
    let table = GroupTable(database)
    return try moved.compactMap { way, count in
      guard let part = try Int64.fetchOne(name, arguments: [way.part]),
        let whole = try Int64.fetchOne(name, arguments: [way.whole])
      else { return nil }
      return GroupJoin(
        app: way.app, part: UInt64(bitPattern: part), whole: UInt64(bitPattern: whole), diagnostics: count,
        before: before[way.whole] ?? 0, isEmptied: try table.anySignature(of: way.part) == nil)
    }
  }

  private static func diagnostics(of group: Int64, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT coalesce(sum(count), 0) FROM signature_life JOIN signature ON signature.id = signature_life.signature
          WHERE signature.member = ?
          """), arguments: [group]) ?? 0
  }
}
