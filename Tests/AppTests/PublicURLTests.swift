import Testing

@testable import App
@testable import Web

@Suite("The public address")
struct PublicURLTests {
  @Test(
    "the public address is a host with an optional port and path, without a slash at its end",
    arguments: [
      ("https://plumb.example.com", "https://plumb.example.com", ""),
      ("https://plumb.example.com/", "https://plumb.example.com", ""),
      ("HTTPS://Example.org:8443/tools/plumb/", "https://Example.org:8443/tools/plumb", "/tools/plumb"),
      ("http://[::1]:8080/plumb", "http://[::1]:8080/plumb", "/plumb"),
    ])
  func read(text: String, address: String, path: String) throws {
    let url = try PublicURL(text)
    #expect(url.description == address && url.mountPath.path == path)
  }

  @Test(
    "an invalid public address is refused with the reason and an example",
    arguments: [
      ("plumb.example.com", "begin with https://"), ("ftp://x", "begin with https://"), ("https://", "a host"),
      ("https:///plumb", "a host"), ("https://ana@example.org", "a host"), ("https://example.org?x", "a host"),
      ("https://example.org/a?x=1", "letters, digits"), ("https://example.org/a//b", "letters, digits"),
      ("https://example.org/../b", "letters, digits"), ("https://example.org/ä", "letters, digits"),
      ("https://example.org/api", "begin with /api, which Plumb"), ("https://example.org/apps/x", "Plumb uses itself"),
      ("https://example.org/v1", "Plumb uses itself"), ("https://example.org/plumb.css", "Plumb uses itself"),
    ])
  func refused(text: String, reason: String) throws {
    let error = try #require(throws: UsageError.self) { try PublicURL(text) }
    #expect(error.description.contains(reason) && error.description.contains("https://example.org/plumb"), "\(error)")
  }

  @Test("people are shown the public address, or else the address on which the server listens")
  func shown() throws {
    #expect(
      try AppScene().settings("public-url: https://example.org/plumb/\n").serverURL() == "https://example.org/plumb")
    #expect(try AppScene().settings("listen: \"[::1]:9\"\n").serverURL() == "http://[::1]:9")
    #expect(try AppScene().settings("{}").serverURL() == "http://127.0.0.1:8080")
  }
}
