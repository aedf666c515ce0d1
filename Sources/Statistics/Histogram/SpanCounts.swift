import Core

/// Spans with their original edges, up to a limit. Beyond it, edges move outward to bin edges, which become coarser
/// until the spans fit.
///
/// The coarseness is the smallest at which everything ever added fits. Moving in steps equals moving at once, so the
/// order of adding and merging does not change the result.
struct SpanCounts: Equatable, Sendable {
  /// The maximum number of different spans in one series.
  static let limit = 1_024
  /// The maximum coarseness, at which every edge is 0, 1 or infinity.
  static let coarsest: UInt8 = 18

  private(set) var counts = SortedCounts<Span>()
  /// How far edges were moved: 0 for original edges.
  private(set) var coarseness: UInt8 = 0

  var entries: [Span] { counts.entries }

  init() {}

  /// Creates spans from the `entries` and `coarseness` of other spans. Entries must be sorted, with unique edges.
  init(sorted entries: [Span], coarseness: UInt8) {
    counts = SortedCounts(sorted: entries)
    self.coarseness = coarseness
  }

  /// Creates spans from entries in any order, whose edges were moved with `coarseness`.
  init(unsorted entries: [Span], coarseness: UInt8) {
    self.coarseness = min(coarseness, Self.coarsest)
    counts = SortedCounts(unsorted: self.coarseness == 0 ? entries : entries.map { $0.snapped(self.coarseness) })
    if counts.entries.count > Self.limit { coarsen() }
  }

  /// Removes all spans. Their memory stays.
  mutating func removeAll() {
    counts.removeAll()
    coarseness = 0
  }

  mutating func reserve(_ more: Int) { counts.reserve(min(more, Self.limit)) }

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
  /// Writes the coarseness and the number of spans, then for each the distance of its lower edge from the preceding
  /// one, its width and its count.
  func encode(into writer: inout ByteWriter) {
    writer.byte(coarseness)
    counts.encode(into: &writer)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    var spans = try EncodedSpans(from: &reader)
    var entries: [Span] = []
    entries.reserveCapacity(spans.left)
    while spans.left > 0 { entries.append(try spans.next(from: &reader)) }
    self.init(sorted: entries, coarseness: spans.coarseness)
  }
}

/// The spans of an encoded histogram, decoded one by one.
struct EncodedSpans: EncodedEntries {
  let coarseness: UInt8
  /// The number of spans that are not yet decoded.
  private(set) var left: Int
  private var previous: Span?

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    coarseness = try reader.byte()
    left = try reader.count()
    guard coarseness <= SpanCounts.coarsest, left <= SpanCounts.limit, left <= reader.remaining / 3 else {
      throw reader.damage
    }
  }

  mutating func next(from reader: inout ByteReader) throws(DamagedBytes) -> Span {
    let low = try reader.distance(from: previous?.low ?? 0)
    let high = try reader.distance(from: low)
    guard let span = Span(checkedLow: low, high: high, count: try reader.positiveCount()), span.low == low,
      span.high == high, high > 0, previous?.precedes(span) ?? true
    else { throw reader.damage }
    previous = span
    left -= 1
    return span
  }
}

extension ByteWriter {
  /// Writes `end` relative to `start`, so that `ByteReader.distance(from:)` restores it exactly: the distance as a
  /// varint (doubled, so that the lowest bit is 0) if it is a whole number and `start` plus it is exactly `end`; else
  /// the varint 1 and `end` itself.
  fileprivate mutating func distance(from start: Double, to end: Double) {
    // Adding zero turns −0 into 0.
    let distance = end - start + 0
    if let whole = distance.wholeNumber, start + distance == end {
      varint(whole << 1)
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
  /// A span that can be counted; nil unless 0 <= low <= high, low is finite and the count is positive. Subnormal edges
  /// become 0.
  init?(checkedLow low: Double, high: Double, count: Int) {
    guard low >= 0, low < .infinity, high >= low, count > 0 else { return nil }
    self.init(
      low: low < .leastNormalMagnitude ? 0 : low, high: high < .leastNormalMagnitude ? 0 : high, count: count)
  }

  /// Orders by lower, then upper edge. The bits of non-negative doubles have the order of the doubles, and one
  /// comparison of 128 bits needs no branch.
  func precedes(_ other: Span) -> Bool { key < other.key }
  func hasSameKey(as other: Span) -> Bool { low == other.low && high == other.high }

  func encode(after previous: Span?, into writer: inout ByteWriter) {
    writer.distance(from: previous?.low ?? 0, to: low)
    writer.distance(from: low, to: high)
    writer.count(count)
  }

  private var key: UInt128 { UInt128(low.bitPattern) << 64 | UInt128(high.bitPattern) }

  var isPoint: Bool { low == high }
  var isInfinite: Bool { high == .infinity }
  /// The value that stands for the span in sums and moments: its middle, or the lower edge of an infinite span.
  var middle: Double { isInfinite ? low : low + (high - low) / 2 }

  /// The index of the bin that contains the span's middle, as the moments count the span's values. A middle of 0 has
  /// the index of a zero.
  func middleIndex(in scheme: BinScheme) -> Int32 {
    let middle = middle
    return middle > 0 ? scheme.index(of: middle) : ClusterSum.zeroIndex
  }
}

extension Span {
  /// The span with both edges moved outward to bin edges: those of scale 6 at coarseness 1, and half as many at each
  /// further level.
  ///
  /// Edges of one level are edges of every finer one, so moving in steps equals moving at once.
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

  /// The numbers of the nearest bin edges at or below and at or above a positive value.
  private static func edgeNumbers(around value: Double) -> (low: Int, high: Int) {
    let index = Int(BinScheme.logarithmic.index(of: value))
    return (BinEdges.edge(index + 1) == value ? index + 1 : index, index + 1)
  }
}
