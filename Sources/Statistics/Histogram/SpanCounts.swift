import Bytes
import Telemetry

/// Spans kept as they came, up to a limit; beyond it edges snap outward to bin edges, coarser until they fit.
///
/// The coarseness is the smallest at which all that ever came fits, and snapping composes, so the result does not
/// depend on the order in which spans arrived or parts were merged.
struct SpanCounts: Equatable, Sendable {
  /// The most distinct spans one series keeps.
  static let limit = 1_024
  /// At this coarseness every span lies between 0, 1 and infinity.
  static let coarsest: UInt8 = 18

  private(set) var counts = SortedCounts<Span>()
  /// 0: edges as they came.
  private(set) var coarseness: UInt8 = 0

  var entries: [Span] { counts.entries }

  init() {}

  /// What `entries` and `coarseness` of another were; the entries are in order, each once.
  init(sorted entries: [Span], coarseness: UInt8) {
    counts = SortedCounts(sorted: entries)
    self.coarseness = coarseness
  }

  mutating func add(_ span: Span) {
    counts.add(coarseness == 0 ? span : span.snapped(coarseness))
    if counts.entries.count > Self.limit { coarsen() }
  }

  mutating func merge(_ other: SpanCounts) {
    let level = max(coarseness, other.coarseness)
    raise(to: level)
    if other.coarseness == level {
      counts.merge(other.counts)
    } else {
      var other = other
      other.raise(to: level)
      counts.merge(other.counts)
    }
    if counts.entries.count > Self.limit { coarsen() }
  }

  private mutating func coarsen() {
    while counts.entries.count > Self.limit, coarseness < Self.coarsest { raise(to: coarseness + 1) }
  }

  private mutating func raise(to level: UInt8) {
    guard level > coarseness else { return }
    coarseness = level
    counts = SortedCounts(unsorted: counts.entries.map { $0.snapped(level) })
  }
}

extension SpanCounts {
  /// Coarseness, how many, then for each the distance of its low to the low before it, its width and its count.
  func encode(into writer: inout ByteWriter) {
    writer.byte(coarseness)
    writer.count(entries.count)
    var previous = 0.0
    for span in entries {
      writer.distance(from: previous, to: span.low)
      writer.distance(from: span.low, to: span.high)
      writer.count(span.count)
      previous = span.low
    }
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    let coarseness = try reader.byte()
    let total = try reader.count()
    guard coarseness <= Self.coarsest, total <= Self.limit, total <= reader.remaining / 3 else { throw reader.damage }
    var entries: [Span] = []
    entries.reserveCapacity(total)
    for _ in 0..<total {
      let low = try reader.distance(from: entries.last?.low ?? 0)
      let high = try reader.distance(from: low)
      guard let span = Span(checkedLow: low, high: high, count: try reader.positiveCount()), span.low == low,
        span.high == high, high > 0, entries.last.map({ $0.precedes(span) }) ?? true
      else { throw reader.damage }
      entries.append(span)
    }
    self.init(sorted: entries, coarseness: coarseness)
  }
}

extension ByteWriter {
  /// A whole number to be added if that is exact (an even varint holds twice as much), else 1 and the number itself.
  fileprivate mutating func distance(from start: Double, to end: Double) {
    let distance = end - start
    if distance >= 0, distance < 4_503_599_627_370_496, distance == distance.rounded(.down), start + distance == end {
      varint(UInt64(distance) << 1)
    } else {
      varint(1)
      double(end)
    }
  }
}

extension ByteReader {
  fileprivate mutating func distance(from start: Double) throws(DamagedBytes) -> Double {
    let raw = try varint()
    if raw & 1 == 0 { return start + Double(raw >> 1) }
    return try double()
  }
}

extension Span: CountedEntry {
  /// A span that can be counted: nil unless 0 <= low <= high, low finite and the count positive. Subnormal edges become 0.
  init?(checkedLow low: Double, high: Double, count: Int) {
    guard low >= 0, low < .infinity, high >= low, count > 0 else { return nil }
    self.init(
      low: low < .leastNormalMagnitude ? 0 : low, high: high < .leastNormalMagnitude ? 0 : high, count: count)
  }

  /// By low, then high. The bits of doubles that are not negative are in the order of the doubles, and one comparison of
  /// 128 bits has no branch to mispredict.
  func precedes(_ other: Span) -> Bool { key < other.key }
  func hasSameKey(as other: Span) -> Bool { low == other.low && high == other.high }

  private var key: UInt128 { UInt128(low.bitPattern) << 64 | UInt128(high.bitPattern) }

  var isPoint: Bool { low == high }
  var isInfinite: Bool { high == .infinity }
  /// Where sums and moments put its values; an infinite span's at its low.
  var middle: Double { isInfinite ? low : low + (high - low) / 2 }

  /// The index its values have in the moments.
  func middleIndex(in scheme: BinScheme) -> Int32 {
    let middle = middle
    return middle > 0 ? scheme.index(of: middle) : ClusterSum.zeroIndex
  }
}

extension Span {
  /// The span with both edges moved outward to bin edges: scale 6 at coarseness 1, half as many at each level more.
  ///
  /// Edges of one level are edges of every finer one, so snapping in steps equals snapping at once.
  func snapped(_ coarseness: UInt8) -> Span {
    let shift = Int(coarseness) - 1
    var snapped = self
    if low > 0 { snapped.low = BinEdges.edge((Self.edgeNumbers(around: low).low >> shift) << shift) }
    if high > 0, !isInfinite {
      let step = 1 << shift
      snapped.high = BinEdges.edge(((Self.edgeNumbers(around: high).high + step - 1) >> shift) << shift)
    }
    return snapped
  }

  /// The numbers of the nearest edges at or below and at or above a positive number.
  private static func edgeNumbers(around value: Double) -> (low: Int, high: Int) {
    let index = Int(BinScheme.logarithmic.index(of: value))
    return (BinEdges.edge(index + 1) == value ? index + 1 : index, index + 1)
  }
}
