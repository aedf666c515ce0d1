import Core

/// A diagnostic as read from a record: ids are hashed, call stacks and body are compressed.
public struct RecordedDiagnostic: Sendable, Equatable {
  let kind: DiagnosticKind
  let time: MeasurementTime
  let identity: UInt64
  let quantity: Double?
  public let session: UInt64?
  public let user: UInt64?
  let exception: ExceptionDetails
  /// A zstd frame of the call stacks; decode its content with `CallTree.init(recorded:)`.
  let calls: [UInt8]
  /// The size of the diagnostic's JSON before compression, in bytes.
  let bodySize: Int
  /// The diagnostic's JSON, compressed to a zstd frame.
  let body: [UInt8]

  init(from reader: inout ByteReader, received: Timestamp) throws(DamagedBytes) {
    let flags = try reader.byte()
    guard let kind = DiagnosticKind(rawValue: try reader.byte()) else { throw DamagedBytes(offset: reader.remaining) }
    self.kind = kind
    time = try Self.time(&reader, isInstant: flags & RecordFormat.DiagnosticFlag.instant != 0, received)
    identity = try reader.fixed()
    let stated = flags & RecordFormat.DiagnosticFlag.quantity != 0 ? try reader.number() : nil
    quantity = stated.flatMap { $0 >= 0 && $0 <= RecordFormat.largestValue ? $0 : nil }
    session = flags & RecordFormat.DiagnosticFlag.session != 0 ? try reader.fixed() : nil
    user = flags & RecordFormat.DiagnosticFlag.user != 0 ? try reader.fixed() : nil
    exception = try Self.exception(&reader, flags)
    calls = [UInt8](try reader.slice())
    bodySize = try reader.count()
    guard bodySize <= RecordFormat.largestBody else { throw DamagedBytes(offset: reader.remaining) }
    body = [UInt8](try reader.slice())
  }

  private static func time(
    _ reader: inout ByteReader, isInstant: Bool, _ received: Timestamp
  ) throws(DamagedBytes) -> MeasurementTime {
    let offset = try reader.signed()
    if isInstant { return .instant(Timestamp(milliseconds: received.milliseconds &+ offset)) }
    let day = Int64(received.day().number) &+ offset
    guard day.magnitude < RecordFormat.latestDay else { throw DamagedBytes(offset: reader.remaining) }
    return .day(CalendarDay(number: Int(day)))
  }

  private static func exception(_ reader: inout ByteReader, _ flags: UInt8) throws(DamagedBytes) -> ExceptionDetails {
    var facts = ExceptionDetails()
    if flags & RecordFormat.DiagnosticFlag.type != 0 { facts.type = Int(try reader.signed()) }
    if flags & RecordFormat.DiagnosticFlag.code != 0 { facts.code = try reader.fixed() }
    if flags & RecordFormat.DiagnosticFlag.signal != 0 { facts.signal = Int(try reader.signed()) }
    facts.name = try text(&reader)
    facts.termination = try text(&reader)
    facts.reason = try text(&reader)
    return facts
  }

  private static func text(_ reader: inout ByteReader) throws(DamagedBytes) -> String? {
    let text = try reader.string()
    return text.isEmpty ? nil : text
  }
}
