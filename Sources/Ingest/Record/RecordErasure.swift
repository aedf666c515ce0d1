public import Core

/// Selects the parts of reports to remove from records.
public struct ErasedParts: Sendable {
  /// Whether to remove all reports of an origin.
  public var takesReport: @Sendable (ReportContext) -> Bool = { _ in false }
  /// Whether to remove a measurement, by its metric, label and day.
  public var takesMeasurement: @Sendable (MetricReference, String, CalendarDay) -> Bool = { _, _, _ in false }
  /// Whether to remove a session update, by its user and the day of its start.
  public var takesSession: @Sendable (HashedSessionUpdate, CalendarDay) -> Bool = { _, _ in false }
  /// Whether to remove a diagnostic, by its users and its day.
  public var takesDiagnostic: @Sendable (RecordedDiagnostic, CalendarDay) -> Bool = { _, _ in false }
  /// Whether to remove whole records, including those whose report cannot be read.
  let takesRecord: Bool

  public init() { takesRecord = false }

  private init(takesRecord: Bool) { self.takesRecord = takesRecord }

  /// A filter that removes every record.
  public static let everything = ErasedParts(takesRecord: true)
}

/// Removes parts from a record. The result is a record of the current version. If nothing is left, the result is an
/// empty tally, because records keep their numbers.
public enum RecordErasure {
  /// The record without what `filter` removes; nil if the filter removes nothing. Throws if the record is damaged.
  public static func edit(
    _ bytes: UnsafeRawBufferPointer, _ filter: ErasedParts
  ) throws(DamagedBytes) -> [UInt8]? {
    let record = try RecordReader(bytes)
    if filter.takesRecord {
      let blank = empty(RecordHeader(app: try record.app(), received: record.received, clock: record.clock))
      return bytes.elementsEqual(blank) ? nil : blank
    }
    guard case .report(var report) = record.content else { return nil }
    let origin = try ReportContext(report.origin)
    let header = RecordHeader(app: origin.app, received: record.received, clock: record.clock)
    if filter.takesReport(origin) { return empty(header) }
    func day(_ time: MeasurementTime) -> CalendarDay {
      switch time {
      case .day(let day): day
      case .instant(let instant): record.clock.day(of: instant)
      }
    }
    var (measurements, taken): ([Measurement], Int) = ([], 0)
    while let head = try report.nextMeasurement() {
      let measurement = try Self.measurement(head, &report)
      if filter.takesMeasurement(measurement.metric, measurement.label, day(measurement.time)) {
        taken += 1
      } else {
        measurements.append(measurement)
      }
    }
    let sessions = try report.sessions()
    let keptSessions = sessions.filter { !filter.takesSession($0, record.clock.day(of: $0.started)) }
    let diagnostics = try report.diagnostics()
    let keptDiagnostics = diagnostics.filter { !filter.takesDiagnostic($0, day($0.time)) }
    taken += sessions.count - keptSessions.count + diagnostics.count - keptDiagnostics.count
    guard taken > 0 else { return nil }
    guard !measurements.isEmpty || !keptSessions.isEmpty || !keptDiagnostics.isEmpty else { return empty(header) }
    var writer = ByteWriter(reserving: bytes.count)
    let version = RecordFormat.version(
      attributes: origin.attributes.count, hasFirstRun: report.firstRun != nil, hasDiagnostics: !keptDiagnostics.isEmpty
    )
    writer.byte(version)
    writer.byte(RecordFormat.report)
    RecordWriter.write(times: header, of: times(of: record), into: &writer)
    writer.blob(report.origin)
    writer.blob(report.client)
    RecordWriter.write(report.firstRun, record.received, version, &writer)
    RecordWriter.write(measurements: measurements, received: record.received, into: &writer)
    writer.count(keptSessions.count)
    for update in keptSessions { write(update, received: record.received, into: &writer) }
    writer.count(keptDiagnostics.count)
    for diagnostic in keptDiagnostics { write(diagnostic, received: record.received, into: &writer) }
    try writeRest(of: &report, into: &writer)
    return writer.bytes
  }

