import Core

/// The encoding of spans with whole-numbered edges, such as those of MetricKit's histograms. A bucket that begins where
/// the preceding one ended and has the same width takes only the bytes of its count.
///
/// Each span begins with a varint of twice its count. If the varint is odd (1 is added), the signed distance of the low
/// edge from the preceding high edge and the width as a varint follow. The first span's distance is from 0.
struct WholeNumberSpans {
  private var edge: Int64 = 0
  private var width: Int64 = 0

  /// Edges are below 2^52, as `ByteWriter.number` writes them, so doubles hold them exactly.
  private static let limit: Int64 = 1 << 52

  /// The spans of a value if all can be encoded; otherwise nil.
  static func edges(of value: Measurement.Value) -> [Span]? {
    guard case .spans(let spans) = value else { return nil }
    return spans.allSatisfy(fits) ? spans : nil
  }

  private static func fits(_ span: Span) -> Bool {
    span.low.wholeNumber != nil && span.high.wholeNumber != nil && span.low <= span.high && span.count >= 0
      && span.count < 1 << 62
  }

  static func write(_ spans: [Span], into writer: inout ByteWriter) {
    var last = WholeNumberSpans()
    for span in spans {
      let (low, high) = (Int64(span.low), Int64(span.high))
      let isNext = low == last.edge && high - low == last.width
      writer.varint(UInt64(span.count) << 1 | (isNext ? 0 : 1))
      if !isNext {
        writer.signed(low - last.edge)
        writer.varint(UInt64(high - low))
      }
      (last.edge, last.width) = (high, high - low)
    }
  }

  /// Reads the next span. Throws for edges that `write` cannot have written.
  mutating func next(from reader: inout ByteReader) throws(DamagedBytes) -> Span {
    let head = try reader.varint()
    if head & 1 == 1 {
      let distance = try reader.signed()
      let wide = try reader.varint()
      guard distance > -Self.limit, distance < Self.limit, wide < UInt64(Self.limit) else {
        throw DamagedBytes(offset: reader.remaining)
      }
      edge += distance
      width = Int64(wide)
    }
    let low = edge
    edge += width
    guard low >= 0, edge < Self.limit else { throw DamagedBytes(offset: reader.remaining) }
    return Span(low: Double(low), high: Double(edge), count: Int(head >> 1))
  }
}
