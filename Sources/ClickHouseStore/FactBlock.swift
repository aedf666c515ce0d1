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
    var attributes = AttributeTexts([])
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
      deviceClass: fact.scope.deviceClass, attributes: AttributeTexts(fact.scope.attributes))
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
      .init("attribute", strings(\.attributes.names)), .init("value", strings(\.attributes.values)),
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
