public import Core

/// Reads a report in order: its origin, its measurements one by one, then its sessions, diagnostics, losses and
/// remarks.
public struct ReportReader {
  /// The encoded origin, which `ReportContext` decodes. Equal origins have equal bytes.
  let origin: UnsafeRawBufferPointer
  /// The client's name, as UTF-8; empty if unknown.
  public let client: UnsafeRawBufferPointer
  /// The first run of the release on the installation; nil if the client did not state it.
  let firstRun: RecordedFirstRun?
  /// The number of measurements that are not read yet.
  private(set) var measurementsLeft: Int

  let version: UInt8
  private(set) var reader: ByteReader
  let received: Timestamp
  private var time: MeasurementTime
  private var name: [UInt8] = []
  private var unit = MetricUnit.count
  private var kind = Metric.Kind.distribution
  private var labelBytes: [UInt8] = []
  private var isLabelled = false
  /// The spans of the current measurement; nil if their edges are not all whole numbers.
  private var wholeSpans: WholeNumberSpans?

  init(_ reader: ByteReader, version: UInt8, received: Timestamp) throws(DamagedBytes) {
    var reader = reader
    origin = try reader.slice()
    self.version = version
    client = version > 1 ? try reader.slice() : UnsafeRawBufferPointer(start: nil, count: 0)
    firstRun = try Self.firstRun(&reader, version, received)
    measurementsLeft = try reader.count()
    self.reader = reader
    self.received = received
    time = .day(received.day())
  }

  private static func firstRun(
    _ reader: inout ByteReader, _ version: UInt8, _ received: Timestamp
  ) throws(DamagedBytes) -> RecordedFirstRun? {
    guard version >= RecordFormat.firstRunVersion else { return nil }
    let flag = version >= RecordFormat.diagnosticVersion ? try reader.byte() : 1
    guard flag <= 1 else { throw DamagedBytes(offset: reader.remaining) }
    return flag == 1 ? try RecordedFirstRun(from: &reader, received) : nil
  }

  /// Whether the first measurement, if there is one, is of a whole day.
  var beginsWithDay: Bool {
    measurementsLeft > 0 && (reader.unread.first.map { $0 & RecordFormat.instant == 0 } ?? false)
  }

  /// The next measurement; nil after the last. Read its values before the next call.
  public mutating func nextMeasurement() throws(DamagedBytes) -> MeasurementHead? {
    guard measurementsLeft > 0 else { return nil }
    measurementsLeft -= 1
    let (tag, number) = try readName()
    return try readForm(tag, number)
  }

  /// Like `nextMeasurement()`, but does not decode metrics and labels that `heads` knows. `heads` then has them, in its
  /// head at `current`, and this reader does not.
  mutating func nextMeasurement(_ heads: inout MeasurementHeads) throws(DamagedBytes) -> MeasurementHead? {
    guard measurementsLeft > 0 else { return nil }
    measurementsLeft -= 1
    let unread = reader.unread
    if let length = heads.skipExpected(in: unread) {
      try reader.skip(length)
    } else {
      if heads.hasSkippedNames { name = heads.lastName }
      let (tag, number) = try readName()
      let bytes = UnsafeRawBufferPointer(rebasing: unread[..<(unread.count - reader.remaining)])
      heads.find(bytes, tag, number, self)
    }
    let head = heads[heads.current]
    return try readForm(head.tag, head.number)
  }

  private mutating func readForm(_ tag: UInt8, _ number: UInt16) throws(DamagedBytes) -> MeasurementHead {
    if tag & RecordFormat.sameTime == 0 { time = try readTime(isInstant: tag & RecordFormat.instant != 0) }
    let form = tag & RecordFormat.kindMask
    wholeSpans = form == RecordFormat.wholeSpans ? WholeNumberSpans() : nil
    let content = MeasurementHead.Content(rawValue: wholeSpans == nil ? form : RecordFormat.spans)
    guard let content else { throw DamagedBytes(offset: reader.remaining) }
    let count = content == .counter ? 1 : try reader.count()
    return MeasurementHead(
      number: number, isLabelled: tag & RecordFormat.labelled != 0, time: time, content: content, count: count,
      hasExtent: tag & RecordFormat.extent != 0, isAccumulated: tag & RecordFormat.accumulated != 0)
  }

