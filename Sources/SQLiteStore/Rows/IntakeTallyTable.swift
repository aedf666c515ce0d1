import Core
import GRDB
import Storage

/// The table `tally`: counts of intake events, by day, client and release.
///
/// The rows of an app's day are limited. Beyond the limit the smallest counts are merged into "(other)", so that
/// made-up names cannot hide later events of the day.
struct IntakeTallyTable {
  private let database: Database

  /// The length to which the reason of a tally is cut, in bytes.
  private static let longestReason = 120
  /// The length to which the detail of a tally is cut, in bytes.
  private static let longestDetail = 160
  /// The kinds whose reasons are texts of the server, so that there are few of them.
  private static let ownReasons: Set<TallyKind> = [
    .accepted, .duplicate, .suspectedDuplicate, .lateSession, .capped, .late, .repeatedDiagnostic, .setApart, .empty,
  ]

  init(_ database: Database) { self.database = database }

  private struct Day: Hashable {
    let app: AppID
    let number: Int
  }

  private struct Name: Hashable {
    let kind: TallyKind
    let reason: String
    let client: String
    let release: String

    var isRest: Bool { client == NameRegistry.other && release == NameRegistry.other }

    /// The name of the row that counts this one if a day has too many rows: "(other)" for client and release.
    var rest: Name {
      Name(
        kind: kind, reason: IntakeTallyTable.ownReasons.contains(kind) ? reason : NameRegistry.other,
        client: NameRegistry.other,
        release: NameRegistry.other)
    }
  }

  private struct Sum {
    var count = 0
    var detail = ""
  }

  func add(_ tallies: [IntakeTally], _ registry: inout NameRegistry) throws {
    var days: [Day: [Name: Sum]] = [:]
    for tally in tallies where tally.count > 0 {
      let uses = tally.kind == .accepted ? Double(min(tally.count, 1_000)) : 1
      let name = Name(
        kind: tally.kind, reason: Self.cut(tally.reason, Self.longestReason),
        client: try registry.client(tally.client, app: tally.app, uses: uses, in: database),
        release: try registry.release(titled: tally.release, app: tally.app, in: database))
      var sum = days[Day(app: tally.app, number: tally.day.number), default: [:]][name] ?? Sum()
      sum.count = sum.count.saturatingAdd(tally.count)
      if !tally.detail.isEmpty { sum.detail = Self.cut(tally.detail, Self.longestDetail) }
      days[Day(app: tally.app, number: tally.day.number), default: [:]][name] = sum
    }
    for (day, sums) in days { try add(sums, to: day, most: registry.limits.tallyRows) }
  }

  private func add(_ sums: [Name: Sum], to day: Day, most: Int) throws {
    var rows = try count(day)
    var new: [(name: Name, sum: Sum)] = []
    for (name, sum) in sums where try !update(name, sum, day) { new.append((name, sum)) }
    if rows + new.count > most, new.contains(where: { !$0.name.isRest }) {
      rows -= try addUp(weakest: rows - most + min(new.count, most / 5), day)
    }
    var rest: [Name: Sum] = [:]
    for (name, sum) in new.sorted(by: { ($0.sum.count, $1.name.reason) > ($1.sum.count, $0.name.reason) }) {
      if rows < most || name == name.rest {
        try insert(name, sum, day)
        rows += 1
      } else {
        rest[name.rest, default: Sum()].count = rest[name.rest, default: Sum()].count.saturatingAdd(sum.count)
        rest[name.rest]?.detail = sum.detail
      }
    }
    for (name, sum) in rest { try insert(name, sum, day) }
  }

  /// Subtracts counts. A row with a count of 0 is deleted.
  func subtract(_ tallies: [IntakeTally]) throws {
    let update = try database.cachedStatement(
      sql: """
        UPDATE tally SET count = count - ?
        WHERE app = ? AND day = ? AND kind = ? AND reason = ? AND client = ? AND release = ?
        """)
    for tally in tallies {
      try update.execute(arguments: [
        tally.count, tally.app, tally.day.number, Int(tally.kind.rawValue), Self.cut(tally.reason, Self.longestReason),
        tally.client, tally.release,
      ])
    }
    for app in Set(tallies.map(\.app)) {
      try database.execute(sql: "DELETE FROM tally WHERE app = ? AND count <= 0", arguments: [app])
    }
  }

  /// Merges the smallest counts of a day into "(other)" and returns the number of rows saved.
  private func addUp(weakest most: Int, _ day: Day) throws -> Int {
    guard most > 0 else { return 0 }
    let weakest = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT kind, reason, client, release, count, detail FROM tally
          WHERE app = ? AND day = ? AND NOT (client = '\(NameRegistry.other)' AND release = '\(NameRegistry.other)')
          ORDER BY count, reason DESC LIMIT ?
          """), arguments: [day.app, day.number, most])
    let before = try count(day)
    let delete = try database.cachedStatement(
      sql: "DELETE FROM tally WHERE app = ? AND day = ? AND kind = ? AND reason = ? AND client = ? AND release = ?")
    for row in weakest {
      try delete.execute(
        arguments: [day.app, day.number] + StatementArguments((0..<4).map { row[$0] as DatabaseValue }))
      guard let kind = TallyKind(rawValue: try row.value(0)) else { continue }
      let name = Name(kind: kind, reason: try row.value(1), client: try row.value(2), release: try row.value(3))
      try insert(name.rest, Sum(count: row.count(4), detail: try row.value(5)), day)
    }
    return before - (try count(day))
  }

  /// Merges counts of a day with too many rows, which older versions may have written.
  func bound(app: AppID, day: Int, most: Int, portion: Int) throws {
    let rows = try count(Day(app: app, number: day))
    guard rows > most else { return }
    _ = try addUp(weakest: min(rows - most, portion), Day(app: app, number: day))
  }

  private func count(_ day: Day) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM tally WHERE app = ? AND day = ?"),
      arguments: [day.app, day.number]) ?? 0
  }

  private static let sum = """
    count = \(UpsertSum.of("count")), detail = CASE excluded.detail WHEN '' THEN detail ELSE excluded.detail END
    """

  /// Adds a sum to an existing tally row; false if there is none.
  private func update(_ name: Name, _ sum: Sum, _ day: Day) throws -> Bool {
    let find = try database.cachedStatement(
      sql: "SELECT 1 FROM tally WHERE app = ? AND day = ? AND kind = ? AND reason = ? AND client = ? AND release = ?")
    let isKnown =
      try Int.fetchOne(
        find,
        arguments: [day.app, day.number, Int(name.kind.rawValue), name.reason, name.client, name.release]) != nil
    if isKnown { try insert(name, sum, day) }
    return isKnown
  }

  private func insert(_ name: Name, _ sum: Sum, _ day: Day) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO tally (app, day, kind, reason, client, release, detail, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET \(Self.sum)
        """
    ).execute(arguments: [
      day.app, day.number, Int(name.kind.rawValue), name.reason, name.client, name.release, sum.detail, sum.count,
    ])
  }

  private static func cut(_ text: String, _ most: Int) -> String {
    text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self) + "…"
  }
}
