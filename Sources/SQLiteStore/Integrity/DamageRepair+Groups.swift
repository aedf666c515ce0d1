import Core
import Foundation
import GRDB
import Ingest
import Storage

extension DamageRepair {
  /// Restores references between tables and recounts rows.
  func mendRelations() throws {
    try database.execute(
      sql: """
        UPDATE diagnostic SET signature = NULL, examined = 0
          WHERE signature NOT NULL AND signature NOT IN (SELECT id FROM signature);
        UPDATE diagnostic_group SET successor = NULL
          WHERE successor NOT NULL AND successor NOT IN (SELECT id FROM diagnostic_group);
        DELETE FROM signature_life WHERE signature NOT IN (SELECT id FROM signature);
        """)
    let lost = try Int64.fetchAll(
      database, sql: "SELECT id FROM signature WHERE member NOT IN (SELECT id FROM diagnostic_group)")
    for signature in lost { try regroup(signature) }
    for (kind, table) in [(RowCounts.Kind.session, "session"), (.stream, "stream"), (.diagnostic, "diagnostic")] {
      try database.execute(
        sql: """
          UPDATE row_count SET count = (SELECT count(*) FROM \(table) WHERE \(table).app = row_count.app) WHERE kind = ?
          """, arguments: [kind.rawValue])
    }
  }

  /// Repairs a signature, which keeps its diagnostics. Its group is determined again from its frames.
  func mendSignature(_ id: Int64) throws -> Bool {
    let owner = "(SELECT diagnostic.app FROM diagnostic WHERE diagnostic.signature = :id LIMIT 1)"
    guard let app = try number("app", "signature", id) ?? number(owner, "signature", id) else {
      try forget(signature: id)
      return true
    }
    try database.execute(
      sql: """
        UPDATE signature SET app = :app, \(integer("hash", else: "id")),
          exception = CASE typeof(exception) WHEN 'text' THEN exception ELSE '' END,
          \(integer("generation", else: "\(SignatureGeneration.outdated)")), \(integer("member", else: "0")),
          stem = CASE typeof(stem) WHEN 'blob' THEN stem ELSE x'' END
        WHERE id = :id
        """, arguments: ["app": app, "id": id])
    let (stem, title) = try stack(of: id)
    if !stem.isEmpty, NormalizedStack(encoded: stem, title: title) == nil {
      // Without bytes, newly uploaded symbols cannot name its frames.
      try database.execute(sql: "UPDATE signature SET stem = x'' WHERE id = ?", arguments: [id])
    }
    if try !isTrue("member IN (SELECT id FROM diagnostic_group)", "signature", id) { try regroup(id) }
    return true
  }

  /// Repairs a group, which is created again from the frames of its stacks. It gets the same fingerprint, so that
  /// decisions and notes about it still apply.
  func mendGroup(_ id: Int64) throws -> Bool {
    let isPrefixes = try isTrue(
      "typeof(prefixes) <> 'blob' OR length(prefixes) % 8 <> 0", "diagnostic_group", id)
    let rest = ["app", "fingerprint", "version", "kind", "symbolic", "cut"].map { "typeof(\($0)) = 'integer'" }
    let texts = ["exception", "place", "binary"].map { "typeof(\($0)) = 'text'" }
    guard try isTrue((rest + texts).joined(separator: " AND "), "diagnostic_group", id) else {
      let stacks = try Int64.fetchAll(database, sql: "SELECT id FROM signature WHERE member = ?", arguments: [id])
      try database.execute(
        sql: """
          DELETE FROM diagnostic_group WHERE id = :id;
          UPDATE diagnostic_group SET successor = NULL WHERE successor = :id;
          """, arguments: ["id": id])
      for stack in stacks { try regroup(stack) }
      return true
    }
    try database.execute(
      sql: """
        UPDATE diagnostic_group SET successor = CASE typeof(successor) WHEN 'integer' THEN successor END,
          prefixes = CASE WHEN ? THEN x'' ELSE prefixes END WHERE id = ?
        """, arguments: [isPrefixes, id])
    return true
  }

  /// Determines the group of a stack from its frames. Without frames its diagnostics are examined again.
  private func regroup(_ id: Int64) throws {
    let (stem, title) = try stack(of: id)
    guard let app = try number("app", "signature", id).flatMap(AppID.init(exactly:)),
      let stack = NormalizedStack(encoded: stem, title: title)
    else { return try forget(signature: id) }
    let rows = SQLiteGroupTables(database)
    let fingerprint = Grouper().fingerprint(of: stack, own: try rows.ownBinaries(of: app))
    let group = try GroupAssignment(rows, app: app).group(of: fingerprint)
    try database.execute(sql: "UPDATE signature SET member = ? WHERE id = ?", arguments: [group, id])
  }

  private func stack(of signature: Int64) throws -> (stem: [UInt8], title: String) {
    let row = try Row.fetchOne(
      database, sql: "SELECT stem, exception FROM signature WHERE id = ?", arguments: [signature])
    let stem = row.flatMap { Data.fromDatabaseValue($0[0] as DatabaseValue) } ?? Data()
    return ([UInt8](stem), row.flatMap { String.fromDatabaseValue($0[1] as DatabaseValue) } ?? "")
  }

  private func forget(signature id: Int64) throws {
    try database.execute(
      sql: """
        UPDATE diagnostic SET signature = NULL, examined = 0 WHERE signature = :id;
        DELETE FROM signature_life WHERE signature = :id;
        DELETE FROM signature WHERE id = :id;
        """, arguments: ["id": id])
  }
}