  /// The metric of the current measurement. This is the only call that allocates a string, and only for a custom name.
  func metric(of head: MeasurementHead) -> MetricReference { metric(head.number) }

  /// The metric of the current measurement, whose catalogue number is `number`; 0 for a custom metric.
  func metric(_ number: UInt16) -> MetricReference {
    number > 0
      ? .known(number) : .custom(name: String(decoding: name, as: UTF8.self), unit: unit, kind: kind)
  }

  /// The name of the current measurement's custom metric, as UTF-8.
  var customName: [UInt8] { name }

  /// The label of the current measurement; empty if it has none.
  func label() -> String { isLabelled ? String(decoding: labelBytes, as: UTF8.self) : "" }

  /// The key of the current measurement's series, computed without strings: the catalogue number, or a hash of the
  /// custom name and, if `labelled`, of the label.
  func series(_ number: UInt16, labelled: Bool) -> SeriesIdentity {
    if number > 0, !labelled { return SeriesIdentity(catalogue: number) }
    var hasher = Hasher()
    hasher.combine(labelled)
    if number == 0 {
      hasher.combine(unit.rawValue)
      hasher.combine(kind == .distribution)
      hasher.combine(name.count)
      name.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    if labelled { labelBytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    return SeriesIdentity(number: number, hash: hasher.finalize())
  }

  /// Reads the next number of the current measurement, in the metric's canonical unit. It is a sample of a distribution
  /// or the sum of a counter.
  @inline(__always)
  mutating func nextNumber() throws(DamagedBytes) -> Double { try reader.number() }

  /// Reads the next bucket of the current measurement.
  public mutating func nextSpan() throws(DamagedBytes) -> Span {
    if let span = try wholeSpans?.next(from: &reader) { return span }
    return try Span(from: &reader)
  }

  /// Reads all values of the current measurement.
  public mutating func value(of head: MeasurementHead) throws(DamagedBytes) -> Measurement.Value {
    guard wholeSpans != nil else { return try Measurement.Value(head.content, head.count, from: &reader) }
    var spans: [Span] = []
    spans.reserveCapacity(min(head.count, reader.remaining))
    for _ in 0..<head.count { spans.append(try nextSpan()) }
    return .spans(spans)
  }

  /// The extent of the current measurement; nil if it has none. Read the values first.
  mutating func extent(of head: MeasurementHead) throws(DamagedBytes) -> Extent? {
    head.hasExtent ? try Extent(from: &reader) : nil
  }

  /// The cumulative stream of the current measurement; nil if it is not cumulative. Call `extent(of:)` first, because
  /// its bytes come first.
  mutating func accumulation(of head: MeasurementHead) throws(DamagedBytes) -> CumulativeStream? {
    guard head.isAccumulated else { return nil }
    let stream = try reader.fixed()
    return CumulativeStream(
      stream: stream, start: Timestamp(milliseconds: received.milliseconds &+ (try reader.signed())))
  }

  /// All session updates, with times as the client sent them. Read the last measurement first.
  public mutating func sessions() throws(DamagedBytes) -> [HashedSessionUpdate] {
    var sessions: [HashedSessionUpdate] = []
    for _ in 0..<(try reader.count()) { sessions.append(try readSession()) }
    return sessions
  }

  /// All diagnostics of the report. Call `sessions()` first.
  public mutating func diagnostics() throws(DamagedBytes) -> [RecordedDiagnostic] {
    var diagnostics: [RecordedDiagnostic] = []
    guard version > 1 else { return diagnostics }
    for _ in 0..<(try reader.count()) { diagnostics.append(try RecordedDiagnostic(from: &reader, version, received)) }
    return diagnostics
  }

  /// The losses that the client reported. Call `diagnostics()` first.
  public mutating func losses() throws(DamagedBytes) -> [ClientLoss] {
    var losses: [ClientLoss] = []
    guard version > 1 else { return losses }
    for _ in 0..<(try reader.count()) {
      let category = try reader.string()
      let reason = try reader.string()
      losses.append(ClientLoss(category: category, reason: reason, quantity: try remark()))
    }
    return losses
  }

  /// The counts of the problems found when the report was decoded. Call `losses()` first.
  public mutating func remarks() throws(DamagedBytes) -> Remarks {
    Remarks(
      rejectedSamples: try remark(), unknownUnits: try remark(), assumedTimes: version > 1 ? try remark() : 0)
  }

  private mutating func remark() throws(DamagedBytes) -> Int {
    let count = try reader.count()
    guard count <= RecordFormat.mostCounted else { throw DamagedBytes(offset: reader.remaining) }
    return count
  }

  /// Reads a metric: its catalogue number, or 0 for a custom metric. The name, unit and kind of a custom metric are
  /// then kept.
  private mutating func readMetric() throws(DamagedBytes) -> UInt16 {
    let number = try reader.varint()
    guard number <= UInt64(UInt16.max) else { throw DamagedBytes(offset: reader.remaining) }
    if number > 0 { return UInt16(number) }
    unit = MetricUnit(rawValue: try reader.byte()) ?? .count
    kind = try reader.byte() == 0 ? .distribution : .counter
    let shared = try reader.count()
    guard shared <= name.count else { throw DamagedBytes(offset: reader.remaining) }
    name.removeLast(name.count - shared)
    name.append(contentsOf: try reader.slice())
    return 0
  }

  /// Reads the metric and label of the next measurement.
  private mutating func readName() throws(DamagedBytes) -> (tag: UInt8, number: UInt16) {
    let tag = try reader.byte()
    let number = try readMetric()
    isLabelled = tag & RecordFormat.labelled != 0
    if isLabelled { try readLabel() }
    return (tag, number)
  }

  private mutating func readLabel() throws(DamagedBytes) {
    labelBytes.removeAll(keepingCapacity: true)
    labelBytes.append(contentsOf: try reader.slice())
  }

  private mutating func readTime(isInstant: Bool) throws(DamagedBytes) -> MeasurementTime {
    let offset = try reader.signed()
    if isInstant { return .instant(Timestamp(milliseconds: received.milliseconds &+ offset)) }
    let day = Int64(received.day().number) &+ offset
    guard day.magnitude < RecordFormat.latestDay else { throw DamagedBytes(offset: reader.remaining) }
    return .day(CalendarDay(number: Int(day)))
  }

  private mutating func readSession() throws(DamagedBytes) -> HashedSessionUpdate {
    let flags = try reader.byte()
    guard let outcome = SessionOutcome(rawValue: try reader.byte()) else {
      throw DamagedBytes(offset: reader.remaining)
    }
    let id = try reader.fixed()
    let started = Timestamp(milliseconds: received.milliseconds &+ (try reader.signed()))
    let order = try reader.signed()
    let isNumbered = flags & RecordFormat.explicitSequence != 0
    let user = flags & RecordFormat.user != 0 ? try reader.fixed() : nil
    let duration = flags & RecordFormat.duration != 0 ? try reader.number() : nil
    return HashedSessionUpdate(
      id: id, outcome: outcome, started: started, sequence: isNumbered ? order : nil,
      updated: isNumbered ? nil : Timestamp(milliseconds: order), user: user, duration: duration,
      hasHang: flags & RecordFormat.hang != 0)
  }
}

/// The first run of a release on an installation, as a record states it.
struct RecordedFirstRun {
  /// Its day in the app's time zone.
  let day: CalendarDay
  /// Whether the report's measurements are from that run.
  let isCurrent: Bool

  init(day: CalendarDay, isCurrent: Bool) { (self.day, self.isCurrent) = (day, isCurrent) }

  init(from reader: inout ByteReader, _ received: Timestamp) throws(DamagedBytes) {
    let day = Int64(received.day().number) &+ (try reader.signed())
    guard day.magnitude < RecordFormat.latestDay else { throw DamagedBytes(offset: reader.remaining) }
    let flag = try reader.byte()
    guard flag <= 1 else { throw DamagedBytes(offset: reader.remaining) }
    self.init(day: CalendarDay(number: Int(day)), isCurrent: flag == 1)
  }
}

/// Counts of the problems found when a report was decoded.
public struct Remarks: Sendable, Equatable {
  let rejectedSamples: Int
  /// The number of values with an unknown unit. In records of version 1 it includes assumed times.
  let unknownUnits: Int
  let assumedTimes: Int
}
