import Foundation
import OTLPMessages
import SwiftProtobuf
import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// Swift sorts the combining marks of a character when it compares texts, which takes time quadratic in their number.
@Suite("Texts of very many combining marks")
struct CombiningMarkTests {
  private static let marks = "e" + String(repeating: "\u{0301}\u{0316}", count: 40_000)

  @Test("marks beyond the thirtieth in a row are replaced, and other texts are kept")
  func replaced() {
    let marks = String(repeating: "\u{0301}\u{0316}", count: 15)
    let kept = [
      "", "plain", String(repeating: "x", count: 1_000), "e" + marks, "e" + marks + "e" + marks,
      String(repeating: "名前は日本語です。", count: 50), String(repeating: "각", count: 100),
      String(repeating: "👩‍👩‍👧‍👦", count: 20),
    ]
    for text in kept { #expect(text.streamSafe.utf8.elementsEqual(text.utf8), "\(text)") }
    #expect(("e" + marks + "\u{0301}").streamSafe == "e" + marks + "\u{FFFD}")
    #expect((marks + "\u{0F73}").streamSafe.unicodeScalars.last == "\u{FFFD}", "a vowel that stands for two marks")
    #expect(SanitizedText.name("e" + marks + "\u{0301}") == "e" + marks + "\u{FFFD}")
    #expect((190...200).contains(SanitizedText.name(Self.marks).utf8.count), "replacements take more bytes than marks")
    #expect(("e" + marks + "\u{0301}\u{0301}x" + marks).streamSafe == "e" + marks + "\u{FFFD}\u{FFFD}x" + marks)
  }

  private static let fixtures = Checkout.path("Tests/Conformance/Fixtures")

  @Test(
    "a text of marks anywhere in a payload takes little time",
    arguments: try FileManager.default.subpathsOfDirectory(atPath: fixtures)
      .filter { [".json", ".ips", ".crash", ".envelope"].contains(where: $0.hasSuffix) }.sorted())
  func anywhere(file: String) throws {
    let format = Self.format(of: file)
    // Without lengths, which would be those of other texts.
    let text = try Checkout.text("Tests/Conformance/Fixtures/\(file)")
      .replacing(try Regex(#","length": ?[0-9]+"#), with: "")
    let places = try file.hasSuffix(".crash") ? Self.words(of: text) : Self.texts(of: text)
    #expect(places.count > 5)
    let decoder = PayloadDecoder()
    let context = DecodingContext(
      received: receiptTime, keepsExceptionText: true, attributes: ["experiment", "region"])
    for place in places {
      let body = Array((text[..<place.lowerBound] + Self.marks + text[place.upperBound...]).utf8)
      let seconds = processorTime {
        body.withUnsafeBytes { _ = try? decoder.decode($0, as: format, context) }
      }
      #expect(seconds < 0.3, "\(seconds) s with marks instead of \(text[place])")
    }
  }

  private static func format(of file: String) -> PayloadFormat {
    if file.hasPrefix("sentry/") { return file.hasSuffix(".json") ? .sentryStore : .sentryEnvelope }
    guard file.hasPrefix("otlp/") else { return .sniffed }
    if file.contains("logs") { return .otlpLogs(.json) }
    return file.contains("traces") ? .otlpTraces(.json) : .otlpMetrics(.json)
  }

  /// The texts of a JSON document: each key once, and one value of each key.
  private static func texts(of json: String) throws -> [Range<String.Index>] {
    var seen: Set<String> = []
    var lastKey = ""
    return json.matches(of: /"([^"\\]*)"( ?:)?/).compactMap { match in
      let (text, isKey) = (String(match.1), match.2 != nil)
      if isKey { lastKey = text }
      guard seen.insert(isKey ? "key \(text)" : "value of \(lastKey)").inserted else { return nil }
      return match.1.startIndex..<match.1.endIndex
    }
  }

  /// The first words of lines, and one word behind each.
  private static func words(of text: String) throws -> [Range<String.Index>] {
    var seen: Set<Substring> = []
    return text.matches(of: /([A-Za-z][A-Za-z0-9_. ]*:?)[ \t]+([^ \n]+)/).flatMap { match in
      guard seen.count < 60, seen.insert(match.1).inserted else { return [Range<String.Index>]() }
      return [match.1.startIndex..<match.1.endIndex, match.2.startIndex..<match.2.endIndex]
    }
  }

  @Test("a text of marks in protobuf takes little time")
  func protobuf() throws {
    var request = OTLP.request([OTLP.metric("screen.load", "ms", OTLP.gauge([OTLP.number(1)]))])
    request.resourceMetrics[0].resource.attributes += [.with { $0.key = Self.marks }]
    request.resourceMetrics[0].scopeMetrics[0].metrics += [
      OTLP.metric(Self.marks, Self.marks, OTLP.sum([OTLP.number(1)], .cumulative)),
      OTLP.metric("my.own", "ms", OTLP.gauge([OTLP.number(1, OTLP.attributes([Self.marks: Self.marks, "a": "b"]))])),
    ]
    let bytes: [UInt8] = try request.serializedBytes()
    var decoded: Decoded?
    let seconds = processorTime { decoded = try? OTLP.decode(bytes, as: .otlpMetrics(.protobuf)) }
    #expect(seconds < 0.3)
    #expect(decoded?.reports.first?.measurements.count == 3)
  }
}
