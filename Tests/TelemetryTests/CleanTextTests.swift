import Testing

@testable import Core

@Suite("Names from outside")
struct CleanTextTests {
  @Test(
    "names from outside are cut between two characters, and kept if they fit to the last byte",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcdef"),
      // Two bytes each.
      ("äöü", 6, "äöü"), ("äöü", 5, "äö"), ("äöü", 4, "äö"), ("äöü!", 6, "äöü"),
      // Four bytes.
      ("ab🚀", 6, "ab🚀"), ("ab🚀", 5, "ab"),
    ])
  func cut(text: String, limit: Int, kept: String) {
    #expect(SanitizedText.name(text, atMost: limit) == kept)
  }

  @Test(
    "names from outside have spaces for control characters and U+FFFD for direction marks",
    arguments: [
      ("a\u{7}b\nc", "a b c"), ("a\u{85}b", "a b"), ("a\u{2028}b", "a b"), ("a\u{202E}b", "a\u{FFFD}b"),
      ("\u{FEFF}a", "\u{FFFD}a"), ("Zoë", "Zoë"),
    ])
  func cleaned(text: String, kept: String) {
    #expect(SanitizedText.name(text) == kept)
  }
}
