import Testing

@testable import Core
@testable import Ingest

/// What a reader refuses, at its border and one step before it.
@Suite("Limits of a record")
struct RecordBoundTests {
  private func read(_ bytes: [UInt8]) throws -> Timestamp {
    try bytes.withUnsafeBytes { try RecordReader($0).received }
  }

  @Test("a record of an unreleased version is refused, and every released one is read")
  func versions() throws {
    // A tally without changes of its clock has the same bytes in versions 2 and 3 but for the count of changes.
    let record = RecordWriter.encode(Samples.tally, Samples.header)
    #expect(record[0] == 4)
    #expect(try read(record) == Samples.header.received)
    for version in [0, 9, 255] as [UInt8] {
      #expect(throws: DamagedBytes.self) { try self.read([version] + record.dropFirst()) }
    }
  }

  private func tally(received: Int64, count: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(3)
    writer.byte(2)
    writer.signed(received)
    writer.signed(0)
    writer.count(0)
    writer.count(7)
    writer.byte(1)
    writer.string("")
    writer.string("reason")
    writer.string("")
    writer.varint(count)
    return writer.bytes
  }

  /// In a process of its own: a bound that is missing ends that process and fails this test alone.
  @Test("a change of the clock outside the kept times is damage")
  func distance() async {
    await #expect(processExitsWith: .success) {
      for distance in [Int64.max, .min, 300_000_000_000_001, -300_000_000_000_001] {
        var writer = ByteWriter()
        writer.byte(3)
        writer.byte(2)
        writer.signed(1_795_168_800_000)
        writer.signed(0)
        writer.count(1)
        writer.signed(distance)
        writer.signed(3600)
        writer.count(7)
        writer.byte(1)
        for text in ["", "reason", ""] { writer.string(text) }
        writer.varint(1)
        let bytes = writer.bytes
        #expect(throws: DamagedBytes.self) { try bytes.withUnsafeBytes { try RecordReader($0).received } }
      }
    }
  }

  @Test("a record with 64 changes of its clock is read, and one with more is damaged")
  func changes() throws {
    for (count, isRead) in [(64, true), (65, false)] {
      var writer = ByteWriter()
      writer.byte(3)
      writer.byte(2)
      writer.signed(1_795_168_800_000)
      writer.signed(0)
      writer.count(count)
      for number in 0..<count {
        writer.signed(Int64(number))
        writer.signed(3600)
      }
      writer.count(7)
      writer.byte(1)
      for text in ["", "reason", ""] { writer.string(text) }
      writer.varint(1)
      let bytes = writer.bytes
      #expect(((try? read(bytes)) != nil) == isRead, "\(count)")
    }
  }

  @Test("a receipt after the year 9999 and a count beyond 2^48 are damage")
  func limits() throws {
    #expect(try read(tally(received: 300_000_000_000_000, count: 1)).milliseconds == 300_000_000_000_000)
    #expect(throws: DamagedBytes.self) { try self.read(self.tally(received: 300_000_000_000_001, count: 1)) }
    #expect(throws: DamagedBytes.self) { try self.read(self.tally(received: .min, count: 1)) }
    #expect(throws: Never.self) { try self.read(self.tally(received: 1, count: 1 << 48)) }
    #expect(throws: DamagedBytes.self) { try self.read(self.tally(received: 1, count: 1 << 48 + 1)) }
  }
}
