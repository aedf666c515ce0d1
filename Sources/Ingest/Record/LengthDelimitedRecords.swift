public import Core

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
  public mutating func append(_ tally: TallyRecord, _ header: RecordHeader) {
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
