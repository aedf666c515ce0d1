import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// A signpost with its category, nil for none, and name.
private struct Signpost {
  let category: String?
  let name: String
  let isEvent: Bool

  init(_ category: String?, _ name: String, isEvent: Bool = false) {
    (self.category, self.name, self.isEvent) = (category, name, isEvent)
  }

  var json: String {
    let category = category.map { "\"signpostCategory\":\"\($0)\"," } ?? ""
    let values =
      isEvent ? "" : #""signpostIntervalData":{"signpostCumulativeCPUTime":"2,000 ms","signpostAverageMemory":"1 kB"},"#
    return "{\(category)\"signpostName\":\"\(name)\",\(values)\"totalSignpostCount\":3}"
  }

  /// The names of its metrics, computed from characters. These texts have no others that names allow.
  var metrics: [String] {
    var base = "signpost"
    for part in [category, name] {
      guard let part, !part.isEmpty else { continue }
      base += "." + part.map { $0.isASCII && ($0.isLetter || " ./-".contains($0)) ? String($0) : "_" }.joined()
    }
    // Names have at most 120 bytes, with `.hitch_ratio`.
    base = String(base.prefix(108))
    return isEvent ? [base + ".count"] : [base + ".cpu", base + ".memory"]
  }
}

private func names(_ signposts: [Signpost], _ decoder: PayloadDecoder) throws -> [String] {
  let list = signposts.map(\.json).joined(separator: ",")
  let report = try decode(
    #"{"timeStampBegin":"2026-11-18 00:00:00","signpostMetrics":[\#(list)]}"#, with: decoder)
  return report.flatMap(\.measurements).map(\.metric.name)
}

@Suite("Names of signposts")
struct SignpostTests {
  @Test("signposts whose texts begin and end alike keep their own names in one decoder")
  func similar() throws {
    let long = String(repeating: "n", count: 300)
    let signposts = [
      Signpost("ab", "c"), Signpost("a", "bc"), Signpost(nil, "abc"), Signpost("", "abc"), Signpost("abc", ""),
      Signpost("Checkout", "Payment-one-of-these"), Signpost("Checkout", "Payment-two-of-these"),
      Signpost("Checkout", "Payment-one-of-these", isEvent: true), Signpost("c", "é"), Signpost("c", "ü"),
      Signpost("c", "e "), Signpost(long, "x"), Signpost("x", long), Signpost("x", long + "é"),
    ]
    let decoder = PayloadDecoder()
    for _ in 0..<3 { #expect(try names(signposts, decoder) == signposts.flatMap(\.metrics)) }
    for signpost in signposts.reversed() { #expect(try names([signpost], decoder) == signpost.metrics) }
  }

  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test(
    "a decoder that has read thousands of signposts names each like a new one",
    arguments: [UInt64.random(in: 0...999_999)])
  func many(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func text() -> String {
      String((0..<Int.random(in: 1...20, using: &random)).map { _ in "ab. é/".randomElement(using: &random) ?? "a" })
    }
    let decoder = PayloadDecoder()
    for _ in 0..<60 {
      let signposts = (0..<40).map { _ in
        Signpost(Bool.random(using: &random) ? text() : nil, text(), isEvent: Bool.random(using: &random))
      }
      #expect(try names(signposts, decoder) == signposts.flatMap(\.metrics))
    }
  }
}
