import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// No bytes end the process, and the check of a whole record judges as reading it does.
struct DamagedRecordTests {
  private static let records = [
    RecordWriter.encode(Samples.rich, Samples.header, seal: Samples.seal),
    RecordWriter.encode(Samples.full, Samples.header, seal: Samples.seal),
    RecordWriter.encode(Samples.dayPayload, Samples.header, seal: Samples.seal),
    RecordWriter.encode(Samples.tally, Samples.header), Hex.bytes(GoldenRecordTests.reportOfVersionTwo),
    Hex.bytes(GoldenRecordTests.reportOfVersionThree),
    Hex.bytes(GoldenRecordTests.report),
  ]

  @Test("a truncated record throws at every length")
  func truncated() {
    for record in Self.records {
      for length in 0..<record.count {
        #expect(throws: DamagedBytes.self) {
          if try Reread(Array(record[..<length])) == nil { _ = try Reread.tally(Array(record[..<length])) }
        }
      }
    }
  }

  @Test("a record with any one bit flipped is read or throws")
  func flippedBits() {
    for record in Self.records {
      for bit in 0..<record.count * 8 {
        var bytes = record
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        Self.readAll(bytes)
      }
    }
  }

  @Test("random bytes as a record are read or throw")
  func randomBytes() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 1...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // The first two say that a report follows, so that more than the version is tried.
      bytes[0] = UInt8.random(in: 1...4, using: &random)
      if bytes.count > 1 { bytes[1] = UInt8.random(in: 1...2, using: &random) }
      Self.readAll(bytes)
    }
  }

  @Test("the smallest and largest integers anywhere in a record are read or throw")
  func extremes() {
    for record in Self.records {
      for index in 2..<min(record.count, 200) {
        for extreme in Self.extremeIntegers {
          var writer = ByteWriter()
          writer.varint(extreme)
          Self.readAll(Array(record[..<index]) + writer.bytes + record[(index + 1)...])
          Self.readAll(Array(record[..<index]) + writer.bytes + record[index...])
        }
      }
    }
  }

  private static let extremeIntegers: [UInt64] = [.max, .max - 1, 0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff]

  /// Whether the digest can read all of a report after undamaged records, whose heads it knows.
  private static func isDecoded(_ bytes: [UInt8]) -> Bool {
    var measured = DecodedMeasurements()
    func isDecoded(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBytes { buffer in
        guard case .report(var report)? = try? RecordReader(buffer).content, (try? measured.read(&report)) != nil,
          (try? report.sessions()) != nil, (try? report.diagnostics()) != nil, (try? report.losses()) != nil
        else { return false }
        return (try? report.remarks()) != nil && (try? ReportContext(report.origin)) != nil
      }
    }
    for record in records { _ = isDecoded(record) }
    return isDecoded(bytes)
  }

  /// Reads as the digest does, days and all.
  private static func readAll(_ bytes: [UInt8]) {
    let passes: Bool? = bytes.withUnsafeBytes { buffer in
      guard let reader = try? RecordReader(buffer) else { return nil }
      #expect(reader.clock.day(of: reader.received).iso.utf8.count >= 10)
      guard case .report(let report) = reader.content else { return nil }
      return (try? report.check()) != nil && (try? ReportContext(report.origin)) != nil
    }
    let isRead = (try? Reread(bytes)) != nil
    #expect((passes ?? false) == isRead, "\(Hex.text(bytes))")
    #expect(isDecoded(bytes) == isRead, "\(Hex.text(bytes))")
    _ = try? Reread.tally(bytes)
  }
}
