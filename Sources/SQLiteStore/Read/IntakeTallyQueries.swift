import Core
import GRDB
import Storage

/// Queries of the tallies of events that are counted in addition to metrics.
struct IntakeTallyQueries {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT day, kind, client, release, reason, detail, count FROM tally WHERE app = ? AND day BETWEEN ? AND ?
        ORDER BY day, kind
        """,
      arguments: [app, window.from.number, window.to.number])
    var found: [IntakeTally] = []
    while let row = try rows.next() {
      guard let kind = TallyKind(rawValue: try row.value(1)) else { continue }
      found.append(
        IntakeTally(
          app: app, day: try row.day(0), kind: kind, client: try row.value(2), release: try row.value(3),
          reason: try row.value(4), detail: try row.value(5), count: row.count(6)))
    }
    return found
  }

  /// The tallies added up in SQLite row by row, so that the names do not have to fit into memory. Unlike `sum`, `total`
  /// cannot overflow.
  func summary(of app: AppID, in window: Window) throws -> TallySummary {
    var summary = TallySummary()
    let days: StatementArguments = [app, window.from.number, window.to.number]
    let reasons = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT kind, reason, total(max(count, 0)), max(day),
            max(CASE WHEN detail <> '' THEN printf('%010d', day) || detail END)
          FROM tally WHERE app = ? AND day BETWEEN ? AND ? GROUP BY kind, reason ORDER BY 3 DESC, reason
          """), arguments: days)
    while let row = try reasons.next() {
      guard let kind = TallyKind(rawValue: try row.value(0)) else { continue }
      let detail: String? = try row.value(4)
      summary.add(
        TallySummary.Count(
          reason: try row.value(1), count: row.count(2), lastDetail: String((detail ?? "").dropFirst(10)),
          lastDay: try row.day(3)), of: kind)
    }
    let sums = TallySummary.clientKinds.map { "total(max(count, 0)) FILTER (WHERE kind = \($0.rawValue))" }
    let kinds = TallySummary.clientKinds.map { "\($0.rawValue)" }.joined(separator: ", ")
    let clients = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT client, release, \(sums.joined(separator: ", ")) FROM tally
          WHERE app = ? AND day BETWEEN ? AND ? AND kind IN (\(kinds)) GROUP BY client, release
          ORDER BY total(max(count, 0)) FILTER (WHERE kind <> \(TallyKind.late.rawValue)) DESC, client, release
          """), arguments: days)
    while let row = try clients.next() {
      var client = TallySummary.Client(client: try row.value(0), release: try row.value(1))
      for (index, kind) in TallySummary.clientKinds.enumerated() { client.counts[kind] = row.count(index + 2) }
      summary.add(client)
    }
    return summary
  }
}
