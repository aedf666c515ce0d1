import Testing

@testable import Web

@Suite("Rules on requests")
struct RequestRuleTests {
  @Test(
    "reading without a login needs a loopback listener, a local host name and no proxy",
    arguments: [
      ("127.0.0.1", "localhost", [], true), ("127.0.0.1", "localhost:8080", ["Host", "Accept"], true),
      ("::1", "[::1]:8080", [], true), ("localhost", "127.0.0.1:1", [], true), ("127.8.8.8", "LOCALHOST", [], true),
      ("0.0.0.0", "localhost", [], false), ("::", "localhost", [], false), ("192.168.1.7", "localhost", [], false),
      ("", "localhost", [], false), ("127.0.0.1.example.com", "localhost", [], false),
      ("127.1", "localhost", [], false),
      ("127.0.0.256", "localhost", [], false), ("127.0.0.+1", "localhost", [], false),
      ("127.0.0.1", "evil.example", [], false), ("127.0.0.1", "localhost.evil.example", [], false),
      ("127.0.0.1", "localhost:80:80", [], false), ("127.0.0.1", "localhost:", [], false),
      ("127.0.0.1", "localhost:port", [], false), ("127.0.0.1", "localhost@evil.example", [], false),
      ("127.0.0.1", "127.0.0.1.nip.io", [], false), ("127.0.0.1", "127.0.0.2", [], false),
      ("127.0.0.1", "::1", [], false), ("127.0.0.1", "", [], false), ("127.0.0.1", "localhost ", [], false),
      ("127.0.0.1", "localhost", ["Forwarded"], false), ("127.0.0.1", "localhost", ["via"], false),
      ("127.0.0.1", "localhost", ["Accept", "X-FORWARDED-FOR"], false),
      ("127.0.0.1", "localhost", ["x-forwarded-proto"], false), ("127.0.0.1", "localhost", ["X-Real-IP"], false),
      ("127.0.0.1", "localhost", ["X-Forward"], true),
    ] as [(String, String, [String], Bool)])
  func loopback(listener: String, host: String, headers: [String], expected: Bool) {
    #expect(LoopbackRule.allows(listener: listener, host: host, headerNames: headers) == expected)
  }

  @Test("a request without Host is not local")
  func noHost() {
    #expect(!LoopbackRule.allows(listener: "127.0.0.1", host: nil, headerNames: [String]()))
  }

  @Test(
    "a POST is accepted only from our own pages",
    arguments: [
      ("https://plumb.example.com", nil, "plumb.example.com", "https://plumb.example.com", true),
      ("https://plumb.example.com", nil, "10.0.0.1:8080", "https://plumb.example.com/", true),
      ("https://PLUMB.example.com:443", nil, "x", "https://plumb.example.com/plumb", true),
      ("http://plumb.example.com", nil, "plumb.example.com", "https://plumb.example.com", false),
      ("https://plumb.example.com:444", nil, "x", "https://plumb.example.com", false),
      ("https://plumb.example.com.evil.example", nil, "x", "https://plumb.example.com", false),
      ("https://evil.example", "same-origin", "plumb.example.com", "https://plumb.example.com", false),
      ("https://evil.example", nil, "evil.example", "https://plumb.example.com", false),
      ("https://plumb.example.com@evil.example", nil, "x", "https://plumb.example.com", false),
      ("null", "same-origin", "plumb.example.com", "https://plumb.example.com", false),
      ("", nil, "plumb.example.com", "https://plumb.example.com", false),
      (nil, nil, "plumb.example.com", "https://plumb.example.com", false),
      (nil, "cross-site", "plumb.example.com", "https://plumb.example.com", false),
      (nil, "same-site", "plumb.example.com", "https://plumb.example.com", false),
      (nil, "same-origin", "plumb.example.com", "https://plumb.example.com", true),
      ("http://localhost:8080", nil, "localhost:8080", nil, true),
      ("https://shop.example", nil, "shop.example", nil, true),
      ("http://evil.example", nil, "localhost:8080", nil, false),
      ("http://localhost:9999", nil, "localhost:8080", nil, false),
      ("http://localhost:8080", nil, "localhost:8080", "https://plumb.example.com", true),
      ("http://localhost:8080", nil, nil, nil, false),
    ] as [(String?, String?, String?, String?, Bool)])
  func origin(origin: String?, fetchSite: String?, host: String?, publicURL: String?, expected: Bool) {
    #expect(OriginCheck.allows(origin: origin, fetchSite: fetchSite, host: host, publicURL: publicURL) == expected)
  }

  @Test("a cookie over https cannot be read by scripts, sent by other sites or set by neighbours")
  func secureCookie() {
    let cookie = SessionCookie(publicURL: "https://plumb.example.com")
    #expect(
      cookie.setting(id: "abc", seconds: 60)
        == "__Host-plumb=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure")
    #expect(cookie.clearing == "__Host-plumb=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure")
  }

  @Test("only a cookie for http on loopback is sent without Secure")
  func plainCookie() {
    #expect(!SessionCookie(publicURL: "http://127.0.0.1:8080").isSecure)
    #expect(!SessionCookie(publicURL: "http://localhost").isSecure)
    #expect(!SessionCookie(publicURL: "http://[::1]:8080/").isSecure)
    for url in ["https://localhost", "http://plumb.example.com", "http://0.0.0.0:8080", "http://localhost.a.b", ""] {
      #expect(SessionCookie(publicURL: url).isSecure, "\(url)")
    }
    let cookie = SessionCookie(publicURL: "http://localhost")
    #expect(cookie.setting(id: "abc", seconds: 60) == "plumb=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Strict")
  }

  @Test("the session id is found among other cookies, and no other cookie is mistaken for it")
  func cookieHeader() {
    let cookie = SessionCookie(publicURL: "http://localhost")
    let id = KeyGenerator.sessionID()
    #expect(cookie.id(in: "plumb=\(id)") == id)
    #expect(cookie.id(in: "a=b; plumb=\(id); c=d") == id)
    #expect(cookie.id(in: "plumb=short; plumb=\(id)") == id)
    for header in ["", "plumb", "plumb=", "xplumb=\(id)", "plumbx=\(id)", "plumb=\(id)0", "plumb=\(id.uppercased())é"] {
      #expect(cookie.id(in: header) == nil, "\(header)")
    }
    #expect(cookie.id(in: nil) == nil)
    #expect(SessionCookie(publicURL: "https://a.b").id(in: "plumb=\(id)") == nil)
  }
}
