import Testing

@testable import Core

struct AttributeTests {
  @Test("a filter is a name, = or !=, and a value, with or without spaces")
  func filters() {
    for text in ["experiment=new-cart", "experiment = new-cart", " experiment=new-cart "] {
      #expect(AttributeFilter(text) == AttributeFilter(name: "experiment", value: "new-cart"))
    }
    for text in ["region!=DE", "region != DE"] {
      #expect(AttributeFilter(text) == AttributeFilter(name: "region", value: "DE", isExcluding: true))
    }
    #expect(AttributeFilter("a=b=c")?.value == "b=c")
    #expect(AttributeFilter("region!=DE")?.text == "region!=DE" && AttributeFilter("region=DE")?.text == "region=DE")
    for text in [
      "", "=", "x", "=x", "!=x", "a=", "a= ", "a=\u{0C}\u{15}", "a=\u{2028}", "1a=x", "a b=x", "a\u{202E}=x", "4.2.0",
      "4.2.0 (12)",
    ] {
      #expect(AttributeFilter(text) == nil, "\(text)")
    }
  }

  @Test("a requested attribute value is cleaned like a received one")
  func sameCleaning() {
    let long = "  " + String(repeating: "ab ", count: 60)
    for text in [" lead ", "\tx\n", long, "ä\u{202E}", "a=b", "=", "a  b", "\u{301}a", " \u{301}"] {
      let came = AppAttribute(name: "flag", value: text)
      #expect(came != nil && AttributeFilter("flag=\(text)")?.value == came?.value, "\(text)")
      #expect(AttributeFilter(AttributeFilter(name: "flag", value: came?.value ?? "").text)?.value == came?.value)
    }
  }

  @Test("an attribute value is cleaned and cut like other names, and one without letters is none")
  func values() {
    #expect(AppAttribute(name: "region", value: "D\u{202E}E\n")?.value == "D\u{FFFD}E")
    #expect(AppAttribute(name: "region", value: String(repeating: "ä", count: 300))?.value.utf8.count == 100)
    #expect(AppAttribute(name: "region", value: "") == nil && AppAttribute(name: "region", value: "  ") == nil)
    for name in ["", "1x", "a=b", "a b", "é", String(repeating: "x", count: 65)] {
      #expect(!AppAttribute.isName(name) && AppAttribute(name: name, value: "x") == nil)
    }
    #expect(AppAttribute.isName("com.example.feature") && AppAttribute.isName("new-cart_2"))
  }
}
