import Foundation
import Testing

@testable import Core
@testable import Ingest

/// Version 5 of a record: the one value of the app's attribute.
struct AttributeRecordTests {
  private static let attribute = AppAttribute(name: "experiment", value: "new-cart")

  private static func report(_ attribute: AppAttribute?) -> Report {
    var report = Samples.full
    report.attribute = attribute
    return report
  }

  private static func encoded(_ report: Report) -> [UInt8] {
    RecordWriter.encode(report, Samples.headerWithClient, seal: Samples.seal)
  }

  /// Version 4's bytes with another version, the flag 2, and two strings behind the origin, whose length grows by 20.
  private static let golden = [
    ("040180b4", "050180b4"), ("360702000a", "4a0702020a"),
    ("3231453233361353", "3231453233360a6578706572696d656e74086e65772d636172741353"),
  ].reduce(Hex.text(Hex.bytes(GoldenRecordTests.reportOfVersionFour))) {
    $0.replacingOccurrences(of: $1.0, with: $1.1)
  }

  @Test("a report with an attribute is version 5: the content of version 4 and the attribute")
  func written() throws {
    let bytes = Self.encoded(Self.report(Self.attribute))
    #expect(Hex.text(bytes) == Self.golden)
    #expect(try Self.attribute(of: bytes) == Self.attribute)
    #expect(try Reread(bytes) == Reread(Hex.bytes(GoldenRecordTests.reportOfVersionFour)))
  }

  @Test("a report without an attribute has the same bytes as before attributes existed")
  func absent() throws {
    let bytes = Self.encoded(Self.report(nil))
    #expect(Hex.text(bytes) == Hex.text(Hex.bytes(GoldenRecordTests.reportOfVersionFour)))
    #expect(try Self.attribute(of: bytes) == nil)
  }

  @Test("the rest of an edited record keeps its attribute")
  func edited() throws {
    var filter = RecordFilter()
    filter.takesSession = { session, _ in session.outcome == .crashed }
    let bytes = Self.encoded(Self.report(Self.attribute))
    let edited = try #require(try bytes.withUnsafeBytes { try RecordEditor.edit($0, filter) })
    #expect(edited.first == 5 && edited.count < bytes.count)
    #expect(try Self.attribute(of: edited) == Self.attribute)
  }

  @Test("invalid attribute names and values are damage")
  func damaged() throws {
    let bytes = Self.encoded(Self.report(Self.attribute))
    let text = Hex.text(bytes)
    for (from, to) in [
      ("0a6578706572696d656e74", "0a2078706572696d656e74"), ("086e65772d63617274", "082020202020202020"),
    ] {
      let wrong = Hex.bytes(text.replacingOccurrences(of: from, with: to))
      #expect(wrong != bytes && (try? Self.attribute(of: wrong)) == nil)
    }
  }

  private static func attribute(of bytes: [UInt8]) throws -> AppAttribute? {
    try bytes.withUnsafeBytes { buffer in
      guard case .report(let report) = try RecordReader(buffer).content else { return nil }
      return try RecordOrigin(report.origin).attribute
    }
  }
}
