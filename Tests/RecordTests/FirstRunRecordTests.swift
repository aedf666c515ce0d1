import Foundation
import Testing

@testable import Core
@testable import Ingest

/// Version 7 of a record: the first run of the release on the installation.
struct FirstRunRecordTests {
  /// 2026-11-17T23:30:00Z, which is the 18th in the time zone of the sample, an hour ahead of UTC.
  private static let first = Timestamp(milliseconds: CalendarDay(number: 20_774).startUTC.milliseconds + 84_600_000)

  private static func encoded(_ run: FirstRun?) -> [UInt8] {
    var report = Samples.withoutDiagnostics
    report.firstRun = run
    return RecordWriter.encode(report, Samples.headerWithClient, seal: Samples.seal)
  }

  private static func run(of bytes: [UInt8]) throws -> RecordedFirstRun? {
    try bytes.withUnsafeBytes { bytes in
      guard case .report(let report) = try RecordReader(bytes).content else { return nil }
      try report.check()
      return report.firstRun
    }
  }

  @Test("a report with a first run is version 7: the content of version 4, and day and flag behind the client")
  func written() throws {
    let known = Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics)
    for (isCurrent, flag) in [(true, "01"), (false, "00")] {
      let bytes = Self.encoded(FirstRun(at: Self.first, isCurrent: isCurrent))
      // Two days before the receipt on the 20th are the zigzag number 3.
      #expect(bytes.count == known.count + 2 && bytes[0] == 7)
      #expect(Hex.text(bytes).contains(Hex.text(Array(Samples.headerWithClient.client.utf8)) + "03" + flag))
      let run = try #require(try Self.run(of: bytes))
      #expect(run.day == CalendarDay(number: 20_775) && run.isCurrent == isCurrent)
      #expect(try Reread(bytes) == Reread(known))
    }
    #expect(try Self.run(of: Self.encoded(nil)) == nil)
  }

  @Test("a record that loses a part to a deletion keeps its first run")
  func erased() throws {
    var filter = ErasedParts()
    filter.takesSession = { session, _ in session.outcome == .crashed }
    let bytes = Self.encoded(FirstRun(at: Self.first, isCurrent: true))
    let edited = try #require(try bytes.withUnsafeBytes { try RecordErasure.edit($0, filter) })
    let run = try #require(try Self.run(of: edited))
    #expect(edited.first == 7 && run.day == CalendarDay(number: 20_775) && run.isCurrent)
  }

  @Test("a record with diagnostics states whether there is a first run, also after a deletion")
  func withDiagnostics() throws {
    var filter = ErasedParts()
    filter.takesSession = { session, _ in session.outcome == .crashed }
    for run in [nil, FirstRun(at: Self.first, isCurrent: true)] {
      var report = Samples.full
      report.firstRun = run
      report.attributes = [AppAttribute(name: "region", value: "DE")].compactMap { $0 }
      let bytes = RecordWriter.encode(report, Samples.headerWithClient, seal: Samples.seal)
      let edited = try #require(try bytes.withUnsafeBytes { try RecordErasure.edit($0, filter) })
      for record in [bytes, edited] {
        #expect(record[0] == 8)
        #expect(try Self.run(of: record)?.day == run.map { _ in CalendarDay(number: 20_775) })
        #expect(try Reread(record)?.diagnostics == Reread(bytes)?.diagnostics)
      }
      #expect(try Reread(edited)?.sessions.count == 1)
    }
  }

  @Test("an impossible day, another flag and a cut record are damage")
  func damaged() throws {
    let bytes = Self.encoded(FirstRun(at: Self.first, isCurrent: true))
    let name = Array(Samples.headerWithClient.client.utf8)
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: name) }.map { $0 + name.count })
    var other = bytes
    other[place + 1] = 2
    #expect(throws: DamagedBytes.self) { try Self.run(of: other) }
    #expect(throws: DamagedBytes.self) { try Self.run(of: Array(bytes.prefix(place + 1))) }
    var far = Array(bytes.prefix(place))
    far += [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1] + bytes.dropFirst(place + 2)
    #expect(throws: DamagedBytes.self) { try Self.run(of: far) }
  }
}
