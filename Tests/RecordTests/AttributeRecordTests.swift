import Foundation
import Testing

@testable import Core
@testable import Ingest

/// Versions 5 and 6 of a record: one or several values of the app's attributes.
struct AttributeRecordTests {
  private static let attribute = AppAttribute(name: "experiment", value: "new-cart")

  private static func report(_ attribute: AppAttribute?) -> Report {
    var report = Samples.withoutDiagnostics
    report.attributes = [attribute].compactMap { $0 }
    return report
  }

  private static func encoded(_ report: Report) -> [UInt8] {
    RecordWriter.encode(report, Samples.headerWithClient, seal: Samples.seal)
  }

  /// Version 4's bytes with another version, the flag 2, and two strings behind the origin, whose length grows by 20.
  private static let golden = [
    ("040180b4", "050180b4"), ("360702000a", "4a0702020a"),
    ("3231453233361353", "3231453233360a6578706572696d656e74086e65772d636172741353"),
  ].reduce(Hex.text(Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics))) {
    $0.replacingOccurrences(of: $1.0, with: $1.1)
  }

  @Test("a report with an attribute is version 5: the content of version 4 and the attribute")
  func written() throws {
    let bytes = Self.encoded(Self.report(Self.attribute))
    #expect(Hex.text(bytes) == Self.golden)
    #expect(try Self.attribute(of: bytes) == Self.attribute)
    #expect(try Reread(bytes) == Reread(Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics)))
  }

  private static let both = [attribute, AppAttribute(name: "region", value: "DE")].compactMap { $0 }

  @Test("a report with several attributes is version 6: the content of version 4, their number, names and values")
  func several() throws {
    var report = Samples.withoutDiagnostics
    report.attributes = Self.both
    let bytes = Self.encoded(report)
    let golden = [
      ("040180b4", "060180b4"), ("360702000a", "550702040a"),
      (
        "3231453233361353",
        "32314532333602" + "0a6578706572696d656e74" + "086e65772d63617274" + "06726567696f6e" + "024445" + "1353"
      ),
    ].reduce(Hex.text(Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics))) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
    #expect(Hex.text(bytes) == golden)
    #expect(try Self.attributes(of: bytes) == Self.both)
    #expect(try Reread(bytes) == Reread(Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics)))
    var filter = ErasedParts()
    filter.takesSession = { session, _ in session.outcome == .crashed }
    let edited = try #require(try bytes.withUnsafeBytes { try RecordErasure.edit($0, filter) })
    #expect(try edited.first == 6 && Self.attributes(of: edited) == Self.both)
  }

  @Test("attributes in another order, twice, or more than an app may have are damage")
  func damagedList() throws {
    func encoded(_ attributes: [AppAttribute]) -> [UInt8] {
      var report = Samples.withoutDiagnostics
      report.attributes = attributes
      return Self.encoded(report)
    }
    let six = (0..<6).compactMap { AppAttribute(name: "a\($0)", value: "x") }
    #expect(try Self.attributes(of: encoded(Array(six.prefix(5)))) == Array(six.prefix(5)))
    for attributes in [six, Array(Self.both.reversed()), [Self.both[0], Self.both[0]]] {
      #expect(throws: DamagedBytes.self) { try Self.attributes(of: encoded(attributes)) }
    }
  }

  @Test("a report without an attribute has the same bytes as before attributes existed")
  func absent() throws {
    let bytes = Self.encoded(Self.report(nil))
    #expect(Hex.text(bytes) == Hex.text(Hex.bytes(GoldenRecordTests.reportWithoutDiagnostics)))
    #expect(try Self.attribute(of: bytes) == nil)
  }

  @Test("the rest of an edited record keeps its attribute")
  func edited() throws {
    var filter = ErasedParts()
    filter.takesSession = { session, _ in session.outcome == .crashed }
    let bytes = Self.encoded(Self.report(Self.attribute))
    let edited = try #require(try bytes.withUnsafeBytes { try RecordErasure.edit($0, filter) })
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

  private static func attribute(of bytes: [UInt8]) throws -> AppAttribute? { try attributes(of: bytes).first }

  private static func attributes(of bytes: [UInt8]) throws -> [AppAttribute] {
    try bytes.withUnsafeBytes { buffer in
      guard case .report(let report) = try RecordReader(buffer).content else { return [] }
      return try ReportContext(report.origin).attributes
    }
  }
}
