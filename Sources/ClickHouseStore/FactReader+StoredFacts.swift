import Core
import Statistics
import Storage

extension FactReader {
  /// All rows of an app in scopes of one kind, on seven days from `day` on.
  func stored(_ app: AppID, _ kind: SliceKind, from day: CalendarDay) throws -> [StoredFact] {
    let dump = FactDump(app: app, kind: kind, from: day, table: table)
    let found = try client.rows(dump.sums)
    let names = try StoredNames(found, app, kind)
    let aggregates = try FoundSums(found)
    var facts = try (0..<found.count).compactMap { index in
      try aggregates.aggregate(index).map { try names.fact(index, $0) }
    }
    let members = try client.rows(dump.users)
    let users = try StoredNames(members, app, kind)
    var (last, tally): (Int?, UserTally) = (nil, UserTally())
    let (forms, hashes) = (try members.integers("form"), try members.integers("user"))
    // The users of a row are consecutive.
    for index in 0..<members.count {
      if let row = last, !users.isEqual(row, index) {
        facts.append(try users.fact(row, .users(tally)))
        tally = UserTally()
      }
      last = index
      switch UInt8(exactly: forms[index]).flatMap(UserForm.init) {
      case .all: tally.all.insert(UInt64(bitPattern: hashes[index]))
      case .crashed: tally.crashed.insert(UInt64(bitPattern: hashes[index]))
      case nil: throw StoreError.damaged("users with the unknown form \(forms[index])")
      }
    }
    if let last { facts.append(try users.fact(last, .users(tally))) }
    return facts
  }
}

/// The statements of a dump.
private struct FactDump {
  let app: AppID
  let kind: SliceKind
  let from: CalendarDay
  let table: String

  private static let names =
    "environment, metric, variant, label, source, start, resolution, version, build, os, model, class, attribute, value"

  private var condition: String {
    """
    kind = \(kind.rawValue) AND app = \(app) AND start >= \(from.number * 1440) AND start < \((from.number + 7) * 1440)
    """
  }

  var sums: String {
    """
    SELECT \(Self.names), form, max(week) AS received, min(low1) AS least, max(high1) AS greatest, max(coarse1) AS level,
      groupArray(lowKey) AS lows, groupArray(highKey) AS highs, groupArray(total) AS sums
    FROM (
      SELECT \(Self.names), form, lowKey, highKey, max(part) AS week, sum(entry) AS total,
        minMerge(low) AS low1, maxMerge(high) AS high1, maxMerge(coarse) AS coarse1
      FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      WHERE \(condition) GROUP BY \(Self.names), form, lowKey, highKey
    )
    GROUP BY \(Self.names), form
    """
  }

  var users: String {
    """
    SELECT \(Self.names), form, user, max(part) AS received FROM \(table)
    WHERE \(condition) AND form >= \(UserForm.all.rawValue)
    GROUP BY \(Self.names), form, user HAVING sum(n) > 0 ORDER BY \(Self.names), form, user
    """
  }
}

/// The names of the rows in a dump.
private struct StoredNames {
  private let app: AppID
  private let kind: SliceKind
  private let texts: [[String]]
  private let numbers: [[Int64]]
  private let weeks: [Int64]

  init(_ block: NativeBlock, _ app: AppID, _ kind: SliceKind) throws {
    (self.app, self.kind) = (app, kind)
    texts = try ["environment", "metric", "label", "version", "build", "os", "model", "class", "attribute", "value"]
      .map { try block.strings($0) }
    numbers = try ["variant", "source", "start", "resolution"].map { try block.integers($0) }
    weeks = try block.integers("received")
  }

  /// Whether two rows have the same names.
  func isEqual(_ left: Int, _ right: Int) -> Bool {
    texts.allSatisfy { $0[left] == $0[right] } && numbers.allSatisfy { $0[left] == $0[right] }
  }

  func fact(_ index: Int, _ aggregate: Aggregate) throws -> StoredFact {
    let text = texts.map { $0[index] }
    guard let metric = MetricVariant.metric(named: text[1], numbers[0][index]),
      let source = UInt8(exactly: numbers[1][index]).flatMap(Source.init),
      let resolution = UInt8(exactly: numbers[3][index]).flatMap(TimeBin.Resolution.init)
    else { throw StoreError.damaged("a row of the table facts with the metric \(text[1])") }
    let scope = FactScope(
      kind, app: app, environment: text[0], release: Release(version: text[3], build: text[4]), os: text[5],
      model: text[6], deviceClass: text[7],
      attributes: AttributeTexts(names: text[8], values: text[9]).attributes)
    let row = MetricRow(
      metric: metric, label: text[2], source: source,
      bin: TimeBin(start: Int(numbers[2][index]), resolution: resolution), member: "", aggregate: aggregate)
    return StoredFact(scope: scope, row: row, received: CalendarDay(number: Int(weeks[index]) * 7 + 6))
  }
}
