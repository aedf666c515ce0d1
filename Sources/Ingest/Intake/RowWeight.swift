import Core

/// The number of rows that a report counts as against an app's daily limit.
enum RowWeight {
  /// Rows per diagnostic. It stores a stack and possibly a new group.
  static let diagnostic = 20
  /// Rows per session. It has one row and counts in several others.
  static let session = 2

  /// The number of measurements that count as one row, because they are merged with those of other reports.
  static let measurements = 10
  /// The number of samples and buckets that count as one more row, because they enlarge rows.
  static let values = 50

  /// The number of rows of a report: at least one, for its record in the journal.
  static func of(_ report: Report) -> Int {
    let merged = (report.measurements.count + measurements - 1) / measurements
    let parts = report.measurements.reduce(0) { $0 + $1.value.partCount } / values
    return 1 + merged + parts + report.sessions.count * session + report.diagnostics.count * diagnostic
      + report.losses.count
  }
}
