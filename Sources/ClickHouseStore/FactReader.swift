import Core
import Statistics
import Storage

/// A reader of the table `facts`, or of a `Distributed` table over the `facts` of several shards.
struct FactReader: Sendable {
  let client: ClickHouseClient
  let table: String
  private let today: CalendarDay

  /// `table`: the table to read, in the client's database. `today`: the day from which the age of bins is counted.
  init(_ client: ClickHouseClient, table: String = "facts", today: CalendarDay) {
    self.client = client
    self.table = table
    self.today = today
  }

  /// The state of the marks of recently received blocks: all that arrive in normal operation.
  func state() throws -> FactTableState {
    let found = try client.rows(
      """
      SELECT sum(n) AS blocks, max(number) AS newest FROM \(table)
      WHERE kind = \(FactBlock.markKind) AND part >= \((today.number - Self.recentDays) / 7)
      """)
    return FactTableState(
      blocks: try found.integers("blocks").first ?? 0, newest: try found.integers("newest").first ?? 0)
  }

  private static let recentDays = 35

  /// The rows of each query. A distribution and its number of values come from one statement, so that they belong to one
  /// state of the store.
  func rows(_ queries: [RowQuery]) throws -> [[MetricRow]] {
    let all = queries.enumerated().map { FactQuery($1, number: $0, today: today) }
    func passes(_ queries: [FactQuery]) -> [FactScan] { FactScan.passes(of: queries, table: table) }
    var answers = [[MetricRow]](repeating: [], count: queries.count)
    var sets = FoundUsers()
    for statement in Self.statements(passes(all).flatMap(\.rows)) {
      let found = try client.rows(statement)
      let (rows, sums) = (try FoundRows(found, of: queries), try FoundSums(found))
      for index in 0..<found.count {
        if let users = sums.users(index) {
          sets.add(users, of: rows.query(index), try rows.name(index))
        } else if let aggregate = try sums.aggregate(index) {
          answers[rows.query(index)].append(try rows.name(index).row(aggregate))
        }
      }
    }
    for statement in Self.statements(passes(sets.withoutHashes.sorted().map { all[$0] }).map(\.sketches)) {
      let found = try client.rows(statement)
      let rows = try FoundRows(found, of: queries)
      let sketches = try FoundSketches(found)
      for index in 0..<found.count {
        sets.add(try sketches.set(index), of: rows.query(index), try rows.name(index))
      }
    }
    for (query, rows) in try sets.rows() { answers[query] += rows }
    return answers
  }

  /// The statements with these selections: as few as possible, because each takes some time. A server parses up to
  /// 256 KiB of a statement.
  private static func statements(_ selections: [String]) -> [String] {
    var parts: [[String]] = []
    var size = 0
    for selection in selections {
      if parts.isEmpty || size + selection.utf8.count > 200_000 {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(selection)
      size += selection.utf8.count
    }
    return parts.map(FactScan.statement)
  }
}

/// The sets of users in answers: the hashes of the users as far as a set stores them, otherwise the registers of a
/// sketch.
private struct FoundUsers {
  typealias Users = (form: UserForm, count: Int64, hashes: ArraySlice<Int64>)

  private var sets: [Int: [RowName: [UserForm: UserSet?]]] = [:]
  /// The queries with sets of which only a sketch can be stored.
  private(set) var withoutHashes: Set<Int> = []

  mutating func add(_ users: Users, of query: Int, _ name: RowName) {
    let isSketch = users.count > UserSet.exactLimit
    if isSketch { withoutHashes.insert(query) }
    let set = isSketch ? nil : UserSet(users.hashes.lazy.map { UInt64(bitPattern: $0) })
    sets[query, default: [:]][name, default: [:]].updateValue(set, forKey: users.form)
  }

  /// Adds a sketch in place of hashes that are too many.
  mutating func add(_ sketch: (form: UserForm, set: UserSet), of query: Int, _ name: RowName) {
    guard case .some(.none) = sets[query]?[name]?[sketch.form] else { return }
    sets[query]?[name]?.updateValue(sketch.set, forKey: sketch.form)
  }

