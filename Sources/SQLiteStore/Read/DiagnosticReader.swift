import GRDB
import Storage
import Telemetry

/// Lists diagnostics with the names of what they came from.
struct DiagnosticReader {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT diagnostic.*, environment.name AS environment_name, release.version, release.build, os.name AS os_name,
          device.model
        FROM diagnostic JOIN slice ON slice.id = diagnostic.cell
        JOIN environment ON environment.id = slice.environment JOIN release ON release.id = slice.release
        JOIN os ON os.id = slice.os JOIN device ON device.id = slice.device
        WHERE diagnostic.app = :app AND (:kind IS NULL OR diagnostic.kind = :kind)
          AND (:before IS NULL OR diagnostic.id < :before) AND (:number IS NULL OR diagnostic.id = :number)
        ORDER BY diagnostic.id DESC LIMIT :limit
        """,
      arguments: [
        "app": query.app, "kind": query.kind.map { Int($0.rawValue) }, "before": query.before,
        "number": query.number, "limit": query.limit,
      ])
    var found: [StoredDiagnostic] = []
    while let row = try rows.next() {
      if let diagnostic = Self.diagnostic(row) { found.append(diagnostic) }
    }
    return found
  }

  private static func diagnostic(_ row: Row) -> StoredDiagnostic? {
    guard let kind = DiagnosticKind(rawValue: row["kind"]), let source = Source(rawValue: row["source"]) else {
      return nil
    }
    let time: Int64? = row["time"]
    return StoredDiagnostic(
      number: row["id"], identity: UInt64(bitPattern: row["identity"]), kind: kind, source: source,
      environment: row["environment_name"], release: Release(version: row["version"], build: row["build"]),
      os: row["os_name"], model: row["model"], day: CalendarDay(number: row["day"]),
      time: time.map(Timestamp.init(milliseconds:)), received: Timestamp(milliseconds: row["received"]),
      quantity: row["quantity"], exception: exception(row))
  }

  private static func exception(_ row: Row) -> ExceptionFacts {
    let code: Int64? = row["code"]
    return ExceptionFacts(
      type: row["type"], code: code.map { UInt64(bitPattern: $0) }, signal: row["signal"], name: row["name"],
      termination: row["termination"], reason: row["reason"])
  }
}
