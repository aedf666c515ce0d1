public import Bytes
import Telemetry

extension Histogram {
  private static let version: UInt8 = 1

  /// Appends a version byte, then flags, totals, bins and spans: about 3 bytes per bin or span of whole numbers.
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

  /// Decodes what `encode` wrote; anything else throws.
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

extension SortedCounts where Entry == Bin {
  /// Writes the number of bins, then for each the distance to the preceding index and the count.
  func encode(into writer: inout ByteWriter) {
    writer.count(entries.count)
    var previous: Int64 = 0
    for bin in entries {
      writer.signed(Int64(bin.index) - previous)
      writer.count(bin.count)
      previous = Int64(bin.index)
    }
  }

  init(from reader: inout ByteReader, indices: ClosedRange<Int32>) throws(DamagedBytes) {
    let total = try reader.count()
    guard total <= reader.remaining / 2 else { throw reader.damage }
    var entries: [Bin] = []
    entries.reserveCapacity(total)
    var previous: Int64 = 0
    for position in 0..<total {
      let distance = try reader.signed()
      let (sum, overflow) = previous.addingReportingOverflow(distance)
      guard !overflow, position == 0 || distance > 0, let index = Int32(exactly: sum), indices.contains(index) else {
        throw reader.damage
      }
      entries.append(Bin(index: index, count: try reader.positiveCount()))
      previous = sum
    }
    self.init(sorted: entries)
  }
}

extension ByteReader {
  /// The error for damaged bytes at the current offset.
  var damage: DamagedBytes {
    var end = self
    while true {
      do { _ = try end.byte() } catch { return DamagedBytes(offset: error.offset - remaining) }
    }
  }

  mutating func expect(version: UInt8) throws(DamagedBytes) {
    guard try byte() == version else { throw damage }
  }

  /// A count of at least 1; throws for 0.
  mutating func positiveCount() throws(DamagedBytes) -> Int {
    let value = try count()
    guard value > 0 else { throw damage }
    return value
  }
}
