public import Core

/// Decodes a record in place. It reads every version that was ever released.
///
/// It borrows memory: the buffer must outlive the reader and everything it returns.
public struct RecordReader {
  /// The time at which the record was received.
  let received: Timestamp
  /// The UTC offset of the app's time zone at the receipt and at every instant of the report.
  let clock: TimeZoneOffsets
  public let content: Content

  /// The kinds of records: a report, or a tally of other events.
  public enum Content {
    case report(ReportReader)
    case tally(app: Int32, TallyRecord)
  }

  public init(_ buffer: UnsafeRawBufferPointer) throws(DamagedBytes) {
    var reader = ByteReader(buffer)
    let version = try reader.byte()
    guard (RecordFormat.firstVersion...RecordFormat.newestVersion).contains(version) else {
      throw DamagedBytes(offset: 0)
    }
    let kind = try reader.byte()
    received = Timestamp(milliseconds: try reader.signed())
    // `magnitude`, because abs() traps for the smallest integer.
    guard received.milliseconds.magnitude <= RecordFormat.latest else { throw DamagedBytes(offset: 2) }
    clock = try Self.clock(&reader, version: version, received: received)
    switch kind {
    case RecordFormat.report: content = .report(try ReportReader(reader, version: version, received: received))
    case RecordFormat.tally: content = try Self.tally(&reader, version: version)
    default: throw DamagedBytes(offset: 1)
    }
  }

  /// Whether a record is of a newer version that this program cannot read.
  public static func isOfNewerVersion(_ buffer: UnsafeRawBufferPointer) -> Bool {
    buffer.first.map { $0 > RecordFormat.newestVersion } ?? false
  }

  /// The id of the app to which the record belongs.
  public func app() throws(DamagedBytes) -> Int32 {
    switch content {
    case .tally(let app, _): return app
    case .report(let report):
      var origin = ByteReader(report.origin)
      return Int32(truncatingIfNeeded: try origin.count())
    }
  }

  private static func clock(
    _ reader: inout ByteReader, version: UInt8, received: Timestamp
  ) throws(DamagedBytes) -> TimeZoneOffsets {
    var clock = TimeZoneOffsets(utcOffsetSeconds: try offset(&reader))
    // Before version 3, a record had one offset, that of its receipt, for all instants.
    guard version > 2 else { return clock }
    let count = try reader.count()
    guard count <= RecordFormat.mostChanges else { throw DamagedBytes(offset: reader.remaining) }
    for _ in 0..<count {
      let distance = try reader.signed()
      guard distance.magnitude <= RecordFormat.latest else { throw DamagedBytes(offset: reader.remaining) }
      let instant = Timestamp(milliseconds: received.milliseconds + distance)
      clock.changes.append(TimeZoneOffsets.Change(at: instant, utcOffsetSeconds: try offset(&reader)))
    }
    return clock
  }

  private static func offset(_ reader: inout ByteReader) throws(DamagedBytes) -> Int {
    let offset = try reader.signed()
    guard offset.magnitude <= RecordFormat.mostOffset else { throw DamagedBytes(offset: reader.remaining) }
    return Int(offset)
  }

  private static func tally(_ reader: inout ByteReader, version: UInt8) throws(DamagedBytes) -> Content {
    let app = Int32(truncatingIfNeeded: try reader.count())
    let kind = try reader.byte()
    let client = version > 1 ? try reader.string() : ""
    let reason = try reader.string()
    let detail = try reader.string()
    let count = try reader.count()
    guard count <= RecordFormat.mostCounted else { throw DamagedBytes(offset: reader.remaining) }
    return .tally(app: app, TallyRecord(kind: kind, client: client, reason: reason, detail: detail, count: count))
  }
}