  /// The rows of each query.
  func rows() throws -> [Int: [MetricRow]] {
    try sets.mapValues { names in
      try names.map { name, sets in
        var tally = UserTally()
        for (form, set) in sets {
          guard let set else { throw StoreError.damaged("a sketch of users is missing") }
          switch form {
          case .all: tally.all = set
          case .crashed: tally.crashed = set
          }
        }
        return name.row(.users(tally))
      }
    }
  }
}

/// The sketches of users in an answer.
private struct FoundSketches {
  private let forms: [Int64]
  private let numbers: (ranges: [Range<Int>], elements: [Int64])
  private let ranks: (ranges: [Range<Int>], elements: [Int64])

  init(_ block: NativeBlock) throws {
    forms = try block.integers("form")
    (numbers, ranks) = (try block.integerArrays("numbers"), try block.integerArrays("ranks"))
  }

  func set(_ index: Int) throws -> (form: UserForm, set: UserSet) {
    var registers = [UInt8](repeating: 0, count: UserSet.registerCount)
    for entry in numbers.ranges[index] {
      guard registers.indices.contains(Int(numbers.elements[entry])) else { continue }
      registers[Int(numbers.elements[entry])] = UInt8(clamping: ranks.elements[entry])
    }
    guard let form = UInt8(exactly: forms[index]).flatMap(UserForm.init), let set = UserSet(registers: registers)
    else { throw StoreError.damaged("a sketch of users") }
    return (form, set)
  }
}

/// The sums in the rows of an answer.
struct FoundSums {
  private let forms: [Int64]
  private let leasts: [Double]
  private let greatests: [Double]
  private let coarse: [Double]
  private let lowKeys: (ranges: [Range<Int>], elements: [Int64])
  private let highKeys: (ranges: [Range<Int>], elements: [Int64])
  private let sums: (ranges: [Range<Int>], elements: [Int64])

  init(_ block: NativeBlock) throws {
    forms = try block.integers("form")
    (leasts, greatests, coarse) = (
      try block.doubles("least"), try block.doubles("greatest"), try block.doubles("level")
    )
    lowKeys = try block.integerArrays("lows")
    highKeys = try block.integerArrays("highs")
    sums = try block.integerArrays("sums")
  }

  /// The users of a row; nil for a row of sums.
  fileprivate func users(_ index: Int) -> FoundUsers.Users? {
    UInt8(exactly: forms[index]).flatMap(UserForm.init).map { form in
      (form, sums.elements[sums.ranges[index]].first ?? 0, lowKeys.elements[lowKeys.ranges[index]])
    }
  }

  /// The aggregate of a row; nil if nothing remains of it.
  func aggregate(_ index: Int) throws -> Aggregate? {
    guard let form = UInt8(exactly: forms[index]).flatMap(FactSums.Form.init) else {
      throw StoreError.damaged("a row of the table facts with the unknown form \(forms[index])")
    }
    var fact = FactSums(form: form)
    let lows = lowKeys.elements[lowKeys.ranges[index]]
    let highs = highKeys.elements[highKeys.ranges[index]]
    let totals = sums.elements[sums.ranges[index]]
    guard lows.count == totals.count, highs.count == totals.count else {
      throw StoreError.damaged("a row of the table facts with keys without sums")
    }
    for ((low, high), sum) in zip(zip(lows, highs), totals) where sum != 0 {
      fact.entries.append((FactSums.Key(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)), sum))
    }
    // Changes that were reverted add up to 0.
    guard !fact.entries.isEmpty else { return nil }
    // Without values the server returns 0 for all three, and the aggregate ignores them.
    (fact.lowest, fact.highest, fact.coarseness) = (leasts[index], greatests[index], coarse[index])
    let aggregate = fact.aggregate
    return aggregate.isVacated ? nil : aggregate
  }
}

/// The names in a row of an answer.
private struct RowName: Hashable {
  let metric: MetricReference
  let label: String
  let source: Source
  let bin: TimeBin
  let member: String

  func row(_ aggregate: Aggregate) -> MetricRow {
    MetricRow(metric: metric, label: label, source: source, bin: bin, member: member, aggregate: aggregate)
  }
}

/// The names in the rows of an answer.
private struct FoundRows {
  private let dimensions: [Dimension?]
  private let queries: [Int]
  private let metrics: [String]
  private let variants: [Int64]
  private let labels: [String]
  private let sources: [Int64]
  private let starts: [Int64]
  private let resolutions: [Int64]
  private let members: [String]
  private let builds: [String]

