import Testing

@testable import Analysis
@testable import Core

@Suite("Release names that people type")
struct ReleaseNameParserTests {
  private let known = [Release(version: "4.2.0", build: "1234"), Release(version: "nightly", build: "")]

  @Test(
    "a typed release may be a version, a build, Sentry's form or a known name",
    arguments: [
      ("4.11.0", "4.11.0"), ("  4.11.0  ", "4.11.0"), ("4.11.0 (7)", "4.11.0 (7)"), ("4.11.0  (7)", "4.11.0 (7)"),
      ("4.11.0-beta.2", "4.11.0-beta.2"), ("4.11b3", "4.11b3"), ("12", "12"), ("nightly", "nightly"),
      ("com.example.shop@4.11.0+7", "4.11.0 (7)"), ("com.example.shop@4.11.0", "4.11.0"),
      ("4.2.0 (1234)", "4.2.0 (1234)"),
    ])
  func taken(text: String, expected: String) {
    #expect(ReleaseNameParser.read(text, known: known) == expected)
  }

  @Test(
    "a text that is not a release is not read as one",
    arguments: [
      "", " ", "Version 4.11.0", "v4.11.0", "<script>x", "4.11.0 build 7", "4.11.0 (", "4.11.0 ()", "4.11.0 (7",
      "com.example.shop@", "com.example.shop@+7", "4.11.0+", "next", "4.1<b>", "4.1\u{1b}[2J",
      String(repeating: "1", count: 101),
    ])
  func refused(text: String) {
    #expect(ReleaseNameParser.read(text, known: known) == nil)
    #expect(ReleaseNameParser.expected(text).contains("4.11.0 (7)"))
    #expect(ReleaseNameParser.expected(text).unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }
}
