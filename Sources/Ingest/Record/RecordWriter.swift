public import Core

/// Encodes reports and tallies as records of version 4, reports with one attribute as version 5, those with several as
/// version 6, those that state the first run of their release as version 7, and those with diagnostics as version 8.
public enum RecordWriter {
  /// Encodes one report. `seal` hashes its ids.
  public static func encode(_ report: Report, _ header: RecordHeader, seal: Pseudonymizer) -> [UInt8] {
    var writer = ByteWriter(reserving: 2048)
    encode(report, header, seal: seal, into: &writer)
    return writer.bytes
  }

  /// Encodes a tally, a count of events that are not measurements, as a record.
  public static func encode(_ tally: TallyRecord, _ header: RecordHeader) -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    encode(tally, header, into: &writer)
    return writer.bytes
  }

  static func encode(
    _ report: Report, _ header: RecordHeader, seal: Pseudonymizer, into writer: inout ByteWriter
  ) {
    let version = RecordFormat.version(
      attributes: report.attributes.count, hasFirstRun: report.firstRun != nil,
      hasDiagnostics: !report.diagnostics.isEmpty)
    writer.byte(version)
    writer.byte(RecordFormat.report)
    write(times: header, of: header.clock.changes.isEmpty ? nil : report.times, into: &writer)
    write(origin: report, header, into: &writer)
    writer.string(header.client)
    let run = report.firstRun.map { run in
      RecordedFirstRun(day: header.clock.day(of: run.time), isCurrent: run.isCurrent)
    }
    write(run, header.received, version, &writer)
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

  static func encode(_ tally: TallyRecord, _ header: RecordHeader, into writer: inout ByteWriter) {
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
    var flags = report.isMixedRelease ? RecordFormat.mixedRelease : 0
    if !report.attributes.isEmpty {
      flags |= report.attributes.count == 1 ? RecordFormat.attribute : RecordFormat.attributes
    }
    origin.byte(flags)
    origin.string(report.environment)
    origin.string(report.release.version)
    origin.string(report.release.build)
    origin.string(report.device.model)
    origin.string(report.device.system.name)
    origin.string(report.device.system.version)
    origin.string(report.device.system.build)
    if report.attributes.count > 1 { origin.count(report.attributes.count) }
    for attribute in report.attributes {
      origin.string(attribute.name)
      origin.string(attribute.value)
    }
    origin.withBytes { writer.blob($0) }
  }

  /// Writes the first run. Records with diagnostics also state that there is none.
  static func write(_ run: RecordedFirstRun?, _ received: Timestamp, _ version: UInt8, _ writer: inout ByteWriter) {
    if version >= RecordFormat.diagnosticVersion { writer.byte(run == nil ? 0 : 1) }
    guard let run else { return }
    writer.signed(Int64(run.day.number - received.day().number))
    writer.byte(run.isCurrent ? 1 : 0)
  }

  static func write(measurements: [Measurement], received: Timestamp, into writer: inout ByteWriter) {
    writer.count(measurements.count)
    let today = received.day()
    var lastTime: MeasurementTime?
    var lastName: [UInt8] = []
    measurements.withUnsafeBufferPointer { readings in
      guard let first = readings.baseAddress else { return }
      for index in readings.indices {
        write(first + index, today, received, lastTime: &lastTime, lastName: &lastName, into: &writer)
      }
    }
  }

  /// Writes a measurement. It is passed as a pointer, because a measurement passed by value is copied and retained.
  @inline(__always)
  private static func write(
    _ reading: UnsafePointer<Measurement>, _ today: CalendarDay, _ received: Timestamp,
    lastTime: inout MeasurementTime?, lastName: inout [UInt8], into writer: inout ByteWriter
  ) {
    let wholeSpans = WholeNumberSpans.edges(of: reading.pointee.value)
    let time = reading.pointee.time
    let isLabelled = !reading.pointee.label.isEmpty
    var tag = wholeSpans != nil ? RecordFormat.wholeSpans : RecordFormat.tag(of: reading.pointee.value)
    if case .instant = time { tag |= RecordFormat.instant }
    if time == lastTime { tag |= RecordFormat.sameTime }
    if isLabelled { tag |= RecordFormat.labelled }
    if reading.pointee.extent != nil { tag |= RecordFormat.extent }
    if reading.pointee.accumulation != nil { tag |= RecordFormat.accumulated }
    writer.byte(tag)
    write(metric: reading.pointee.metric, lastName: &lastName, into: &writer)
    if isLabelled { writer.string(reading.pointee.label) }
    if time != lastTime {
      switch time {
      case .day(let day): writer.signed(Int64(day.number - today.number))
      case .instant(let instant): writer.signed(instant.milliseconds &- received.milliseconds)
      }
      lastTime = time
    }
    if let wholeSpans {
      writer.count(wholeSpans.count)
      WholeNumberSpans.write(wholeSpans, into: &writer)
    } else {
      write(value: reading.pointee.value, into: &writer)
    }
    if let extent = reading.pointee.extent { write(extent, into: &writer) }
    if let accumulation = reading.pointee.accumulation {
      writer.fixed(accumulation.stream)
      writer.signed(accumulation.start.milliseconds &- received.milliseconds)
    }
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
        let shared = lastName.withUnsafeBufferPointer { commonPrefix($0, bytes) }
        writer.count(shared)
        writer.blob(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[shared...]))
        lastName.removeLast(lastName.count - shared)
        lastName.append(contentsOf: bytes[shared...])
      }
    }
  }

  /// The number of bytes at the beginning of two texts that are equal, compared eight at a time.
  private static func commonPrefix(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
    let count = min(left.count, right.count)
    var shared = 0
    while shared &+ 8 <= count {
      let word = left.loadUnaligned(fromByteOffset: shared, as: UInt64.self).littleEndian
      let other = right.loadUnaligned(fromByteOffset: shared, as: UInt64.self).littleEndian
      if word != other { return shared &+ (word ^ other).trailingZeroBitCount / 8 }
      shared &+= 8
    }
    while shared < count, left[shared] == right[shared] { shared &+= 1 }
    return shared
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
