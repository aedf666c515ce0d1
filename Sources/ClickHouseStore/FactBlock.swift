import Core
import Statistics
import Storage

/// The rows of the table `facts` that a node stores with one insert.
///
/// They form one block of one partition, which ClickHouse stores completely or not at all. The block includes a mark: a
/// row that identifies the block.
struct FactBlock: Sendable {
  /// The maximum number of rows in one block, far below the size at which ClickHouse would split it.
  static let mostRows = 200_000

  private var rows: [Row] = []

  /// The kind of a mark: a number that no `SliceKind` uses.
  static let markKind = 0

  /// A row before it is encoded.
  private struct Row {
    var kind = Int64(FactBlock.markKind)
    var app: Int64 = 0
    var environment = ""
    var metric = ""
    var variant: Int64 = 0
    var label = ""
    var source: UInt8 = 0
    var bin = TimeBin(start: 0, resolution: .day)
    var form: UInt8 = 0
    var version = ""
    var build = ""
    var os = ""
    var model = ""
    var deviceClass = ""
    var attribute: AppAttribute?
    var user: UInt64 = 0
    var rank: UInt8 = 0
    var node = ""
    var number: Int64 = 0
    var count: Int64 = 1
    var sums: FactSums?
  }

  /// Creates a block without rows.
  init() {}

  /// The number of rows without the mark.
  var count: Int { rows.count }

  /// Adds a change as a row. A change that adds nothing is skipped.
  mutating func add(_ fact: Fact) {
    var row = Row(
      kind: Int64(fact.scope.kind.rawValue), app: Int64(fact.scope.app), environment: fact.scope.environment,
      metric: fact.metric.name, variant: MetricVariant.number(of: fact.metric), label: fact.label,
      source: fact.source.rawValue, bin: fact.bin, version: fact.scope.release.version,
      build: fact.scope.release.build, os: fact.scope.os, model: fact.scope.model,
      deviceClass: fact.scope.deviceClass, attribute: fact.scope.attribute)
    switch fact.change {
    case .sum(let aggregate):
      guard let sums = FactSums(aggregate), !sums.entries.isEmpty else { return }
      row.form = sums.form.rawValue
      row.sums = sums
    case .member(let user, let set, let change):
      guard change != 0 else { return }
      row.form = (set == .all ? UserForm.all : .crashed).rawValue
      (row.user, row.rank, row.count) = (user, UserSet.rank(of: user), change)
    }
    rows.append(row)
  }

  /// The block as bytes, with the mark of `node`. `received` is the day on which the last of its changes was received.
  func encoded(_ id: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8] {
    var mark = Row()
    (mark.node, mark.number, mark.user) = (node.text, id.number, id.nonce)
    return Self.block([mark] + rows, part: Int64(max(0, received.number) / 7)).encoded()
  }

  /// The names of the columns in the order of a block.
  static let columns = block([], part: 0).columns.map(\.name)

  private static func block(_ rows: [Row], part: Int64) -> NativeBlock {
    func integers(_ type: NativeColumn.IntegerType, _ value: (Row) -> Int64) -> NativeColumn {
      .integers(type, rows.map(value))
    }
    func strings(_ value: (Row) -> String) -> NativeColumn { .strings(rows.map(value)) }
    var ends: [Int] = []
    var (lows, highs, sums): ([Int64], [Int64], [Int64]) = ([], [], [])
    for row in rows {
      for entry in row.sums?.entries ?? [] {
        lows.append(Int64(bitPattern: entry.key.low))
        highs.append(Int64(bitPattern: entry.key.high))
        sums.append(entry.sum)
      }
      ends.append(lows.count)
    }
    return NativeBlock([
      .init("part", integers(.uInt32) { _ in part }), .init("kind", integers(.uInt8, \.kind)),
      .init("app", integers(.int64, \.app)), .init("environment", strings(\.environment)),
      .init("metric", strings(\.metric)), .init("variant", integers(.uInt16, \.variant)),
      .init("label", strings(\.label)), .init("source", integers(.uInt8) { Int64($0.source) }),
      .init("start", integers(.int32) { Int64(Int32(clamping: $0.bin.start)) }),
      .init("resolution", integers(.uInt8) { Int64($0.bin.resolution.rawValue) }),
      .init("form", integers(.uInt8) { Int64($0.form) }),
      .init("version", strings(\.version)), .init("build", strings(\.build)), .init("os", strings(\.os)),
      .init("model", strings(\.model)), .init("class", strings(\.deviceClass)),
      .init("attribute", strings { $0.attribute?.name ?? "" }), .init("value", strings { $0.attribute?.value ?? "" }),
      .init("user", integers(.uInt64) { Int64(bitPattern: $0.user) }),
      .init("rank", integers(.uInt8) { Int64($0.rank) }), .init("node", strings(\.node)),
      .init("number", integers(.int64, \.number)), .init("n", integers(.int64, \.count)),
      .init("low", .extremes(.min, rows.map { $0.sums?.lowest })),
      .init("high", .extremes(.max, rows.map { $0.sums?.highest })),
      .init("coarse", .extremes(.max, rows.map { $0.sums?.coarseness })),
      .init("entryMap.lowKey", .arrays(ends: ends, .integers(.uInt64, lows))),
      .init("entryMap.highKey", .arrays(ends: ends, .integers(.uInt64, highs))),
      .init("entryMap.sum", .arrays(ends: ends, .integers(.int64, sums))),
    ])
  }
}

