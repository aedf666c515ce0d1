import Testing

@testable import Core

@Suite struct HTMLWriterTests {
  private func written(_ body: (inout HTMLWriter) -> Void) -> String {
    var html = HTMLWriter()
    body(&html)
    return String(decoding: html.bytes, as: UTF8.self)
  }

  @Test("elements nest, close in order and have their attributes")
  func nesting() {
    let page = written { html in
      html.element("ul", .class("cards", "wide")) { html in
        html.element("li", Attribute("id", literal: "a"), .flag("hidden"), text: "one")
        html.leaf("br")
      }
    }
    #expect(page == #"<ul class="cards wide"><li id="a" hidden>one</li><br/></ul>"#)
  }

  @Test("an attribute without a value is omitted")
  func absentAttribute() { #expect(written { $0.leaf("i", .title(nil), .title("x")) } == #"<i title="x"/>"#) }

  // The five characters of https://html.spec.whatwg.org/#escapingString, and the apostrophe.
  @Test("characters that could end text or an attribute are escaped in both", arguments: ["<", ">", "&", "\"", "'"])
  func escapes(character: String) {
    let expected = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;", "'": "&#39;"][character] ?? ""
    #expect(written { $0.text("a\(character)b") } == "a\(expected)b")
    #expect(written { $0.leaf("i", .title("a\(character)b")) } == "<i title=\"a\(expected)b\"/>")
  }

  @Test("a combining mark before < does not hide it")
  func combiningMark() {
    #expect(written { $0.text("\u{0600}<script>") } == "\u{0600}&lt;script&gt;")
    #expect(written { $0.text("e\u{0301}<\u{0301}") } == "e\u{0301}&lt;\u{0301}")
  }

  @Test("NUL and other control characters become visible replacement characters, and line ends stay")
  func controls() { #expect(written { $0.text("a\0b\u{1B}c\u{7F}\n\td") } == "a\u{FFFD}b\u{FFFD}c\u{FFFD}\n\td") }

  @Test("emoji, right-to-left and long texts pass unchanged")
  func unicode() {
    let text = "👩‍👩‍👧 שלום مرحبا " + String(repeating: "ж", count: 200)
    #expect(written { $0.text(text) } == text)
  }

  @Test(
    "coordinates have at most two decimals and are always numbers that drawings can contain",
    arguments: [
      (0.0, "0"), (-0.001, "0"), (12, "12"), (1.5, "1.5"), (-3.126, "-3.13"), (0.05, "0.05"), (99.999, "100"),
      (.nan, "0"), (.infinity, "1000000000"), (-.infinity, "-1000000000"),
    ])
  func coordinates(value: Double, expected: String) {
    var bytes: [UInt8] = []
    Coordinate.append(value, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    #expect(written { $0.leaf("rect", Attribute("x", value)) } == "<rect x=\"\(expected)\"/>")
  }

  @Test("components of a page write themselves in place")
  func pieces() {
    struct Note: Markup {
      var text: String
      func write(to html: inout HTMLWriter) { html.element("p", text: text) }
    }
    #expect(written { $0.element("main") { $0.write(Note(text: "a & b")) } } == "<main><p>a &amp; b</p></main>")
  }
}
