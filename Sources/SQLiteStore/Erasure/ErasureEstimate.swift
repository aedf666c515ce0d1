import Core
import GRDB
public import Storage

/// An estimate of what a deletion would delete, without its locks and changes. Each count has an upper limit.
struct ErasureEstimate {
  private let database: Database
  private let app: AppID
  private(set) var findings = ErasureFindings()

  /// The maximum number of rows that a count reads.
  private static let most = 500_000

  init(_ database: Database, _ app: AppID) { (self.database, self.app) = (database, app) }

  /// `removed`: the changes that the records of a payload made.
  mutating func run(_ scope: ErasureScope, removed: [DigestedBatch]) throws {
    switch scope {
    case .app: break
    case .user(let user): try count(user: Int64(bitPattern: user))
    case .days(let window): try count(window)
    case .metric(let name):
      let ids = try MetricRemoval(database, app).ids(of: name)
      try countRows(where: "metric IN (\(ids.map(String.init).joined(separator: ", ")))", isOfKey: true)
    case .label(let label, let metric): try count(label: label, of: metric)
    case .release(let title): try count(release: title)
    case .payload:
      findings.add(removed.reduce(0) { $0 + $1.sessions.count }, "session updates")
      findings.add(removed.reduce(0) { $0 + $1.diagnostics.count }, "diagnostics")
      findings.add(removed.reduce(0) { $0 + $1.cells.reduce(0) { $0 + $1.series.count } }, "daily series")
    }
    if findings.counts.contains(where: { $0.count >= Self.most }) {
      findings.remains.append("Counting stops at \(Self.most).")
    }
    if scope.needsRecords {
      findings.remains.append(
        """
        Only the deletion can determine whether the rest can be recounted. If not, it is refused, and nothing changes.
        """)
    }
  }

  private mutating func count(user: Int64) throws {
    let sessions = "SELECT sid FROM session WHERE app = \(app) AND user = \(user)"
    try count("sessions", in: sessions)
    try count(
      "diagnostics", in: "SELECT user, session FROM diagnostic WHERE app = \(app)",
      where: "user = \(user) OR session IN (\(sessions))")
  }

  private mutating func count(_ window: Window) throws {
    let (from, to) = (window.from.number, window.to.number)
    let minutes = "BETWEEN \(from * 1440) AND \(to * 1440 + 1439)"
    try countRows(where: "start \(minutes)")
    try count("sessions", in: "SELECT minute FROM session WHERE app = \(app)", where: "minute \(minutes)")
    try count("diagnostics", in: "SELECT 1 FROM diagnostic WHERE app = \(app) AND day BETWEEN \(from) AND \(to)")
  }

  private mutating func count(label: String, of metric: String) throws {
    var days: Set<CalendarDay> = []
    for id in try StoredMetrics(database, app: app).ids(of: [metric]) {
      days.formUnion(try RowTables(database).days(of: app, metric: id, label: label, atMost: Self.most))
    }
    findings.add(days.count, "days with the label")
  }

  private mutating func count(release title: String) throws {
    let ids = try Int64.fetchAll(
      database, sql: "SELECT id FROM release WHERE app = ? AND \(ReleaseFilter.condition)",
      arguments: [app] + StatementArguments(ReleaseFilter(title).arguments)
    ).map(String.init).joined(separator: ", ")
    let slices = "SELECT id FROM slice WHERE app = \(app) AND release IN (\(ids))"
    try countRows(where: "slice IN (\(slices))")
    try count("sessions", in: "SELECT cell FROM session WHERE app = \(app)", where: "cell IN (\(slices))")
    try count("diagnostics", in: "SELECT cell FROM diagnostic WHERE app = \(app)", where: "cell IN (\(slices))")
  }

  private mutating func countRows(where condition: String, isOfKey: Bool = false) throws {
    let count = try RowTables(database).count(of: app, where: condition, isOfKey: isOfKey, atMost: Self.most)
    findings.add(count, "metric rows")
  }

  /// `rows`: the query of the rows to read, at most `most`; `condition`: the condition for those to count.
  private mutating func count(_ name: String, in rows: String, where condition: String = "1") throws {
    let sql = "SELECT count(*) FROM (\(rows) LIMIT \(Self.most)) WHERE \(condition)"
    findings.add(try Int.fetchOne(database, sql: sql) ?? 0, name)
  }
}

extension ErasureScope {
  /// Whether it can be removed from sums only by counting records again.
  fileprivate var needsRecords: Bool {
    switch self {
    case .label, .payload, .release: true
    case .app, .days, .metric, .user: false
    }
  }
}

extension SQLiteStore {
  /// An estimate of what a deletion would delete. It only reads, and blocks no writer. `removed`: the changes of a
  /// deleted payload's records.
  public func estimate(
    _ scope: ErasureScope, of app: AppID, removed: () throws -> [DigestedBatch]
  ) throws -> ErasureFindings {
    if scope == .app {
      var findings = try rowCounts(of: app)
      if let facts { findings.add(try facts.delete(FactPart(app: app), isTrial: true), "metric rows") }
      return findings
    }
    let sent = try facts.flatMap { facts in
      try ledgerPart(scope, app).map { try facts.delete($0, isTrial: true) }
    }
    let batches = try removed()
    return try read { database in
      var estimate = ErasureEstimate(database, app)
      try estimate.run(scope, removed: batches)
      var findings = estimate.findings
      if let sent { findings.add(sent, "metric rows") }
      return findings
    }
  }
}
