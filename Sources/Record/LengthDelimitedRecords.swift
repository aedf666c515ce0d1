import Bytes
public import Telemetry

/// The records of one request in one run of bytes, each behind its length as a varint.
///
/// All records are encoded into the same memory, and copied from there once, into an array of the right size.
public struct LengthDelimitedRecords: ~Copyable {
  private var writer: ByteWriter
  /// The offset in `writer` behind each record.
  private var ends: [Int] = []

  /// `reservingRecords`: how many reports will probably be appended.
  public init(reservingRecords count: Int = 1) {
    writer = ByteWriter(reserving: Self.usualSize * count)
    ends.reserveCapacity(count)
  }

  /// Bytes of the record of a daily MetricKit payload, generously.
  private static let usualSize = 1200

  /// Appends a report, its ids hashed and its large parts compressed by `seal`.
  public mutating func append(_ report: Report, _ header: RecordHeader, seal: Pseudonymizer) {
    RecordWriter.encode(report, header, seal: seal, into: &writer)
    ends.append(writer.count)
  }

  /// Appends a count of what happened beside the measurements.
  public mutating func append(_ tally: RecordTally, _ header: RecordHeader) {
    RecordWriter.encode(tally, header, into: &writer)
    ends.append(writer.count)
  }

  /// What was appended, as the journal stores it.
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

  /// Bytes of the varint of any length below 2 GiB.
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
