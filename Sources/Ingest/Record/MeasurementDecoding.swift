public import Core

/// The description of one measurement in a record: metric, time and form of its values. The values follow.
public struct MeasurementHead {
  /// The metric's catalogue number; 0 for a custom metric.
  let number: UInt16
  public let isLabelled: Bool
  let time: MeasurementTime
  public let content: Content
  /// The number of samples or buckets that follow in the record.
  public let count: Int
  /// Whether the exact sum, minimum and maximum follow the values. Read them with `ReportReader.extent`.
  let hasExtent: Bool
  /// Whether the cumulative stream follows the extent. Read it with `ReportReader.accumulation`.
  let isAccumulated: Bool

  /// The form of a measurement's values. Raw values are stored in records: never change one.
  public enum Content: UInt8, Sendable {
    case samples = 1
    case spans = 2
    case counter = 3
    case exponential = 4
  }
}

/// The value and extent of a single measurement, encoded as in a record.
public enum MeasurementValueBytes {
  /// Encodes a measurement's value into bytes that `decode` reads.
  public static func encode(_ value: Measurement.Value, _ extent: Extent?) -> [UInt8] {
    var writer = ByteWriter(reserving: 256)
    writer.byte(RecordFormat.tag(of: value) | (extent == nil ? 0 : RecordFormat.extent))
    RecordWriter.write(value: value, into: &writer)
    if let extent { RecordWriter.write(extent, into: &writer) }
    return writer.bytes
  }

  /// Decodes the result of `encode`; any other bytes throw.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws -> (value: Measurement.Value, extent: Extent?) {
    var reader = ByteReader(bytes)
    let tag = try reader.byte()
    guard let content = MeasurementHead.Content(rawValue: tag & RecordFormat.kindMask) else {
      throw DamagedBytes(offset: 0)
    }
    let count = content == .counter ? 1 : try reader.count()
    let value = try Measurement.Value(content, count, from: &reader)
    return (value, tag & RecordFormat.extent != 0 ? try Extent(from: &reader) : nil)
  }
}

extension Measurement.Value {
  init(_ content: MeasurementHead.Content, _ count: Int, from reader: inout ByteReader) throws(DamagedBytes) {
    switch content {
    case .counter: self = .counter(try reader.number())
    case .samples:
      var samples: [Double] = []
      for _ in 0..<count { samples.append(try reader.number()) }
      self = .samples(samples)
    case .spans:
      var spans: [Span] = []
      for _ in 0..<count { spans.append(try Span(from: &reader)) }
      self = .spans(spans)
    case .exponential: self = .exponential(try ExponentialBuckets(count, from: &reader))
    }
  }
}

extension Span {
  init(from reader: inout ByteReader) throws(DamagedBytes) {
    let low = try reader.number()
    let high = try reader.number()
    self.init(low: low, high: high, count: try reader.count())
  }
}

extension Extent {
  init(from reader: inout ByteReader) throws(DamagedBytes) {
    let flags = try reader.byte()
    let sum = try reader.number()
    let minimum = flags & 1 != 0 ? try reader.number() : nil
    self.init(sum: sum, minimum: minimum, maximum: flags & 2 != 0 ? try reader.number() : nil)
  }
}

extension ExponentialBuckets {
  init(_ count: Int, from reader: inout ByteReader) throws(DamagedBytes) {
    let scale = try reader.signed()
    guard scale.magnitude <= RecordFormat.largestScale else { throw DamagedBytes(offset: reader.remaining) }
    let zeros = try reader.count()
    var buckets: [Bucket] = []
    var index: Int64 = 0
    for _ in 0..<count {
      let (next, overflow) = index.addingReportingOverflow(try reader.signed())
      guard !overflow else { throw DamagedBytes(offset: reader.remaining) }
      index = next
      buckets.append(Bucket(index: Int(index), count: try reader.count()))
    }
    self.init(scale: Int(scale), zeros: zeros, buckets: buckets)
  }
}
