import Foundation
import Synchronization

@testable import Core
@testable import Outbound
@testable import Storage
@testable import Web

/// A provider in this process, with keys of its own, whose answers a test can spoil.
final class PlayedProvider: Sendable {
  struct State {
    /// The keys as the provider publishes them.
    var keys: [JSONOutput]
    var discovery: [(String, JSONOutput)]
    /// What the token endpoint answers.
    var token = ""
    /// What the address about the person answers; nil: there is none.
    var person: [(String, JSONOutput)]?
    var requests: [WebClient.Request] = []
    var answers: [String: WebClient.Answer] = [:]
  }

  static let issuer = "https://id.example.com"
  static let now = Timestamp(milliseconds: 1_800_000_000_000)
  static let seconds: Int64 = 1_800_000_000

  private let signing: SigningKeys
  let state: Mutex<State>

  init(_ signing: Result<SigningKeys, any Error> = SigningKeys.provider) throws {
    let signing = try signing.get()
    self.signing = signing
    func text(_ bytes: some Sequence<UInt8>) -> JSONOutput { .string(Base64URL.encode(bytes)) }
    let keys: [JSONOutput] = [
      .object([
        ("kty", "RSA"), ("kid", "r1"), ("use", "sig"), ("alg", "RS256"), ("n", text(signing.modulus)),
        ("e", text(signing.exponent)),
      ]),
      .object([
        ("kty", "EC"), ("kid", "e1"), ("crv", "P-256"), ("x", text(signing.x)), ("y", text(signing.y)),
      ]),
    ]
    state = Mutex(
      State(
        keys: keys,
        discovery: [
          ("issuer", .string(Self.issuer)), ("authorization_endpoint", "https://id.example.com/authorize?a=b"),
          ("token_endpoint", "https://id.example.com/token"), ("jwks_uri", "https://id.example.com/keys"),
        ]))
  }

  /// The client of this provider.
  func client(_ change: (inout OpenIDSettings) -> Void = { _ in }) -> OpenIDProvider {
    var rules = ExternalUserRules()
    rules.allowsEveryone = true
    var settings = OpenIDSettings(issuer: Self.issuer, clientID: "plumb", clientSecret: "a secret:&", rules: rules)
    change(&settings)
    return OpenIDProvider(settings) { [self] in answer($0) }
  }

  private func answer(_ request: WebClient.Request) -> WebClient.Answer {
    state.withLock { state in
      state.requests.append(request)
      let path = request.address.replacing(Self.issuer, with: "")
      if let answer = state.answers[path] { return answer }
      switch path {
      case "/.well-known/openid-configuration":
        let person = state.person.map { _ in [("userinfo_endpoint", JSONOutput.string(Self.issuer + "/person"))] } ?? []
        return Self.ok(.object(state.discovery + person))
      case "/keys": return Self.ok(.object([("keys", .array(state.keys))]))
      case "/token": return Self.ok(.object([("id_token", .string(state.token)), ("access_token", "at")]))
      case "/person": return Self.ok(.object(state.person ?? []))
      default: return WebClient.Answer(status: 404, body: [])
      }
    }
  }

  private static func ok(_ json: JSONOutput) -> WebClient.Answer { WebClient.Answer(status: 200, body: json.encoded()) }

  /// How often an address was asked for.
  func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.address == Self.issuer + path } } }

  // MARK: - Tokens

  enum Signature {
    case rs256, es256, none
    /// HMAC with the text of the public key, as libraries that trust the header's `alg` check it.
    case hs256
  }

  /// A token of which everything is right, but for what the caller changes.
  func token(
    _ signIn: SignInAttempt, _ signature: Signature = .rs256, header: [(String, JSONOutput?)] = [],
    claims: [(String, JSONOutput?)] = []
  ) throws -> String {
    let names: [Signature: (String, String)] = [
      .rs256: ("RS256", "r1"), .es256: ("ES256", "e1"), .none: ("none", "r1"), .hs256: ("HS256", "r1"),
    ]
    let (algorithm, key) = names[signature] ?? ("", "")
    let head = Self.changed([("alg", .string(algorithm)), ("kid", .string(key)), ("typ", "JWT")], header)
    let body = Self.changed(
      [
        ("iss", .string(Self.issuer)), ("aud", "plumb"), ("sub", "person 1"), ("nonce", .string(signIn.nonce)),
        ("iat", .integer(Self.seconds)), ("exp", .integer(Self.seconds + 300)), ("email", "ana@example.com"),
        ("email_verified", .bool(true)), ("groups", .array(["staff", "ios"])),
      ], claims)
    let signed =
      Base64URL.encode(JSONOutput.object(head).encoded()) + "." + Base64URL.encode(JSONOutput.object(body).encoded())
    let bytes = Array(signed.utf8)
    let code: [UInt8] =
      switch signature {
      case .rs256: try signing.signRSA(bytes)
      case .es256: try signing.signP256(bytes)
      case .none: []
      case .hs256: HMACSHA256(key: signing.pem).code(bytes)
      }
    return signed + "." + Base64URL.encode(code)
  }

  /// Members replaced, added, or taken away (nil).
  private static func changed(
    _ members: [(String, JSONOutput)], _ changes: [(String, JSONOutput?)]
  ) -> [(String, JSONOutput)] {
    let kept = members.filter { member in !changes.contains { $0.0 == member.0 } }
    return kept + changes.compactMap { change in change.1.map { (change.0, $0) } }
  }
}
