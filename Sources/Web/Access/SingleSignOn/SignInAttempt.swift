import Core
import Outbound

/// One attempt to sign in with a provider: the values that bind the provider's answer to the browser that started it.
///
/// The browser has the state in a signed cookie for ten minutes. Nonce and PKCE verifier are derived from it with the
/// data folder's secret, so the server stores nothing, and neither the provider nor a thief of the address can compute
/// the verifier.
struct SignInAttempt: Sendable, Equatable {
  /// The random text that the provider sends back (RFC 6749 §10.12).
  let state: String
  /// The text that the ID token must contain.
  let nonce: String
  /// The secret of PKCE, which is only sent in the token request.
  let verifier: String
  /// The path of this server to show afterwards.
  let next: String

  /// The hash of the verifier, which the provider checks (RFC 7636 §4.2).
  var challenge: String { Self.challenge(of: verifier) }

  static func challenge(of verifier: String) -> String { Base64URL.encode(MessageDigest.sha256(verifier.utf8)) }

  init(state: String, next: String, _ hash: KeyedIDHash) {
    self.state = state
    self.next = next
    nonce = Hex.encode(hash.code(state, scope: "sign-in nonce"))
    verifier = Hex.encode(hash.code(state, scope: "sign-in verifier"))
  }
}

/// The cookie of a sign-in from its start to the provider's answer. Unlike the cookie of a login it is `SameSite=Lax`,
/// because the answer comes from the provider's site.
struct SignInCookie: Sendable {
  private let hash: KeyedIDHash
  private let isSecure: Bool

  /// The seconds within which a person must sign in.
  private static let lifetime: Int64 = 600

  /// Creates cookies that have the attribute `Secure` if the cookie `login` has it.
  init(hash: KeyedIDHash, like login: SessionCookie) {
    self.hash = hash
    isSecure = login.isSecure
  }

  /// Starts a sign-in. `next`: see `RedirectPath`.
  func begin(next: String) -> SignInAttempt {
    var random = SystemRandomNumberGenerator()
    return SignInAttempt(state: KeyGenerator.base62(43, using: &random), next: next, hash)
  }

  /// The value of `Set-Cookie` for a sign-in.
  func setting(_ signIn: SignInAttempt, at now: Timestamp) -> String {
    let end = now.milliseconds / 1000 + Self.lifetime
    let text = "\(signIn.state).\(end).\(Base64URL.encode(signIn.next.utf8))"
    return "\(name)=\(text).\(code(text)); Max-Age=\(Self.lifetime); \(attributes)"
  }

  /// The value of `Set-Cookie` that removes the cookie.
  var clearing: String { "\(name)=; Max-Age=0; \(attributes)" }

  /// The sign-in in the request's `Cookie` header; nil unless it was created by this server, has not expired and has
  /// this state.
  func signIn(in header: String?, state: String, at now: Timestamp) -> SignInAttempt? {
    guard let header, header.utf8.count <= 8192 else { return nil }
    for pair in header.split(separator: ";") {
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0] == name, let found = signIn(sides[1], now) else { continue }
      if ConstantTime.equal(Array(found.state.utf8), Array(state.utf8)) { return found }
    }
    return nil
  }

  private func signIn(_ value: Substring, _ now: Timestamp) -> SignInAttempt? {
    let parts = value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let text = parts.prefix(3).joined(separator: ".")
    guard ConstantTime.equal(Array(parts[3].utf8), Array(code(text).utf8)), let end = Int64(parts[1]),
      now.milliseconds / 1000 < end, let next = Base64URL.decode(parts[2])
    else { return nil }
    return SignInAttempt(state: String(parts[0]), next: String(decoding: next, as: UTF8.self), hash)
  }

  private func code(_ text: String) -> String { Hex.encode(hash.code(text, scope: "sign-in cookie")) }

  private var name: String { isSecure ? "__Host-plumb-sign-in" : "plumb-sign-in" }

  private var attributes: String { "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "") }
}
