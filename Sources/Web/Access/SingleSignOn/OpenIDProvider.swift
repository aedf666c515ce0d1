import Core
internal import Foundation
import Outbound
internal import Synchronization

/// The client of a login provider: reads its addresses and keys, exchanges the code of a sign-in and verifies the token
/// (OpenID Connect Core 1.0, Discovery 1.0; PKCE, RFC 7636).
///
/// It blocks during requests to the provider. The discovery document and the keys are cached for an hour. After a token
/// with an unknown key, the keys are read again, at most once per minute.
final class OpenIDProvider: Sendable {
  /// Sends a request to the provider.
  typealias Fetch = @Sendable (WebClient.Request) throws -> WebClient.Answer

  /// The addresses of the provider.
  struct Endpoints: Sendable {
    var authorization: String
    var token: String
    var keys: String
    var person: String?
    /// The address of the provider's sign-out page; nil without one.
    var endSession: String?
    /// Whether the client's secret is sent in the body instead of a header.
    var takesSecretInBody: Bool
  }

  private struct State {
    var endpoints: (value: Endpoints, read: Timestamp)?
    var keys: (value: JSONWebKeys, read: Timestamp)?
    /// The last failure, which prevents a request to an unavailable provider for every click.
    var failure: (error: OpenIDError, at: Timestamp)?
  }

  let settings: OpenIDSettings
  private let fetch: Fetch
  private let state = Mutex(State())

  /// In milliseconds: the time for which documents are cached, the minimum time between two reads of the keys for
  /// unknown keys, and the pause after a failure.
  private static let (kept, keyPause, failurePause): (Int64, Int64, Int64) = (3_600_000, 60_000, 5_000)

  init(_ settings: OpenIDSettings, fetch: @escaping Fetch) {
    self.settings = settings
    self.fetch = fetch
  }

