import Core
import GRDB
import Storage

/// Queries diagnostics with the names of their release, device and environment.
struct DiagnosticQueries {
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
      if let diagnostic = try Self.diagnostic(row) { found.append(diagnostic) }
    }
    return found
  }

  private static func diagnostic(_ row: Row) throws -> StoredDiagnostic? {
    guard let kind = DiagnosticKind(rawValue: try row.value("kind")),
      let source = Source(rawValue: try row.value("source"))
    else {
      return nil
    }
    let time: Int64? = try row.value("time")
    return StoredDiagnostic(
      number: try row.value("id"), identity: UInt64(bitPattern: try row.value("identity")), kind: kind, source: source,
      environment: try row.value("environment_name"),
      release: Release(version: try row.value("version"), build: try row.value("build")),
      os: try row.value("os_name"), model: try row.value("model"), day: CalendarDay(number: try row.value("day")),
      time: time.map(Timestamp.init(milliseconds:)), received: Timestamp(milliseconds: try row.value("received")),
      quantity: try row.value("quantity"), exception: try exception(row),
      hang: kind == .hang ? try row.value("hang_rule", as: UInt8?.self).flatMap(HangRule.init) : nil)
  }

  private static func exception(_ row: Row) throws -> ExceptionDetails {
    let code: Int64? = try row.value("code")
    return ExceptionDetails(
      type: try row.value("type"), code: code.map { UInt64(bitPattern: $0) }, signal: try row.value("signal"),
      name: try row.value("name"),
      termination: try row.value("termination"), reason: try row.value("reason"))
  }
}