/// The unit and kind that distinguish custom metrics with the same name: 0 for metrics of the catalogue.
enum MetricVariant {
  static func number(of metric: MetricReference) -> Int64 {
    guard case .custom(_, let unit, let kind) = metric else { return 0 }
    return 1 + (Int64(unit.rawValue) << 1 | (kind == .distribution ? 0 : 1))
  }

  static func metric(named name: String, _ variant: Int64) -> MetricReference? {
    if variant == 0 { return Catalogue.metric(named: name).map { .known($0.number) } }
    guard variant > 0, let unit = UInt8(exactly: (variant - 1) >> 1).flatMap(MetricUnit.init) else { return nil }
    return .custom(name: name, unit: unit, kind: (variant - 1) & 1 == 0 ? .distribution : .counter)
  }
}

/// An aggregate as numbers with keys, which ClickHouse adds up without knowing their meaning. Adding the numbers of
/// several aggregates, and taking the minimum and maximum of their bounds, gives those of the merged aggregate.
struct FactSums {
  /// The kind of the aggregate. Raw values are stored: never change one.
  enum Form: UInt8 {
    /// A distribution with logarithmic bins.
    case logarithmic = 1
    case counter = 2
    case pair = 3
    case sessions = 4
    /// A distribution of whole numbers.
    case integer = 5
  }

  let form: Form
  /// The numbers by key. A number of up to 128 bits has one entry for each 32 bits that are not 0, so that a sum over
  /// thousands of millions of rows does not overflow.
  var entries: [(key: Key, sum: Int64)] = []
  /// The smallest and the largest value of a distribution, infinite without values; nil for other forms.
  var lowest: Double?
  var highest: Double?
  /// The greatest coarseness of a distribution's spans; nil for 0.
  var coarseness: Double?

  /// The key of a number. A span's key consists of the bits of its edges, which are not negative; other keys have the
  /// highest bit set.
  struct Key: Hashable {
    var low: UInt64
    var high: UInt64

    fileprivate static let numbers: UInt64 = 1 << 63
    fileprivate static let bins: UInt64 = 1 << 63 | 1
  }
}

extension FactSums {
  /// Creates the numbers of an empty aggregate.
  init(form: Form) { self.form = form }

