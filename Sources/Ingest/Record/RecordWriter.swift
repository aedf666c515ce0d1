public import Core

/// Encodes reports and tallies as records of version 4, and reports with an attribute as version 5.
public enum RecordWriter {
  /// Encodes one report. `seal` hashes its ids and compresses its large parts.
  public static func encode(_ report: Report, _ header: RecordHeader, seal: Pseudonymizer) -> [UInt8] {
    var writer = ByteWriter(reserving: 2048)
    encode(report, header, seal: seal, into: &writer)
    return writer.bytes
  }

  /// Encodes a tally, a count of events that are not measurements, as a record.
  public static func encode(_ tally: RecordTally, _ header: RecordHeader) -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    encode(tally, header, into: &writer)
    return writer.bytes
  }

  static func encode(
    _ report: Report, _ header: RecordHeader, seal: Pseudonymizer, into writer: inout ByteWriter
  ) {
    writer.byte(report.attribute == nil ? RecordFormat.version : RecordFormat.attributeVersion)
    writer.byte(RecordFormat.report)
    write(times: header, of: header.clock.changes.isEmpty ? nil : report.times, into: &writer)
    write(origin: report, header, into: &writer)
    writer.string(header.client)
    write(measurements: report.measurements, received: header.received, into: &writer)
    writer.count(report.sessions.count)
    for update in report.sessions { write(update, header, seal, into: &writer) }
    writer.count(report.diagnostics.count)
    for diagnostic in report.diagnostics { write(diagnostic, header, seal, into: &writer) }
    writer.count(report.losses.count)
    for loss in report.losses {
      writer.string(loss.category)
      writer.string(loss.reason)
      writer.count(RecordFormat.counted(loss.quantity))
    }
    writer.count(RecordFormat.counted(report.rejectedSamples))
    writer.count(RecordFormat.counted(report.unknownUnits))
    writer.count(RecordFormat.counted(report.assumedTimes))
  }

  static func encode(_ tally: RecordTally, _ header: RecordHeader, into writer: inout ByteWriter) {
    writer.byte(RecordFormat.version)
    writer.byte(RecordFormat.tally)
    write(times: header, of: nil, into: &writer)
    writer.count(Int(header.app))
    writer.byte(tally.kind)
    writer.string(tally.client)
    writer.string(tally.reason)
    writer.string(tally.detail)
    writer.count(RecordFormat.counted(tally.count))
  }

  /// Writes the time of receipt, and the UTC offsets for the receipt and for the instants in `times`.
  static func write(
    times header: RecordHeader, of times: ClosedRange<Timestamp>?, into writer: inout ByteWriter
  ) {
    let received = header.received
    let range = times.map { min($0.lowerBound, received)...max($0.upperBound, received) } ?? received...received
    let clock = header.clock.trimmed(to: range)
    writer.signed(received.milliseconds)
    writer.signed(Int64(clock.utcOffsetSeconds))
    let changes = clock.changes.suffix(RecordFormat.mostChanges)
    writer.count(changes.count)
    for change in changes {
      writer.signed(change.at.milliseconds &- received.milliseconds)
      writer.signed(Int64(change.utcOffsetSeconds))
    }
  }

  /// Writes a report's origin as one run of bytes. Aggregation can then look up its cell by these bytes without
  /// decoding them.
  private static func write(origin report: Report, _ header: RecordHeader, into writer: inout ByteWriter) {
    var origin = ByteWriter(reserving: 96)
    origin.count(Int(header.app))
    origin.byte(report.source.rawValue)
    origin.byte(
      (report.isMixedRelease ? RecordFormat.mixedRelease : 0) | (report.attribute == nil ? 0 : RecordFormat.attribute))
    origin.string(report.environment)
    origin.string(report.release.version)
    origin.string(report.release.build)
    origin.string(report.device.model)
    origin.string(report.device.system.name)
    origin.string(report.device.system.version)
    origin.string(report.device.system.build)
    if let attribute = report.attribute {
      origin.string(attribute.name)
      origin.string(attribute.value)
    }
    origin.withBytes { writer.blob($0) }
  }

  static func write(measurements: [Measurement], received: Timestamp, into writer: inout ByteWriter) {
    writer.count(measurements.count)
    let today = received.day()
    var lastTime: MeasurementTime?
    var lastName: [UInt8] = []
    for reading in measurements {
      let wholeSpans = WholeSpans.edges(of: reading.value)
      writer.byte(tag(of: reading, areSpansWhole: wholeSpans != nil, lastTime: lastTime))
      write(metric: reading.metric, lastName: &lastName, into: &writer)
      if !reading.label.isEmpty { writer.string(reading.label) }
      if reading.time != lastTime {
        switch reading.time {
        case .day(let day): writer.signed(Int64(day.number - today.number))
        case .instant(let instant): writer.signed(instant.milliseconds &- received.milliseconds)
        }
        lastTime = reading.time
      }
      if let wholeSpans {
        writer.count(wholeSpans.count)
        WholeSpans.write(wholeSpans, into: &writer)
      } else {
        write(value: reading.value, into: &writer)
      }
      if let extent = reading.extent { write(extent, into: &writer) }
      if let accumulation = reading.accumulation {
        writer.fixed(accumulation.stream)
        writer.signed(accumulation.start.milliseconds &- received.milliseconds)
      }
    }
  }

  private static func tag(of reading: Measurement, areSpansWhole: Bool, lastTime: MeasurementTime?) -> UInt8 {
    var tag = areSpansWhole ? RecordFormat.wholeSpans : RecordFormat.tag(of: reading.value)
    if case .instant = reading.time { tag |= RecordFormat.instant }
    if reading.time == lastTime { tag |= RecordFormat.sameTime }
    if !reading.label.isEmpty { tag |= RecordFormat.labelled }
    if reading.extent != nil { tag |= RecordFormat.extent }
    if reading.accumulation != nil { tag |= RecordFormat.accumulated }
    return tag
  }

  /// Writes a metric. Names of custom metrics are front-coded (length shared with the preceding name, then the rest),
  /// because signpost names share long prefixes.
  private static func write(metric: MetricReference, lastName: inout [UInt8], into writer: inout ByteWriter) {
    switch metric {
    case .known(let number): writer.varint(UInt64(number))
    case .custom(let name, let unit, let kind):
      writer.varint(0)
      writer.byte(unit.rawValue)
      writer.byte(kind == .distribution ? 0 : 1)
      var name = name
      name.withUTF8 { bytes in
        var shared = 0
        while shared < min(bytes.count, lastName.count), bytes[shared] == lastName[shared] { shared += 1 }
        writer.count(shared)
        writer.blob(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[shared...]))
        lastName.removeSubrange(shared...)
        lastName.append(contentsOf: bytes[shared...])
      }
    }
  }

  static func write(value: Measurement.Value, into writer: inout ByteWriter) {
    switch value {
    case .samples(let values):
      writer.count(values.count)
      for value in values { writer.number(value) }
    case .spans(let spans):
      writer.count(spans.count)
      for span in spans {
        writer.number(span.low)
        writer.number(span.high)
        writer.count(span.count)
      }
    case .counter(let value): writer.number(value)
    case .exponential(let histogram):
      writer.count(histogram.buckets.count)
      writer.signed(Int64(histogram.scale))
      writer.count(histogram.zeros)
      var last = 0
      for bucket in histogram.buckets {
        writer.signed(Int64(bucket.index &- last))
        writer.count(bucket.count)
        last = bucket.index
      }
    }
  }

  static func write(_ extent: Extent, into writer: inout ByteWriter) {
    writer.byte((extent.minimum == nil ? 0 : 1) | (extent.maximum == nil ? 0 : 2))
    writer.number(extent.sum)
    if let minimum = extent.minimum { writer.number(minimum) }
    if let maximum = extent.maximum { writer.number(maximum) }
  }

  /// The bits of a session update: which optional fields follow, and whether the app hung.
  static func flags(of update: IdentifiedSessionUpdate<some Sendable & Equatable>) -> UInt8 {
    (update.sequence != nil ? RecordFormat.explicitSequence : 0) | (update.user != nil ? RecordFormat.user : 0)
      | (update.duration != nil ? RecordFormat.duration : 0) | (update.hasHang ? RecordFormat.hang : 0)
  }

  private static func write(
    _ update: SessionUpdate, _ header: RecordHeader, _ seal: Pseudonymizer, into writer: inout ByteWriter
  ) {
    writer.byte(flags(of: update))
    writer.byte(update.outcome.rawValue)
    writer.fixed(seal.session(update.id, app: header.app))
    writer.signed(update.started.milliseconds &- header.received.milliseconds)
    writer.signed(update.sequence ?? (update.updated ?? header.received).milliseconds)
    if let user = update.user { writer.fixed(seal.user(user, app: header.app)) }
    if let duration = update.duration { writer.number(duration) }
  }
}