  /// The address to which a browser is redirected to sign in. `redirect`: this server's redirect URI.
  func signInAddress(_ signIn: SignInAttempt, redirect: String, at now: Timestamp) throws -> String {
    let address = try endpoints(at: now).authorization
    let fields = [
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirect),
      ("scope", settings.scopes.joined(separator: " ")), ("state", signIn.state), ("nonce", signIn.nonce),
      ("code_challenge", signIn.challenge), ("code_challenge_method", "S256"),
    ]
    return address + (address.contains("?") ? "&" : "?") + Self.form(fields)
  }

  /// The address of the provider's sign-out page (RP-Initiated Logout 1.0); nil if it has none. `back`: the address on
  /// this server to return to.
  func signOutAddress(back: String, at now: Timestamp) throws -> String? {
    guard let address = try endpoints(at: now).endSession else { return nil }
    let fields = [("client_id", settings.clientID), ("post_logout_redirect_uri", back)]
    return address + (address.contains("?") ? "&" : "?") + Self.form(fields)
  }

  /// Exchanges the code that a browser delivered for the person's claims. Throws `OpenIDError`, `IDTokenError`,
  /// `JSONError` or `WebClient.Failure`.
  func person(code: String, _ signIn: SignInAttempt, redirect: String, at now: Timestamp) throws -> IDTokenClaims {
    let endpoints = try endpoints(at: now)
    let tokens = try exchange(code, signIn, redirect, endpoints)
    var claims = try verified(tokens.id, nonce: signIn.nonce, at: now)
    // Some providers send groups and address only in the userinfo response.
    if let address = endpoints.person, let access = tokens.access, claims.name == nil || claims.groups == nil {
      let found = try self.claims(at: address, access)
      guard found.subject == claims.subject else { throw IDTokenError.subject }
      claims.name = claims.name ?? found.name
      claims.verifiedAddress = claims.verifiedAddress ?? found.verifiedAddress
      claims.groups = claims.groups ?? found.groups
    }
    return claims
  }

  /// Verifies an ID token and returns its claims.
  func verified(_ token: String, nonce: String, at now: Timestamp) throws -> IDTokenClaims {
    let token = try SignedToken(token)
    let keys = try keys(for: token, at: now)
    guard keys.has(token.algorithm, id: token.keyID) else { throw IDTokenError.unknownKey(token.keyID) }
    guard keys.verify(token.signature, of: token.signed, token.algorithm, id: token.keyID) else {
      throw IDTokenError.signature
    }
    return try IDTokenCheck(settings: settings, nonce: nonce, now: now).claims(token.payload)
  }

  // MARK: - Requests

  private func exchange(
    _ code: String, _ signIn: SignInAttempt, _ redirect: String, _ endpoints: Endpoints
  ) throws -> (id: String, access: String?) {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
      ("code_verifier", signIn.verifier),
    ]
    var headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    if let secret = settings.clientSecret, !endpoints.takesSecretInBody {
      // RFC 6749 §2.3.1: both are encoded as in a form before they are joined.
      let pair = PercentEncoding.encode(settings.clientID) + ":" + PercentEncoding.encode(secret)
      headers.append((name: "Authorization", value: "Basic " + Data(pair.utf8).base64EncodedString()))
    } else {
      fields.append(("client_id", settings.clientID))
      if let secret = settings.clientSecret { fields.append(("client_secret", secret)) }
    }
    let answer = try fetch(WebClient.Request(endpoints.token, headers: headers, body: Array(Self.form(fields).utf8)))
    return try Self.parse(answer, "the token") { object in
      (try object.required("id_token").text().string, object["access_token"]?.textOrNil?.string)
    }
  }

  private func claims(at address: String, _ access: String) throws -> IDTokenClaims {
    let answer = try fetch(WebClient.Request(address, headers: [(name: "Authorization", value: "Bearer \(access)")]))
    return try Self.parse(answer, "the person", PersonClaims(settings).read)
  }

  /// The provider's addresses, which are read once per hour.
  private func endpoints(at now: Timestamp) throws -> Endpoints {
    let known = state.withLock { ($0.endpoints, $0.failure) }
    if let found = known.0, Self.isWithin(Self.kept, found.read, now) { return found.value }
    if let failure = known.1, Self.isWithin(Self.failurePause, failure.at, now) { throw failure.error }
    do {
      let endpoints = try discover()
      state.withLock { ($0.endpoints, $0.failure) = ((endpoints, now), nil) }
      return endpoints
    } catch {
      let error = OpenIDError("the provider's discovery document cannot be read: \(error)")
      state.withLock { $0.failure = (error, now) }
      throw error
    }
  }

  private func discover() throws -> Endpoints {
    let base = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
    let answer = try fetch(WebClient.Request(base + "/.well-known/openid-configuration"))
    return try Self.parse(answer, "discovery") { object in
      let issuer = try object.required("issuer").text().string
      guard issuer == settings.issuer else {
        throw OpenIDError("its issuer is \(SanitizedText.name(issuer)); set `issuer` in the settings to exactly that")
      }
      func address(_ name: StaticString) throws -> String {
        let found = try object.required(name).text().string
        guard OpenIDSettings.isAllowed(address: found) else { throw OpenIDError("\(name) is not an https address") }
        return found
      }
      let ways = object["token_endpoint_auth_methods_supported"]?.arrayOrNil?.prefix(20).compactMap {
        $0.textOrNil?.string
      }
      return Endpoints(
        authorization: try address("authorization_endpoint"), token: try address("token_endpoint"),
        keys: try address("jwks_uri"),
        person: object["userinfo_endpoint"] == nil ? nil : try address("userinfo_endpoint"),
        endSession: object["end_session_endpoint"] == nil ? nil : try address("end_session_endpoint"),
        takesSecretInBody: ways.map { !$0.contains("client_secret_basic") && $0.contains("client_secret_post") }
          ?? false)
    }
  }

  /// The provider's keys. They are read again if they are old or do not contain the token's key.
  private func keys(for token: SignedToken, at now: Timestamp) throws -> JSONWebKeys {
    let known = state.withLock { $0.keys }
    if let known {
      let isCurrent = Self.isWithin(Self.kept, known.read, now) && known.value.has(token.algorithm, id: token.keyID)
      if isCurrent || Self.isWithin(Self.keyPause, known.read, now) { return known.value }
    }
    let answer = try fetch(WebClient.Request(try endpoints(at: now).keys))
    guard answer.status == 200 else { throw OpenIDError("the provider answered \(answer.status) for its keys") }
    let keys = try JSONWebKeys(answer.body)
    state.withLock { $0.keys = (keys, now) }
    return keys
  }

  private static func isWithin(_ span: Int64, _ start: Timestamp, _ now: Timestamp) -> Bool {
    let age = now.milliseconds.subtractingReportingOverflow(start.milliseconds)
    return !age.overflow && age.partialValue >= 0 && age.partialValue < span
  }

  private static func parse<Value>(
    _ answer: WebClient.Answer, _ what: String, _ read: (JSONObject) throws -> Value
  ) throws -> Value {
    guard answer.status == 200 else {
      throw OpenIDError("the provider answered \(answer.status) for \(what)\(errorCode(answer.body))")
    }
    return try answer.body.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 16, mostValues: 20_000).withDocument(bytes) { try read(try $0.object()) }
    }
  }

  /// The error code of RFC 6749 §5.2, such as `invalid_client`.
  private static func errorCode(_ body: [UInt8]) -> String {
    let code = try? body.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 16, mostValues: 1000).withDocument(bytes) { root in
        root.objectOrNil?["error"]?.textOrNil?.string
      }
    }
    return (code ?? nil).map { ": " + SanitizedText.name($0, atMost: 60) } ?? ""
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
  }
}

/// Why a request to a provider failed, for the log.
struct OpenIDError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
