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

  /// The rows of a query. A distribution and its number of values come from one statement, so that they belong to one
  /// state of the store.
  func rows(_ query: RowQuery) throws -> [MetricRow] {
    let statement = FactQuery(query, table: table, today: today)
    let sums = try sums(client.rows(statement.sums), query.dimension)
    guard query.metrics?.contains(MetricReference.known(Catalogue.users).name) ?? true else { return sums }
    return sums + (try users(statement, query.dimension))
  }

  private func sums(_ found: NativeBlock, _ dimension: Dimension?) throws -> [MetricRow] {
    let rows = try FoundRows(found, dimension)
    let sums = try FoundSums(found)
    return try (0..<found.count).compactMap { index in try sums.aggregate(index).map { try rows.row(index, $0) } }
  }

  /// The sets of users: their hashes as far as a set stores them, otherwise the registers of a sketch.
  private func users(_ statement: FactQuery, _ dimension: Dimension?) throws -> [MetricRow] {
    let found = try client.rows(statement.users)
    let rows = try FoundRows(found, dimension)
    let (forms, counts) = (try found.integers("form"), try found.integers("users"))
    let hashes = try found.integerArrays("hashes")
    let hasSketches = counts.contains { $0 > UserSet.exactLimit }
    let sketches = hasSketches ? try self.sketches(statement, dimension) : [:]
    var tallies: [RowName: UserTally] = [:]
    for index in 0..<found.count {
      let name = try rows.name(index)
      guard let form = UInt8(exactly: forms[index]).flatMap(UserForm.init) else {
        throw StoreError.damaged("users with the unknown form \(forms[index])")
      }
      var set = UserSet(hashes.elements[hashes.ranges[index]].lazy.map { UInt64(bitPattern: $0) })
      if counts[index] > UserSet.exactLimit {
        guard let sketch = sketches[name]?[form] else { throw StoreError.damaged("a sketch of users is missing") }
        set = sketch
      }
      switch form {
      case .all: tallies[name, default: UserTally()].all = set
      case .crashed: tallies[name, default: UserTally()].crashed = set
      }
    }
    return tallies.map { $0.key.row(.users($0.value)) }
  }

  private func sketches(_ statement: FactQuery, _ dimension: Dimension?) throws -> [RowName: [UserForm: UserSet]] {
    let found = try client.rows(statement.sketches)
    let rows = try FoundRows(found, dimension)
    let forms = try found.integers("form")
    let (numbers, values) = (try found.integerArrays("numbers"), try found.integerArrays("ranks"))
    var sketches: [RowName: [UserForm: UserSet]] = [:]
    for index in 0..<found.count {
      var registers = [UInt8](repeating: 0, count: UserSet.registerCount)
      for entry in numbers.ranges[index] {
        guard registers.indices.contains(Int(numbers.elements[entry])) else { continue }
        registers[Int(numbers.elements[entry])] = UInt8(clamping: values.elements[entry])
      }
      guard let form = UInt8(exactly: forms[index]).flatMap(UserForm.init), let set = UserSet(registers: registers)
      else { throw StoreError.damaged("a sketch of users") }
      sketches[try rows.name(index), default: [:]][form] = set
    }
    return sketches
  }
}

/// The sums in the rows of an answer.
struct FoundSums {
  private let forms: [Int64]
  private let lows: [Double]
  private let highs: [Double]
  private let coarse: [Double]
  private let lowKeys: (ranges: [Range<Int>], elements: [Int64])
  private let highKeys: (ranges: [Range<Int>], elements: [Int64])
  private let sums: (ranges: [Range<Int>], elements: [Int64])

  init(_ block: NativeBlock) throws {
    forms = try block.integers("form")
    (lows, highs, coarse) = (try block.doubles("least"), try block.doubles("greatest"), try block.doubles("level"))
    lowKeys = try block.integerArrays("lows")
    highKeys = try block.integerArrays("highs")
    sums = try block.integerArrays("sums")
  }

  /// The aggregate of a row; nil if nothing remains of it.
  func aggregate(_ index: Int) throws -> Aggregate? {
    guard let form = UInt8(exactly: forms[index]).flatMap(FactSums.Form.init) else {
      throw StoreError.damaged("a row of the table facts with the unknown form \(forms[index])")
    }
    var fact = FactSums(form: form)
    for entry in lowKeys.ranges[index] where sums.elements[entry] != 0 {
      let key = FactSums.Key(
        low: UInt64(bitPattern: lowKeys.elements[entry]), high: UInt64(bitPattern: highKeys.elements[entry]))
      fact.entries.append((key, sums.elements[entry]))
    }
    // Changes that were reverted add up to 0.
    guard !fact.entries.isEmpty else { return nil }
    // Without values the server returns 0 for all three, and the aggregate ignores them.
    (fact.lowest, fact.highest, fact.coarseness) = (lows[index], highs[index], coarse[index])
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
  private let dimension: Dimension?
  private let metrics: [String]
  private let variants: [Int64]
  private let labels: [String]
  private let sources: [Int64]
  private let starts: [Int64]
  private let resolutions: [Int64]
  private let members: [String]
  private let builds: [String]

  init(_ block: NativeBlock, _ dimension: Dimension?) throws {
    self.dimension = dimension
    metrics = try block.strings("metric")
    variants = try block.integers("variant")
    labels = try block.strings("shownLabel")
    sources = try block.integers("source")
    starts = try block.integers("bin")
    resolutions = try block.integers("step")
    members = try block.strings("member")
    builds = try block.strings("memberBuild")
  }

  func row(_ index: Int, _ aggregate: Aggregate) throws -> MetricRow { try name(index).row(aggregate) }

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
    switch dimension {
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
    for statement in [others(app), sessions(app)] {
      let found = try client.rows(statement)
      let names = try zip(found.strings("environment"), zip(found.strings("version"), found.strings("build")))
      let starts = try zip(found.integers("oldest"), found.integers("newest"))
      for ((environment, (version, build)), (oldest, newest)) in zip(names, starts) {
        let key = Build(environment: environment, release: Release(version: version, build: build))
        let known = days[key] ?? oldest...max(oldest, newest)
        days[key] = min(known.lowerBound, oldest)...max(known.upperBound, newest)
      }
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
