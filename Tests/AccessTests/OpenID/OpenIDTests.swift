import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage
@testable import Web

@Suite("Logins with a provider")
struct OpenIDTests {
  private static let redirect = "https://plumb.example.com/login/oidc/callback"
  private static let cookie = SignInCookie(
    hash: KeyedIDHash(secret: Array(repeating: 7, count: 32)),
    like: SessionCookie(publicURL: "https://plumb.example.com"))
  private let provider: PlayedProvider
  private let signIn = cookie.begin(next: "/apps/a")

  init() throws { provider = try PlayedProvider() }

  private func person(_ token: String, _ client: OpenIDProvider? = nil) throws -> IDTokenClaims {
    provider.state.withLock { $0.token = token }
    return try (client ?? provider.client()).person(
      code: "c+d", signIn, redirect: Self.redirect, at: PlayedProvider.now)
  }

  @Test("a login accepts tokens signed with RS256 and ES256, and sends code, verifier and secret in the right places")
  func right() throws {
    let expected = IDTokenClaims(
      subject: "person 1", name: "ana@example.com", verifiedAddress: "ana@example.com", groups: ["staff", "ios"])
    #expect(try person(provider.token(signIn, .rs256)) == expected)
    #expect(try person(provider.token(signIn, .es256)) == expected)
    #expect(try person(provider.token(signIn, .rs256, header: [("kid", nil)])) == expected)
    let request = try #require(provider.state.withLock { $0.requests.first { $0.address.hasSuffix("/token") } })
    let form = String(decoding: request.body ?? [], as: UTF8.self)
    #expect(form.contains("code=c%2Bd&") && form.contains("grant_type=authorization_code"))
    #expect(form.contains("code_verifier=\(signIn.verifier)") && !form.contains("secret"))
    let basic = try #require(request.headers.first { $0.name == "Authorization" }?.value.split(separator: " ").last)
    let pair = try #require(Data(base64Encoded: String(basic)))
    #expect(String(decoding: pair, as: UTF8.self) == "plumb:a%20secret%3A%26")
  }

  @Test("the login address has PKCE, state and nonce after the provider's own query")
  func address() throws {
    let address = try provider.client().signInAddress(signIn, redirect: Self.redirect, at: PlayedProvider.now)
    let parts = try #require(URLComponents(string: address))
    let items = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    #expect(parts.host == "id.example.com" && parts.path == "/authorize" && items["a"] == "b")
    #expect(items["response_type"] == "code" && items["code_challenge_method"] == "S256")
    #expect(items["redirect_uri"] == Self.redirect && items["scope"] == "openid email profile")
    #expect(items["state"] == signIn.state && items["nonce"] == signIn.nonce)
    #expect(items["code_challenge"] == SignInAttempt.challenge(of: signIn.verifier))
    #expect(!address.contains(signIn.verifier))
    // The example of RFC 7636, appendix B.
    #expect(
      SignInAttempt.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("a login refuses a token with any wrong claim")
  func claims() throws {
    let at = PlayedProvider.seconds
    let wrong: [([(String, JSONOutput?)], IDTokenError)] = [
      ([("iss", "https://evil.example")], .issuer("https://evil.example")),
      ([("iss", "https://id.example.com/")], .issuer("https://id.example.com/")),
      ([("aud", "other")], .audience), ([("aud", .array(["other"]))], .audience), ([("aud", .array([]))], .audience),
      // For several clients, and not said to be for this one.
      ([("aud", .array(["plumb", "other"]))], .audience),
      ([("aud", .array(["plumb", "other"])), ("azp", "other")], .audience), ([("azp", "other")], .audience),
      ([("exp", .integer(at - 121))], .expired), ([("exp", .integer(0))], .expired),
      ([("iat", .integer(at + 121))], .issued), ([("iat", .integer(at - 1021))], .issued),
      ([("nbf", .integer(at + 121))], .issued),
      ([("nonce", "another")], .nonce), ([("nonce", nil)], .nonce), ([("nonce", "")], .nonce),
    ]
    for (claims, error) in wrong {
      #expect(throws: error, "\(claims)") { try person(provider.token(signIn, claims: claims)) }
    }
    for missing in ["iss", "aud", "exp", "iat", "sub"] {
      #expect(throws: JSONError.self, "\(missing)") { try person(provider.token(signIn, claims: [(missing, nil)])) }
    }
    for (name, value) in [
      ("exp", "1e99"), ("iat", .null), ("aud", .integer(1)), ("sub", .integer(1)), ("iss", .array([])),
    ] as [(String, JSONOutput)] {
      #expect(throws: JSONError.self, "\(name)") { try person(provider.token(signIn, claims: [(name, value)])) }
    }
    // Within the difference of clocks, and with several audiences that name this client.
    for claims in [
      [("exp", .integer(at - 119))], [("iat", .integer(at + 119))], [("nbf", .integer(at + 119))],
      [("aud", .array(["other", "plumb"])), ("azp", "plumb")],
    ] as [[(String, JSONOutput?)]] {
      #expect(throws: Never.self, "\(claims)") { try person(provider.token(signIn, claims: claims)) }
    }
  }

  @Test("a login refuses a token whose signature is missing, or of another key, algorithm or content")
  func signatures() throws {
    #expect(throws: IDTokenError.algorithm("none")) { try person(provider.token(signIn, .none)) }
    #expect(throws: IDTokenError.algorithm("HS256")) { try person(provider.token(signIn, .hs256)) }
    // A header that says RS256 over a HMAC with the public key, and a RSA signature that says ES256.
    let confused = try provider.token(signIn, .hs256, header: [("alg", "RS256")])
    #expect(throws: IDTokenError.signature) { try person(confused) }
    let crossed = try provider.token(signIn, .rs256, header: [("alg", "ES256"), ("kid", "e1")])
    #expect(throws: IDTokenError.signature) { try person(crossed) }
    #expect(throws: IDTokenError.unknownKey("r1")) {
      try person(provider.token(signIn, .es256, header: [("kid", "r1")]))
    }
    let stranger = try PlayedProvider(SigningKeys.stranger)
    #expect(throws: IDTokenError.signature) { try person(stranger.token(signIn, .rs256)) }
    #expect(throws: IDTokenError.signature) { try person(stranger.token(signIn, .es256)) }
    let parts = try provider.token(signIn).split(separator: ".").map(String.init)
    let other = try provider.token(signIn, claims: [("email", "boss@example.com")]).split(separator: ".").map(
      String.init)
    #expect(throws: IDTokenError.signature) { try person([parts[0], other[1], parts[2]].joined(separator: ".")) }
    #expect(throws: IDTokenError.signature) { try person([parts[0], parts[1], ""].joined(separator: ".")) }
    #expect(throws: IDTokenError.self) { try person(provider.token(signIn, header: [("crit", .array(["exp"]))])) }
    for malformed in [
      "", ".", "..", "a.b", parts.joined(separator: ".") + ".x", "a b.c.d", parts[0] + "=.\(parts[1]).x",
    ] {
      #expect(throws: (any Error).self, "\(malformed)") { try person(malformed) }
    }
    #expect(throws: IDTokenError.self) { try person(String(repeating: "a", count: 70_000) + ".b.c") }
    // Every bit of a signature counts: flips of single letters, seeded.
    var random = SeededRandom(seed: 11)
    var letters = Array(parts[2].utf8)
    for _ in 0..<40 {
      let index = Int.random(in: 0..<(letters.count - 1), using: &random)
      let old = letters[index]
      letters[index] = old == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let spoiled = [parts[0], parts[1], String(decoding: letters, as: UTF8.self)].joined(separator: ".")
      #expect(throws: IDTokenError.signature) { try person(spoiled) }
      letters[index] = old
    }
  }