  /// `all`: the queries of the statement.
  init(_ block: NativeBlock, of all: [RowQuery]) throws {
    dimensions = all.map(\.dimension)
    queries = try block.integers("query").map { number in
      guard let index = Int(exactly: number), all.indices.contains(index) else {
        throw StoreError.damaged("an answer to a query that was not asked")
      }
      return index
    }
    metrics = try block.strings("metric")
    variants = try block.integers("variant")
    labels = try block.strings("shownLabel")
    sources = try block.integers("source")
    starts = try block.integers("bin")
    resolutions = try block.integers("step")
    members = try block.strings("member")
    builds = try block.strings("memberBuild")
  }

  /// The index of the query that a row belongs to.
  func query(_ index: Int) -> Int { queries[index] }

  func name(_ index: Int) throws -> RowName {
    guard let metric = MetricVariant.metric(named: metrics[index], variants[index]),
      let source = UInt8(exactly: sources[index]).flatMap(Source.init),
      let resolution = UInt8(exactly: resolutions[index]).flatMap(TimeBin.Resolution.init)
    else { throw StoreError.damaged("a row of the table facts with the metric \(metrics[index])") }
    return RowName(
      metric: metric, label: labels[index], source: source,
      bin: TimeBin(start: Int(starts[index]), resolution: resolution), member: member(index))
  }

  private func member(_ index: Int) -> String {
    switch dimensions[queries[index]] {
    case .combination:
      CombinedMember(members[index]).map { member in
        CombinedMember(
          os: UnknownName.title(of: member.os), device: UnknownName.title(of: member.device), release: member.release,
          attributes: member.attributes
        ).text
      } ?? members[index]
    case nil, .deviceClass, .attribute: members[index]
    case .release: Release(version: members[index], build: builds[index]).title
    case .os, .device: UnknownName.title(of: members[index])
    }
  }
}

extension FactReader {
  /// The builds of an app by environment, with the first and last day on which each has rows.
  func releases(of app: AppID) throws -> [KnownRelease] {
    var days: [Build: ClosedRange<Int64>] = [:]
    let found = try client.rows("SELECT * FROM (\(others(app)) UNION ALL \(sessions(app)))")
    let names = try zip(found.strings("environment"), zip(found.strings("version"), found.strings("build")))
    let starts = try zip(found.integers("oldest"), found.integers("newest"))
    for ((environment, (version, build)), (oldest, newest)) in zip(names, starts) {
      let key = Build(environment: environment, release: Release(version: version, build: build))
      let known = days[key] ?? oldest...max(oldest, newest)
      days[key] = min(known.lowerBound, oldest)...max(known.upperBound, newest)
    }
    return days.map { build, starts in
      KnownRelease(
        release: build.release, environment: build.environment, firstDay: Self.day(of: starts.lowerBound),
        lastDay: Self.day(of: starts.upperBound))
    }
  }

  private struct Build: Hashable {
    let environment: String
    let release: Release
  }

  private static func day(of minute: Int64) -> CalendarDay {
    TimeBin(start: Int(minute), resolution: .fiveMinutes).day
  }

  /// The days of rows that are never reverted: one row is enough.
  private func others(_ app: AppID) -> String {
    """
    SELECT environment, version, build, min(start) AS oldest, max(start) AS newest FROM \(table)
    WHERE kind = \(SliceKind.release.rawValue) AND app = \(app)
      AND form NOT IN (\(FactSums.Form.sessions.rawValue), \(UserForm.all.rawValue), \(UserForm.crashed.rawValue))
    GROUP BY environment, version, build
    """
  }

  /// The days with sessions. Sessions may have moved to another build or day, so a row may add up to nothing.
  private func sessions(_ app: AppID) -> String {
    """
    SELECT environment, version, build, min(start) AS oldest, max(start) AS newest FROM (
      SELECT environment, version, build, start, source, lowKey, highKey, sum(entry) AS total FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      WHERE kind = \(SliceKind.release.rawValue) AND app = \(app) AND form = \(FactSums.Form.sessions.rawValue)
      GROUP BY environment, version, build, start, source, lowKey, highKey HAVING total != 0
    )
    GROUP BY environment, version, build
    """
  }
}
