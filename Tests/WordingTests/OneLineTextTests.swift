import Testing

@testable import Analysis

@Suite("Single-line text")
struct SanitizedLineTests {
  @Test("exactly control characters, line separators and what Unicode lists as bidirectional controls are removed")
  func removed() {
    let separating: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    // All of them are in the first plane.
    for number in UInt32(0)...0xFFFF {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let properties = scalar.properties
      let isRemoved = properties.isBidiControl || separating.contains(properties.generalCategory)
      let text = "a\(scalar)b"
      if OneLineText.text(text) != (isRemoved ? "ab" : text) {
        Issue.record("U+\(String(number, radix: 16, uppercase: true))")
      }
    }
  }
}