/// A count of events that are not measurements, such as rejected requests or losses. `kind` is the raw value of the
/// store's `TallyKind`.
public struct RecordTally: Sendable, Equatable {
  var kind: UInt8
  /// The client's name; empty if unknown.
  var client: String
  var reason: String
  var detail: String
  var count: Int

  public init(kind: UInt8, client: String = "", reason: String, detail: String, count: Int) {
    self.kind = kind
    self.client = client
    self.reason = reason
    self.detail = detail
    self.count = count
  }
}

/// The encoded records of one request in one array of bytes, each preceded by its length as a varint.
///
/// All records are encoded into one buffer and copied once, into an array of the exact size.
public struct LengthDelimitedRecords: ~Copyable {
  private var writer: ByteWriter
  /// The offsets in `writer` at which the records end.
  private var ends: [Int] = []

  /// Creates an empty list. `count` is the expected number of reports and only reserves memory.
  public init(reservingRecords count: Int = 1) {
    writer = ByteWriter(reserving: Self.usualSize * count)
    ends.reserveCapacity(count)
  }

  /// The reserved size of one record in bytes, a little more than a daily MetricKit payload needs.
  private static let usualSize = 1200

  /// Appends a report. `seal` hashes its ids and compresses its large parts.
  public mutating func append(_ report: Report, _ header: RecordHeader, seal: Pseudonymizer) {
    RecordWriter.encode(report, header, seal: seal, into: &writer)
    ends.append(writer.count)
  }

