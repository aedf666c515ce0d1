public import Bytes
import Telemetry

extension Histogram {
  private static let version: UInt8 = 1

  /// Appends a version byte, then flags, totals, bins and spans: about 3 bytes a bin or span of whole numbers.
  public func encode(into writer: inout ByteWriter) {
    writer.byte(Self.version)
    writer.byte(scheme.rawValue | (isEstimated ? 2 : 0) | (count > 0 ? 4 : 0))
    writer.count(zeroCount)
    writer.varint(UInt64(sum))
    if count > 0 {
      writer.number(lowest)
      writer.number(highest)
    }
    moments.encode(into: &writer)
    bins.encode(into: &writer)
    spans.encode(into: &writer)
  }

  /// Reads what `encode` wrote; anything else throws.
  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    try reader.expect(version: Self.version)
    let flags = try reader.byte()
    guard flags < 8, let scheme = BinScheme(rawValue: flags & 1) else { throw reader.damage }
    self.init(scheme: scheme)
    isEstimated = flags & 2 != 0
    zeroCount = try reader.count()
    sum = Int64(try reader.count())
    if flags & 4 != 0 {
      lowest = try reader.number()
      highest = try reader.number()
      guard lowest >= 0, lowest <= highest, highest < .infinity else { throw reader.damage }
    }
    moments = try ClusterMoments(from: &reader)
    bins = try SortedCounts(from: &reader, indices: scheme.indices)
    spans = try SpanCounts(from: &reader)
    count = zeroCount
    for bin in bins.entries { count = count.saturatingAdd(bin.count) }
    for span in spans.entries { count = count.saturatingAdd(span.count) }
    guard (count > 0) == (flags & 4 != 0) else { throw reader.damage }
  }
}
