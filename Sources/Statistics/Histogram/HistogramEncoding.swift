public import Core

extension Histogram {
  fileprivate static let version: UInt8 = 1

  /// Appends a version byte, then flags, totals, bins and spans: about 3 bytes per bin or span of whole numbers.
  public func encode(into writer: inout ByteWriter) {
    EncodedHistogramHead(self).encode(into: &writer)
    bins.encode(into: &writer)
    spans.encode(into: &writer)
  }

  /// Decodes the output of `encode`; throws for any other bytes.
  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    let head = try EncodedHistogramHead(from: &reader)
    self.init(scheme: head.scheme)
    isEstimated = head.isEstimated
    zeroCount = head.zeroCount
    sum = head.sum
    lowest = head.lowest
    highest = head.highest
    moments = head.moments
    bins = try SortedCounts(from: &reader, indices: scheme.indices)
    spans = try SpanCounts(from: &reader)
    count = zeroCount
    for bin in bins.entries { count = count.saturatingAdd(bin.count) }
    for span in spans.entries { count = count.saturatingAdd(span.count) }
    guard (count > 0) == head.hasValues else { throw reader.damage }
  }
}

/// The part of an encoded histogram before its bins.
struct EncodedHistogramHead {
  let scheme: BinScheme
  private(set) var isEstimated: Bool
  private(set) var hasValues: Bool
  private(set) var zeroCount: Int
  private(set) var sum: Int64
  private(set) var lowest: Double
  private(set) var highest: Double
  private(set) var moments: ClusterMoments

  init(_ histogram: Histogram) {
    scheme = histogram.scheme
    isEstimated = histogram.isEstimated
    hasValues = histogram.count > 0
    zeroCount = histogram.zeroCount
    sum = histogram.sum
    lowest = histogram.lowest
    highest = histogram.highest
    moments = histogram.moments
  }

  func encode(into writer: inout ByteWriter) {
    writer.byte(Histogram.version)
    writer.byte(scheme.rawValue | (isEstimated ? 2 : 0) | (hasValues ? 4 : 0))
    writer.count(zeroCount)
    writer.varint(UInt64(sum))
    if hasValues {
      writer.number(lowest)
      writer.number(highest)
    }
    moments.encode(into: &writer)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    try reader.expect(version: Histogram.version)
    let flags = try reader.byte()
    guard flags < 8, let scheme = BinScheme(rawValue: flags & 1) else { throw reader.damage }
    self.scheme = scheme
    isEstimated = flags & 2 != 0
    hasValues = flags & 4 != 0
    zeroCount = try reader.count()
    sum = Int64(try reader.count())
    lowest = hasValues ? try reader.number() : .infinity
    highest = hasValues ? try reader.number() : -.infinity
    guard !hasValues || (lowest >= 0 && lowest <= highest && highest < .infinity) else { throw reader.damage }
    moments = try ClusterMoments(from: &reader)
  }

  /// Adds the totals of a histogram of the same scheme.
  mutating func merge(_ other: Histogram) {
    isEstimated = isEstimated || other.isEstimated
    hasValues = hasValues || other.count > 0
    zeroCount = zeroCount.saturatingAdd(other.zeroCount)
    sum = sum.saturatingAdd(other.sum)
    if other.lowest < lowest { lowest = other.lowest }
    if other.highest > highest { highest = other.highest }
    moments.merge(other.moments)
  }
}

extension SortedCounts {
  /// Writes the number of entries, then each entry relative to the one before.
  func encode(into writer: inout ByteWriter) {
    writer.count(entries.count)
    var previous: Entry?
    for entry in entries {
      entry.encode(after: previous, into: &writer)
      previous = entry
    }
  }
}

extension SortedCounts where Entry == Bin {
  init(from reader: inout ByteReader, indices: ClosedRange<Int32>) throws(DamagedBytes) {
    var bins = try EncodedBins(from: &reader, indices: indices)
    var entries: [Bin] = []
    entries.reserveCapacity(bins.left)
    while bins.left > 0 { entries.append(try bins.next(from: &reader)) }
    self.init(sorted: entries)
  }
}

/// The bins of an encoded histogram, decoded one by one.
struct EncodedBins: EncodedEntries {
  /// The number of bins that are not yet decoded.
  private(set) var left: Int
  private var previous: Int64?
  private let indices: ClosedRange<Int32>

  init(from reader: inout ByteReader, indices: ClosedRange<Int32>) throws(DamagedBytes) {
    left = try reader.count()
    self.indices = indices
    guard left <= reader.remaining / 2 else { throw reader.damage }
  }

  mutating func next(from reader: inout ByteReader) throws(DamagedBytes) -> Bin {
    let distance = try reader.signed()
    let (sum, overflow) = (previous ?? 0).addingReportingOverflow(distance)
    guard !overflow, previous == nil || distance > 0, let index = Int32(exactly: sum), indices.contains(index) else {
      throw reader.damage
    }
    previous = sum
    left -= 1
    return Bin(index: index, count: try reader.positiveCount())
  }
}