  /// Appends a tally of events that are not measurements, such as losses.
  public mutating func append(_ tally: RecordTally, _ header: RecordHeader) {
    RecordWriter.encode(tally, header, into: &writer)
    ends.append(writer.count)
  }

  /// The appended records in the form the journal stores.
  public func bytes() -> [UInt8] {
    let ends = ends
    return writer.withBytes { records in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(records.count + Self.longestLength * ends.count)
      var start = 0
      for end in ends {
        Self.append(length: end - start, to: &bytes)
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: records[start..<end]))
        start = end
      }
      return bytes
    }
  }

  /// The most bytes of a length's varint, for lengths below 2 GiB.
  private static let longestLength = 5

  private static func append(length: Int, to bytes: inout [UInt8]) {
    var rest = length
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// The encoding of spans with whole-numbered edges, such as those of MetricKit's histograms. A bucket that begins where
/// the preceding one ended and has the same width takes only the bytes of its count.
///
/// Each span begins with a varint of twice its count. If the varint is odd (1 is added), the signed distance of the low
/// edge from the preceding high edge and the width as a varint follow. The first span's distance is from 0.
struct WholeSpans {
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
    isWhole(span.low) && isWhole(span.high) && span.low <= span.high && span.count >= 0 && span.count < 1 << 62
  }

  private static func isWhole(_ edge: Double) -> Bool {
    edge >= 0 && edge < Double(limit) && edge == edge.rounded(.down) && edge.sign == .plus
  }

  static func write(_ spans: [Span], into writer: inout ByteWriter) {
    var last = WholeSpans()
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