  @Test("a login verifies the examples of RFC 7515 with its keys")
  func examples() throws {
    let keys = try JSONWebKeys(
      Array(
        """
        {"keys":[{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2\
        mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9\
        e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFk\
        MLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """.utf8))
    let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let examples = [
      "eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
        + "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRm"
        + "B_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWyw"
        + "lVmtVrBp0igcN_IoypGlUPQGe77Rw",
      "eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1"
        + "Q",
    ]
    for example in examples {
      let token = try SignedToken(example)
      #expect(keys.verify(token.signature, of: token.signed, token.algorithm, id: nil))
      #expect(!keys.verify(token.signature, of: token.signed + [0], token.algorithm, id: nil))
      for spoiled in [token.signature.dropLast(), token.signature + [0], [0] + token.signature] {
        #expect(!keys.verify(Array(spoiled), of: token.signed, token.algorithm, id: nil))
      }
    }
  }

  @Test("a login accepts an address only if the provider verified it, and finds groups inside other claims")
  func people() throws {
    for verified in [JSONOutput.bool(false), .null, .integer(1), "yes"] {
      #expect(try person(provider.token(signIn, claims: [("email_verified", verified)])).verifiedAddress == nil)
    }
    #expect(try person(provider.token(signIn, claims: [("email_verified", nil)])).name == nil)
    let nested = [("realm_access", JSONOutput.object([("roles", .array(["a", .integer(1), "b"]))]))]
    let client = provider.client {
      $0.groupsClaim = "realm_access.roles"
      $0.nameClaim = "sub"
    }
    let found = try person(provider.token(signIn, claims: nested), client)
    #expect(found.groups == ["a", "b"] && found.name == "person 1")
  }

  @Test("a login queries the provider about the person if the token lacks claims, and accepts no other person")
  func personEndpoint() throws {
    let bare = try provider.token(signIn, claims: [("email", nil), ("groups", nil)])
    let facts: [(String, JSONOutput)] = [
      ("sub", "person 1"), ("email", "ana@example.com"), ("email_verified", .bool(true)), ("groups", .array(["staff"])),
    ]
    provider.state.withLock { $0.person = facts }
    #expect(try person(bare).groups == ["staff"])
    provider.state.withLock { $0.person = [("sub", "person 2")] + facts.dropFirst() }
    #expect(throws: IDTokenError.subject) { try person(bare) }
  }

  @Test("a provider without basic authentication gets the secret in the body; a client without one sends its name")
  func secrets() throws {
    provider.state.withLock {
      $0.discovery.append(("token_endpoint_auth_methods_supported", .array(["client_secret_post"])))
    }
    _ = try person(provider.token(signIn))
    _ = try person(provider.token(signIn), provider.client { $0.clientSecret = nil })
    let requests = provider.state.withLock { $0.requests.filter { $0.address.hasSuffix("/token") } }
    let bodies = requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
    #expect(requests.allSatisfy { request in !request.headers.contains { $0.name == "Authorization" } })
    #expect(bodies[0].contains("client_id=plumb&client_secret=a%20secret%3A%26"))
    #expect(bodies[1].contains("client_id=plumb") && !bodies[1].contains("client_secret"))
  }
}
