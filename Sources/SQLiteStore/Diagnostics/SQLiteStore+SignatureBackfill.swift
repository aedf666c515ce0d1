import Core
import GRDB
import Ingest
import Storage
import Synchronization

extension SQLiteStore {
  /// Computes signatures for diagnostics that were stored by versions without groups, from the call stacks of existing
  /// samples.
  public func signOldDiagnostics() throws {
    while true {
      let old = try pool.read { try DiagnosticWithoutSignature.next(500, in: $0) }
      if old.isEmpty { return }
      let signatures = try old.map { diagnostic in
        let calls = try sample(of: diagnostic.app, identity: diagnostic.identity)?.calls ?? []
        return DiagnosticSignature(
          diagnostic.kind, diagnostic.exception, calls: CompressibleBytes(calls, isFrame: true))
      }
      try samples?.unlessDamaged(or: ()) { samples in
        try samples.sign(zip(old, signatures).map { ($0.app, $0.identity, $1.hash) })
      }
      try write(keeping: .everything) { database, registry in
        var table = SignatureWriter(database, registry.limits)
        for (diagnostic, signature) in zip(old, signatures) {
          // Another process may have signed or deleted the diagnostic in the meantime, and its id may have been reused.
          guard try diagnostic.isStill(in: database) else { continue }
          let key = try registry.sliceKey(of: diagnostic.cell, in: database)
          let id = try table.id(of: signature, app: diagnostic.app)
          if let id { table.note(id, key, day: diagnostic.day) }
          table.noteBinaries(of: signature, key)
          try database.cachedStatement(sql: "UPDATE diagnostic SET signature = ?, examined = 1 WHERE id = ?")
            .execute(arguments: [id, diagnostic.id])
        }
        try table.save()
      }
    }
  }
}

/// A diagnostic stored by a version without groups.
private struct DiagnosticWithoutSignature {
  let id: Int64
  let app: AppID
  let identity: UInt64
  let kind: DiagnosticKind
  let cell: Int64
  let day: CalendarDay
  let exception: ExceptionDetails

  func isStill(in database: Database) throws -> Bool {
    let find = try database.cachedStatement(
      sql: "SELECT 1 FROM diagnostic WHERE id = ? AND app = ? AND identity = ? AND examined = 0")
    return try Int.fetchOne(find, arguments: [id, app, Int64(bitPattern: identity)]) != nil
  }

  static func next(_ most: Int, in database: Database) throws -> [Self] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, app, identity, kind, cell, day, type, code, signal, name, termination FROM diagnostic
        WHERE examined = 0 ORDER BY id LIMIT ?
        """, arguments: [most])
    return try rows.map { row in
      let code: Int64? = try row.value(7)
      return DiagnosticWithoutSignature(
        id: try row.value(0), app: try row.value(1), identity: UInt64(bitPattern: try row.value(2)),
        kind: DiagnosticKind(rawValue: try row.value(3)) ?? .error,
        cell: try row.value(4), day: try row.day(5),
        exception: ExceptionDetails(
          type: try row.value(6), code: code.map { UInt64(bitPattern: $0) }, signal: try row.value(8),
          name: try row.value(9), termination: try row.value(10)))
    }
  }
}