  /// The numbers of an aggregate; nil for an aggregate of users, which are stored one by one.
  init?(_ aggregate: Aggregate) {
    switch aggregate {
    case .distribution(let histogram):
      let sums = histogram.sums
      form = sums.scheme == .logarithmic ? .logarithmic : .integer
      append([sums.zeroCount, sums.sum, sums.clusters, sums.squares, sums.between, sums.estimated])
      for bin in sums.bins {
        entries.append((Key(low: UInt64(bitPattern: Int64(bin.index)), high: Key.bins), bin.count))
      }
      for span in sums.spans {
        entries.append((Key(low: span.low.bitPattern, high: span.high.bitPattern), span.count))
      }
      // The daily row of fine bins has the moments of its payloads and no values. Without bounds ClickHouse would read
      // 0.
      (lowest, highest) = (sums.lowest ?? .infinity, sums.highest ?? -.infinity)
      coarseness = sums.coarseness == 0 ? nil : Double(sums.coarseness)
    case .counter(let sum):
      form = .counter
      append([Int128(sum.steps), Int128(sum.payloads)])
    case .pair(let pair):
      form = .pair
      append(Self.numbers(of: pair))
    case .sessions(let tally):
      form = .sessions
      append(SessionOutcome.allCases.map { Int128(tally[$0]) })
      append(
        Self.numbers(of: tally.userDays) + Self.numbers(of: tally.hangs)
          + [Int128(tally.knownUserDays), Int128(tally.crashedUserDays)], from: SessionOutcome.allCases.count)
    case .users: return nil
    }
  }

  /// The aggregate with these numbers.
  var aggregate: Aggregate {
    var numbers = [Int128](repeating: 0, count: 64)
    var (bins, spans): ([(index: Int32, count: Int64)], [(low: Double, high: Double, count: Int64)]) = ([], [])
    for (key, sum) in entries {
      switch key.high {
      case Key.numbers:
        let (number, part) = (Int(key.low / 4) % numbers.count, key.low % 4)
        numbers[number] = numbers[number].saturatingAdd(Int128(sum).saturatingMultiply(Int128(1) << Int128(32 * part)))
      case Key.bins:
        if let index = Int32(exactly: Int64(bitPattern: key.low)) { bins.append((index, sum)) }
      default: spans.append((Double(bitPattern: key.low), Double(bitPattern: key.high), sum))
      }
    }
    switch form {
    case .logarithmic, .integer:
      var sums = HistogramSums(scheme: form == .logarithmic ? .logarithmic : .integer)
      (sums.zeroCount, sums.sum, sums.clusters) = (numbers[0], numbers[1], numbers[2])
      (sums.squares, sums.between, sums.estimated) = (numbers[3], numbers[4], numbers[5])
      (sums.bins, sums.spans, sums.lowest, sums.highest) = (bins, spans, lowest, highest)
      sums.coarseness = UInt8(clamping: Int(saturating: coarseness ?? 0))
      return .distribution(Histogram(sums))
    case .counter:
      return .counter(CounterSum(steps: Int64(clamping: numbers[0]), payloads: Int64(clamping: numbers[1])))
    case .pair: return .pair(Self.pair(numbers[...]))
    case .sessions:
      var tally = SessionTally()
      for (outcome, number) in zip(SessionOutcome.allCases, numbers) { tally[outcome] = Int64(clamping: number) }
      let rest = numbers.dropFirst(SessionOutcome.allCases.count)
      tally.userDays = Self.pair(rest)
      tally.hangs = Self.pair(rest.dropFirst(6))
      tally.knownUserDays = Int64(clamping: rest.dropFirst(12).first ?? 0)
      tally.crashedUserDays = Int64(clamping: rest.dropFirst(13).first ?? 0)
      return .sessions(tally)
    }
  }

  /// Appends numbers with indices from `first` on: each in parts of 32 bits, all with the number's sign.
  private mutating func append(_ numbers: [Int128], from first: Int = 0) {
    for (index, number) in numbers.enumerated() where number != 0 {
      for part in 0..<4 {
        let bits = Int64(truncatingIfNeeded: number.magnitude >> UInt128(32 * part)) & 0xFFFF_FFFF
        guard bits != 0 else { continue }
        let key = Key(low: UInt64((first + index) * 4 + part), high: Key.numbers)
        entries.append((key, number < 0 ? -bits : bits))
      }
    }
  }

  private static func numbers(of pair: PairSum) -> [Int128] {
    [Int128(pair.clusters), Int128(pair.x), Int128(pair.y), pair.xx, pair.yy, pair.xy]
  }

  private static func pair(_ numbers: ArraySlice<Int128>) -> PairSum {
    let numbers = Array(numbers)
    return PairSum(
      clusters: Int(clamping: numbers[0]), x: Int64(clamping: numbers[1]), y: Int64(clamping: numbers[2]),
      xx: numbers[3], yy: numbers[4], xy: numbers[5])
  }
}
