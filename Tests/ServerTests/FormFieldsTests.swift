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

  @Test("an empty form body has no fields, and bytes that are not text do no harm")
  func hostile() {
    #expect(FormFields([])["user"] == nil)
    #expect(FormFields(Array("&&=&%&".utf8))["user"] == nil)
    #expect(FormFields([0xff, 0x3d, 0xfe])["user"] == nil)
    #expect(FormFields(Array("user=%ff%00".utf8))["user"] == "\u{fffd}\u{0}")
  }
}
