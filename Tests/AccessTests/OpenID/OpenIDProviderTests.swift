import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage
@testable import Web

@Suite("Requests to a login provider")
struct OpenIDProviderTests {
  private let provider: PlayedProvider
  private let signIn = SignInCookie(
    hash: KeyedIDHash(secret: Array(repeating: 7, count: 32)),
    like: SessionCookie(publicURL: "https://plumb.example.com")
  ).begin(next: "/")

  init() throws { provider = try PlayedProvider() }

  private func at(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: PlayedProvider.now.milliseconds + seconds * 1000)
  }

  @Test("the client of a login provider reads discovery and keys once an hour")
  func economy() throws {
    let client = provider.client()
    let token = try provider.token(signIn)
    for _ in 0..<5 { _ = try client.verified(token, nonce: signIn.nonce, at: at(0)) }
    #expect(provider.count("/keys") == 1 && provider.count("/.well-known/openid-configuration") == 1)
    _ = try client.verified(
      provider.token(
        signIn,
        claims: [
          ("iat", .integer(PlayedProvider.seconds + 3600)),
          ("exp", .integer(PlayedProvider.seconds + 4000)),
        ]), nonce: signIn.nonce, at: at(3600))
    #expect(provider.count("/keys") == 2 && provider.count("/.well-known/openid-configuration") == 2)
  }

  @Test("the client of a login provider links to its logout page, if the provider has one")
  func signOut() throws {
    #expect(try provider.client().signOutAddress(back: "https://plumb.example.com/login", at: at(0)) == nil)
    let address = "https://id.example.com/end?a=b"
    provider.state.withLock { $0.discovery.append(("end_session_endpoint", .string(address))) }
    let back = "https://plumb.example.com/a b/login"
    let found = try #require(try provider.client().signOutAddress(back: back, at: at(0)))
    let parts = try #require(URLComponents(string: found))
    #expect(parts.host == "id.example.com" && parts.path == "/end")
    #expect(
      parts.queryItems == [
        URLQueryItem(name: "a", value: "b"), URLQueryItem(name: "client_id", value: "plumb"),
        URLQueryItem(name: "post_logout_redirect_uri", value: back),
      ])
    provider.state.withLock { $0.discovery[$0.discovery.count - 1].1 = "http://id.example.com/end" }
    #expect(throws: OpenIDError.self) { try provider.client().signOutAddress(back: back, at: at(0)) }
  }

  @Test("the client of a login provider reads the keys again for an unknown key, at most once a minute")
  func rotation() throws {
    let client = provider.client()
    let all = provider.state.withLock { $0.keys }
    provider.state.withLock { $0.keys = [all[0]] }
    _ = try client.verified(provider.token(signIn), nonce: signIn.nonce, at: at(0))
    let new = try provider.token(signIn, .es256)
    // A flood of tokens with made-up keys makes no flood of requests.
    for second in 1..<60 {
      #expect(throws: IDTokenError.unknownKey("e1")) {
        try client.verified(new, nonce: signIn.nonce, at: at(Int64(second)))
      }
    }
    #expect(provider.count("/keys") == 1)
    provider.state.withLock { $0.keys = all }
    _ = try client.verified(new, nonce: signIn.nonce, at: at(60))
    #expect(provider.count("/keys") == 2)
    for _ in 0..<20 {
      #expect(throws: IDTokenError.unknownKey("x")) {
        try client.verified(provider.token(signIn, header: [("kid", "x")]), nonce: signIn.nonce, at: at(61))
      }
    }
    #expect(provider.count("/keys") == 2)
  }

  @Test("the client of a login provider uses no weak or malformed key, and none for encryption or another algorithm")
  func badKeys() throws {
    let (rsa, ec) = try #require(provider.state.withLock { ($0.keys[0], $0.keys[1]) } as (JSONOutput, JSONOutput)?)
    func with(_ key: JSONOutput, _ changes: [(String, JSONOutput)]) -> JSONOutput {
      guard case .object(let members) = key else { return key }
      return .object(members.filter { member in !changes.contains { $0.0 == member.0 } } + changes)
    }
    for key in [
      with(rsa, [("use", "enc")]), with(rsa, [("alg", "RS512")]), with(rsa, [("kty", "oct")]),
      with(rsa, [("n", .string(Base64URL.encode([UInt8](repeating: 0xC5, count: 128))))]),
      with(rsa, [("n", "!")]), with(rsa, [("e", .string(Base64URL.encode([2])))]), with(rsa, [("e", "")]), .null, "RSA",
    ] {
      provider.state.withLock { $0.keys = [key] }
      #expect(throws: IDTokenError.unknownKey("r1"), "\(key)") {
        try provider.client().verified(provider.token(signIn), nonce: signIn.nonce, at: at(0))
      }
    }
    for key in [
      with(ec, [("crv", "P-521")]), with(ec, [("x", "AA")]),
      with(ec, [("y", .string(Base64URL.encode([UInt8](repeating: 1, count: 32))))]),
    ] {
      provider.state.withLock { $0.keys = [key] }
      #expect(throws: IDTokenError.unknownKey("e1"), "\(key)") {
        try provider.client().verified(provider.token(signIn, .es256), nonce: signIn.nonce, at: at(0))
      }
    }
    // More than 64 keys: the rest is not looked at.
    provider.state.withLock { $0.keys = Array(repeating: ec, count: 64) + [rsa] }
    #expect(throws: IDTokenError.unknownKey("r1")) {
      try provider.client().verified(provider.token(signIn), nonce: signIn.nonce, at: at(0))
    }
  }

  @Test("the client of a login provider refuses a discovery document of another issuer or with addresses without https")
  func discovery() throws {
    let right = provider.state.withLock { $0.discovery }
    for (name, value) in [
      ("issuer", "https://id.example.com/"), ("token_endpoint", "http://id.example.com/token"),
      ("jwks_uri", "file:///etc/passwd"), ("authorization_endpoint", "javascript:alert(1)"),
      ("authorization_endpoint", "https://ana@id.example.com/"), ("token_endpoint", "https://id.example.com/\r\nX: y"),
    ] as [(String, JSONOutput)] {
      provider.state.withLock { $0.discovery = [(name, value)] + right.filter { $0.0 != name } }
      #expect(throws: OpenIDError.self, "\(name) \(value)") {
        try provider.client().signInAddress(signIn, redirect: "https://plumb.example.com", at: at(0))
      }
    }
    #expect(
      OpenIDSettings.isAllowed(address: "http://127.0.0.1:9400") && OpenIDSettings.isAllowed(address: "https://a.b/c"))
    for bad in ["http://id.example.com", "ftp://a", "", "https://", "https://a b", "http://127.0.0.1.evil.example"] {
      #expect(!OpenIDSettings.isAllowed(address: bad), "\(bad)")
    }
  }

  @Test("the client of a login provider does not query a provider that is down for every login, and reports its answer")
  func down() throws {
    let client = provider.client()
    provider.state.withLock {
      $0.answers["/.well-known/openid-configuration"] = WebClient.Answer(status: 503, body: [])
    }
    for _ in 0..<20 {
      #expect(throws: OpenIDError.self) { try client.signInAddress(signIn, redirect: "https://a", at: at(0)) }
    }
    #expect(provider.count("/.well-known/openid-configuration") == 1)
    provider.state.withLock { $0.answers = [:] }
    #expect(throws: Never.self) { try client.signInAddress(signIn, redirect: "https://a", at: at(5)) }
    let refusal = WebClient.Answer(status: 400, body: Array(#"{"error":"invalid_client\u0000"}"#.utf8))
    provider.state.withLock { $0.answers["/token"] = refusal }
    do {
      _ = try client.person(code: "c", signIn, redirect: "https://a", at: at(5))
      Issue.record("the refusal was taken for an answer")
    } catch let error as OpenIDError {
      #expect(error.description.contains("400") && error.description.contains("invalid_client "))
    }
    for body in ["", "[]", "{}", "{\"id_token\":1}", "{\"id_token\":null}", "<html>"] {
      provider.state.withLock { $0.answers["/token"] = WebClient.Answer(status: 200, body: Array(body.utf8)) }
      #expect(throws: (any Error).self, "\(body)") {
        try client.person(code: "c", signIn, redirect: "https://a", at: at(5))
      }
    }
  }

  @Test("the client of a login provider posts the form, follows no redirect, and limits the answer's length")
  func socket() throws {
    let sink = Sink { number, _ in
      switch number {
      case 0: .status(200, body: "{}")
      case 1: .status(302, headers: ["Location: http://127.0.0.1:1/"], body: "")
      case 2: .endless(300 << 10)
      default: .close
      }
    }
    let client = WebClient()
    let request = WebClient.Request(
      sink.address, headers: [(name: "X-A", value: "b\r\nX-C: d")], body: Array("a=b".utf8))
    #expect(try client.send(request).status == 200)
    let sent = try #require(sink.requests.first)
    #expect(sent.head.hasPrefix("POST /hook") && sent.body == Array("a=b".utf8))
    #expect(sent.header("X-A") == "b??X-C: d" && sent.header("X-C") == nil)
    #expect(try client.send(WebClient.Request(sink.address)).status == 302)
    #expect(throws: WebClient.Failure.self) { try client.send(WebClient.Request(sink.address)) }
    #expect(throws: WebClient.Failure.self) { try client.send(WebClient.Request(sink.address)) }
    for address in ["file:///etc/hostname", "gopher://127.0.0.1:\(sink.port)/", "http://127.0.0.1:1/"] {
      #expect(throws: WebClient.Failure.self, "\(address)") { try client.send(WebClient.Request(address)) }
    }
  }
}
