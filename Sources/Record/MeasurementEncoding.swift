import Bytes
public import Telemetry

/// A metric with or without a label, as a key within one process. The hash is keyed anew in each process,
/// so that no client can aim at a collision.
public struct SeriesIdentity: Hashable, Sendable {
  /// The metric's number in the catalogue, 0 for a custom one.
  public let number: UInt16
  /// 0 for a catalogue metric without label.
  public let hash: Int

  init(number: UInt16, hash: Int) {
    self.number = number
    self.hash = hash
  }

  /// A catalogue metric over all labels.
  public init(catalogue number: UInt16) { self.init(number: number, hash: 0) }
}

/// What a reading is about, before its values.
public struct MeasurementHead {
  /// The metric's number in the catalogue, 0 for a custom one.
  public let number: UInt16
  public let isLabelled: Bool
  public let time: MeasurementTime
  public let content: Content
  /// How many samples or buckets follow.
  public let count: Int
  /// Behind the values stand their exact sum and ends: `ReportReader.extent`.
  public let hasExtent: Bool
  /// Behind those stands the stream they are part of: `ReportReader.accumulation`.
  public let isAccumulated: Bool

  /// What follows. Raw values stand in records.
  public enum Content: UInt8, Sendable {
    case samples = 1
    case spans = 2
    case counter = 3
    case exponential = 4
  }
}

/// A reading's value with its exact sum and ends by itself, encoded as in a record.
public enum MeasurementValueBytes {
  /// The bytes that `decode` reads.
  public static func encode(_ value: Measurement.Value, _ extent: Extent?) -> [UInt8] {
    var writer = ByteWriter(reserving: 256)
    writer.byte(RecordFormat.tag(of: value) | (extent == nil ? 0 : RecordFormat.extent))
    RecordWriter.write(value: value, into: &writer)
    if let extent { RecordWriter.write(extent, into: &writer) }
    return writer.bytes
  }

  /// Reads what `encode` wrote; anything else throws.
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
