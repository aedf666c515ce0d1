import Bytes
import Telemetry

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