  /// The ids of a user's sessions that a record updates. Throws if the record is damaged.
  public static func sessions(
    of user: UInt64, in bytes: UnsafeRawBufferPointer
  ) throws(DamagedBytes) -> [UInt64] {
    guard case .report(var report) = try RecordReader(bytes).content else { return [] }
    while let head = try report.nextMeasurement() { _ = try measurement(head, &report) }
    return try report.sessions().filter { $0.user == user }.map(\.id)
  }

  private static func empty(_ header: RecordHeader) -> [UInt8] {
    RecordWriter.encode(TallyRecord(kind: 1, reason: "", detail: "", count: 0), header)
  }

  private static func measurement(
    _ head: MeasurementHead, _ report: inout ReportReader
  ) throws(DamagedBytes) -> Measurement {
    let (metric, label) = (report.metric(of: head), report.label())
    let value = try report.value(of: head)
    let extent = try report.extent(of: head)
    return Measurement(
      metric, label: label, at: head.time, value, extent: extent, accumulation: try report.accumulation(of: head))
  }

  /// The range of instants that needs every change of the record's clock.
  private static func times(of record: RecordReader) -> ClosedRange<Timestamp>? {
    guard let first = record.clock.changes.first, let last = record.clock.changes.last else { return nil }
    return Timestamp(milliseconds: first.at.milliseconds &- 1)...last.at
  }

  private static func writeRest(of report: inout ReportReader, into writer: inout ByteWriter) throws(DamagedBytes) {
    let losses = try report.losses()
    writer.count(losses.count)
    for loss in losses {
      writer.string(loss.category)
      writer.string(loss.reason)
      writer.count(loss.quantity)
    }
    let remarks = try report.remarks()
    writer.count(remarks.rejectedSamples)
    writer.count(remarks.unknownUnits)
    writer.count(remarks.assumedTimes)
  }

  private static func write(_ update: HashedSessionUpdate, received: Timestamp, into writer: inout ByteWriter) {
    writer.byte(RecordWriter.flags(of: update))
    writer.byte(update.outcome.rawValue)
    writer.fixed(update.id)
    writer.signed(update.started.milliseconds &- received.milliseconds)
    writer.signed(update.sequence ?? (update.updated ?? received).milliseconds)
    if let user = update.user { writer.fixed(user) }
    if let duration = update.duration { writer.number(duration) }
  }

  private static func write(_ diagnostic: RecordedDiagnostic, received: Timestamp, into writer: inout ByteWriter) {
    var flags: UInt8 = 0
    if case .instant = diagnostic.time { flags |= RecordFormat.DiagnosticFlag.instant }
    if diagnostic.quantity != nil { flags |= RecordFormat.DiagnosticFlag.quantity }
    if diagnostic.session != nil { flags |= RecordFormat.DiagnosticFlag.session }
    if diagnostic.user != nil { flags |= RecordFormat.DiagnosticFlag.user }
    if diagnostic.isInBackground { flags |= RecordFormat.DiagnosticFlag.background }
    flags |= RecordWriter.flags(of: diagnostic.exception)
    writer.byte(flags)
    writer.byte(diagnostic.kind.rawValue)
    switch diagnostic.time {
    case .day(let day): writer.signed(Int64(day.number - received.day().number))
    case .instant(let instant): writer.signed(instant.milliseconds &- received.milliseconds)
    }
    writer.fixed(diagnostic.identity)
    if let quantity = diagnostic.quantity { writer.number(quantity) }
    if let session = diagnostic.session { writer.fixed(session) }
    if let user = diagnostic.user { writer.fixed(user) }
    RecordWriter.write(diagnostic.exception, into: &writer)
    writer.byte(diagnostic.body.isFrame ? RecordFormat.frames : RecordFormat.content)
    writer.blob(diagnostic.calls.bytes)
    writer.count(diagnostic.bodySize)
    writer.blob(diagnostic.body.bytes)
  }
}
