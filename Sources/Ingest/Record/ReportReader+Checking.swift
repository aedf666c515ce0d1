import Core

extension ReportReader {
  /// Validates the rest of the record and throws where reading it would throw. The report can then be merged part by
  /// part without counting part of a damaged record. No values are built, so a check costs a fraction of reading.
  @discardableResult func check() throws(DamagedBytes) -> ReportOutline {
    var walk = RecordWalk(reader: reader, version: version, today: Int64(received.day().number))
    for _ in 0..<measurementsLeft { try walk.reading() }
    let sessions = try walk.reader.count()
    for _ in 0..<sessions { try walk.session() }
    var diagnostics = 0
    if version > 1 {
      diagnostics = try walk.reader.count()
      for _ in 0..<diagnostics { try walk.diagnostic() }
      for _ in 0..<(try walk.reader.count()) { try walk.loss() }
    }
    for _ in 0..<(version > 1 ? 3 : 2) { try walk.remark() }
    return ReportOutline(
      day: walk.day ?? Int32(clamping: received.day().number), values: walk.values,
      isOrdered: sessions + diagnostics + walk.accumulations > 0, hasInstants: walk.hasInstants, cell: Self.hash(origin)
    )
  }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

/// An outline of a report, as far as a check reads it.
struct ReportOutline: Sendable {
  /// The day of the first measurement, in days since 1970 in UTC.
  let day: Int32
  /// The number of measurements and of their values.
  let values: Int
  /// Whether the report has parts that must be applied in the order of records: sessions, diagnostics or cumulative
  /// streams.
  let isOrdered: Bool
  /// Whether a measurement has an instant instead of a day.
  let hasInstants: Bool
  /// A hash of the origin, equal for reports of one origin.
  let cell: UInt32
}

/// Walks over a record's parts, one method per part. Each method checks the conditions of the code that reads the part.
private struct RecordWalk {
  var reader: ByteReader
  let version: UInt8
  let today: Int64
  /// The length of the last custom metric name, in bytes. The next name may share a prefix of it.
  private var nameLength = 0
  /// The day of the first measurement; see `ReportOutline`.
  private(set) var day: Int32?
  private(set) var values = 0
  private(set) var accumulations = 0
  private(set) var hasInstants = false

  init(reader: ByteReader, version: UInt8, today: Int64) {
    self.reader = reader
    self.version = version
    self.today = today
  }

  private var damage: DamagedBytes { DamagedBytes(offset: reader.remaining) }

  mutating func reading() throws(DamagedBytes) {
    let tag = try reader.byte()
    try metric()
    if tag & RecordFormat.labelled != 0 { try blob() }
    if tag & RecordFormat.sameTime == 0 { try time(isInstant: tag & RecordFormat.instant != 0) }
    let form = tag & RecordFormat.kindMask
    if form == RecordFormat.wholeSpans {
      let count = try reader.count()
      values = values &+ count &+ 1
      var spans = WholeNumberSpans()
      for _ in 0..<count { _ = try spans.next(from: &reader) }
    } else {
      guard let content = MeasurementHead.Content(rawValue: form) else { throw damage }
      let count = content == .counter ? 1 : try reader.count()
      values = values &+ count &+ 1
      try self.values(content, count)
    }
    if tag & RecordFormat.extent != 0 { try extent() }
    if tag & RecordFormat.accumulated != 0 {
      accumulations += 1
      _ = try reader.fixed()
      _ = try reader.varint()
    }
  }

  private mutating func metric() throws(DamagedBytes) {
    let number = try reader.varint()
    guard number <= UInt64(UInt16.max) else { throw damage }
    if number > 0 { return }
    _ = try reader.byte()
    _ = try reader.byte()
    let shared = try reader.count()
    guard shared <= nameLength else { throw damage }
    nameLength = shared + (try reader.slice()).count
  }

  private mutating func time(isInstant: Bool) throws(DamagedBytes) {
    let offset = try reader.signed()
    guard isInstant || (today &+ offset).magnitude < RecordFormat.latestDay else { throw damage }
    if isInstant { hasInstants = true }
    if day == nil { day = Int32(clamping: isInstant ? today &+ offset / 86_400_000 : today &+ offset) }
  }

  private mutating func values(_ content: MeasurementHead.Content, _ count: Int) throws(DamagedBytes) {
    switch content {
    case .counter, .samples: for _ in 0..<count { try number() }
    case .spans:
      for _ in 0..<count {
        try number()
        try number()
        _ = try reader.count()
      }
    case .exponential: try exponential(count)
    }
  }

  private mutating func exponential(_ count: Int) throws(DamagedBytes) {
    guard try reader.signed().magnitude <= RecordFormat.largestScale else { throw damage }
    _ = try reader.count()
    var index: Int64 = 0
    for _ in 0..<count {
      let (next, overflow) = index.addingReportingOverflow(try reader.signed())
      guard !overflow else { throw damage }
      index = next
      _ = try reader.count()
    }
  }

  private mutating func extent() throws(DamagedBytes) {
    let flags = try reader.byte()
    try number()
    if flags & 1 != 0 { try number() }
    if flags & 2 != 0 { try number() }
  }

  mutating func session() throws(DamagedBytes) {
    let flags = try reader.byte()
    guard SessionOutcome(rawValue: try reader.byte()) != nil else { throw damage }
    _ = try reader.fixed()
    _ = try reader.varint()
    _ = try reader.varint()
    if flags & RecordFormat.user != 0 { _ = try reader.fixed() }
    if flags & RecordFormat.duration != 0 { try number() }
  }

  mutating func diagnostic() throws(DamagedBytes) {
    let flags = try reader.byte()
    guard DiagnosticKind(rawValue: try reader.byte()) != nil else { throw damage }
    try time(isInstant: flags & RecordFormat.DiagnosticFlag.instant != 0)
    _ = try reader.fixed()
    if flags & RecordFormat.DiagnosticFlag.quantity != 0 { try number() }
    if flags & RecordFormat.DiagnosticFlag.session != 0 { _ = try reader.fixed() }
    if flags & RecordFormat.DiagnosticFlag.user != 0 { _ = try reader.fixed() }
    if flags & RecordFormat.DiagnosticFlag.type != 0 { _ = try reader.varint() }
    if flags & RecordFormat.DiagnosticFlag.code != 0 { _ = try reader.fixed() }
    if flags & RecordFormat.DiagnosticFlag.signal != 0 { _ = try reader.varint() }
    // The exception's name, termination and reason.
    for _ in 0..<3 { try blob() }
    if version >= RecordFormat.diagnosticVersion, try reader.byte() > RecordFormat.frames { throw damage }
    // The call stacks.
    try blob()
    guard try reader.count() <= RecordFormat.largestBody else { throw damage }
    try blob()
  }

  mutating func loss() throws(DamagedBytes) {
    try blob()
    try blob()
    try remark()
  }

  mutating func remark() throws(DamagedBytes) {
    guard try reader.count() <= RecordFormat.mostCounted else { throw damage }
  }

  @inline(__always)
  private mutating func number() throws(DamagedBytes) {
    if try reader.varint() & 1 != 0 { _ = try reader.fixed() }
  }

  private mutating func blob() throws(DamagedBytes) { _ = try reader.slice() }
}
