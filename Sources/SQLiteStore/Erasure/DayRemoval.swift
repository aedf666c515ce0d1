import Core
import GRDB
import Ingest
import Storage

/// The deletion of an app's data on some days: rows, sessions and diagnostics.
struct DayRemoval {
  private let database: Database
  private let app: AppID
  private let days: Set<CalendarDay>
  /// The environment and releases whose data is deleted; nil for all.
  private let part: Part?

  /// A part of an app's slices.
  struct Part {
    var environment: Int64
    /// The releases; nil for all.
    var releases: Set<Int64>?

    /// The SQL condition for rows of the releases.
    fileprivate var ofReleases: String {
      releases.map { "AND release IN (\($0.map { "\($0)" }.joined(separator: ", ")))" } ?? ""
    }
  }

  init(_ database: Database, _ app: AppID, _ days: Set<CalendarDay>, part: Part? = nil) {
    self.database = database
    self.app = app
    self.days = days
    self.part = part
  }

  /// The deleted data other than rows.
  struct Deleted {
    var rows = 0
    var sessions: Set<UInt64> = []
    var diagnostics: [UInt64] = []
    var signatures: Set<Int64> = []
  }

  /// Deletes the data. `DependentsUpdate` then updates lifetimes, names and counts of limited rows.
  func run() throws -> Deleted {
    var deleted = Deleted()
    for range in Self.ranges(of: days) {
      for slice in try slices() { deleted.rows += try RowTables(database).delete(of: slice, on: range) }
      try wipeSessions(range, &deleted)
      try wipeDiagnostics(range, &deleted)
      try wipeAges(range)
    }
    try RowCounts.subtract(deleted.sessions.count, .session, app, in: database)
    try RowCounts.subtract(deleted.diagnostics.count, .diagnostic, app, in: database)
    return deleted
  }

  /// The ranges of consecutive days.
  static func ranges(of days: Set<CalendarDay>) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for day in days.map(\.number).sorted() {
      if let last = ranges.last, last.upperBound + 1 == day {
        ranges[ranges.count - 1] = last.lowerBound...day
      } else {
        ranges.append(day...day)
      }
    }
    return ranges
  }

  /// The slices whose rows all belong to the part.
  private func slices() throws -> [Int64] {
    guard let part else {
      return try Int64.fetchAll(database, sql: "SELECT id FROM slice WHERE app = ?", arguments: [app])
    }
    var condition = ""
    if let releases = part.releases {
      let kinds = SliceKind.allCases.filter { $0.has(.release) }
      condition = """
        AND kind IN (\(kinds.map { "\($0.number)" }.joined(separator: ", ")))
        AND release IN (\(releases.map { "\($0)" }.joined(separator: ", ")))
        """
    }
    return try Int64.fetchAll(
      database, sql: "SELECT id FROM slice WHERE app = ? AND environment = ? \(condition)",
      arguments: [app, part.environment])
  }

  /// The SQL condition for rows whose `cell` belongs to the part.
  private var ofPart: String {
    guard let part else { return "" }
    return """
      AND cell IN (SELECT id FROM slice WHERE app = \(app) AND environment = \(part.environment) \(part.ofReleases))
      """
  }

  private func wipeSessions(_ days: ClosedRange<Int>, _ deleted: inout Deleted) throws {
    let condition = "app = ? AND minute >= ? AND minute < ? \(ofPart)"
    let arguments: StatementArguments = [app, days.lowerBound * 1440, (days.upperBound + 1) * 1440]
    let ids = try Int64.fetchCursor(database, sql: "SELECT sid FROM session WHERE \(condition)", arguments: arguments)
    while let id = try ids.next() { deleted.sessions.insert(UInt64(bitPattern: id)) }
    try database.execute(sql: "DELETE FROM session WHERE \(condition)", arguments: arguments)
  }

  /// Deletes sessions and measurements by age, the delays of arrivals, and every installation that is known only from these days.
  private func wipeAges(_ days: ClosedRange<Int>) throws {
    // Delays are not counted by release, so a release's days leave them.
    if part == nil {
      try database.execute(
        sql: """
          DELETE FROM arrival_delay WHERE environment IN (SELECT id FROM environment WHERE app = ?)
          AND day BETWEEN ? AND ?
          """, arguments: [app, days.lowerBound, days.upperBound])
    }
    let part = part.map { "AND environment = \($0.environment) \($0.ofReleases)" } ?? ""
    for table in ["session_age", "measurement_age"] {
      try database.execute(
        sql: """
          DELETE FROM \(table) WHERE environment IN (SELECT id FROM environment WHERE app = ?)
          AND day BETWEEN ? AND ? \(part)
          """, arguments: [app, days.lowerBound, days.upperBound])
    }
    let begun = """
      environment IN (SELECT id FROM environment WHERE app = :app)
      AND since >= :from AND since < :to \(part)
      """
    let minutes: StatementArguments = ["app": app, "from": days.lowerBound * 1440, "to": (days.upperBound + 1) * 1440]
    // What remains of an installation's sessions tells since when it is known.
    try database.execute(
      sql: """
        UPDATE installation SET since = (SELECT min(minute) FROM session WHERE app = :app AND user = installation.user)
        WHERE \(begun) AND EXISTS (SELECT 1 FROM session WHERE app = :app AND user = installation.user)
        """, arguments: minutes)
    try database.execute(
      sql: "DELETE FROM installation WHERE \(begun)", arguments: minutes)
    try RowCounts.subtract(database.changesCount, .installation, app, in: database)
  }

  private func wipeDiagnostics(_ days: ClosedRange<Int>, _ deleted: inout Deleted) throws {
    let condition = "app = ? AND day >= ? AND day <= ? \(ofPart)"
    let arguments: StatementArguments = [app, days.lowerBound, days.upperBound]
    let rows = try Row.fetchCursor(
      database, sql: "SELECT identity, signature FROM diagnostic WHERE \(condition)", arguments: arguments)
    while let row = try rows.next() {
      deleted.diagnostics.append(UInt64(bitPattern: try row.value(0)))
      if let signature: Int64 = try row.value(1) { deleted.signatures.insert(signature) }
    }
    try database.execute(sql: "DELETE FROM diagnostic WHERE \(condition)", arguments: arguments)
  }
}
