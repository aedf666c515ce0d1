import Testing

@testable import Web

@Suite("The fields of a form")
struct FormFieldsTests {
  @Test("form fields are decoded as browsers encode them")
  func decoding() {
    // What Chromium sends for: user "añá", password "p&s=w+r d%?#".
    let fields = FormFields(Array("user=a%C3%B1%C3%A1&password=p%26s%3Dw%2Br+d%25%3F%23".utf8))
    #expect(fields["user"] == "añá")
    #expect(fields["password"] == "p&s=w+r d%?#")
    #expect(fields["other"] == nil)
  }

  @Test("form fields keep question marks and slashes, and the first of a name counts")
  func plain() {
    let fields = FormFields(Array("password=a?b/c?d&password=second&empty=&bare".utf8))
    #expect(fields["password"] == "a?b/c?d")
    #expect(fields["empty"] == "")
    #expect(fields["bare"] == "")
  }

  @Test("combining marks in a row are bounded in a form, whether its fields are escaped or not")
  func marks() {
    let marks = "e" + String(repeating: "\u{301}", count: 300)
    let fields = FormFields(Array("plain=\(marks)&escaped=%41\(marks)".utf8))
    for name in ["plain", "escaped"] {
      #expect(fields[name]?.unicodeScalars.filter { $0 == "\u{FFFD}" }.count == 270, "\(name)")
    }
  }

  @Test("an empty form body has no fields, and bytes that are not text do no harm")
  func hostile() {
    #expect(FormFields([])["user"] == nil)
    #expect(FormFields(Array("&&=&%&".utf8))["user"] == nil)
    #expect(FormFields([0xff, 0x3d, 0xfe])["user"] == nil)
    #expect(FormFields(Array("user=%ff%00".utf8))["user"] == "\u{fffd}\u{0}")
  }
}
