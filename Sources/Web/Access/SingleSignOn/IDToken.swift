internal import Core
internal import Outbound

/// The claims of a verified ID token about a person.
struct IDTokenClaims: Sendable, Equatable {
  /// The provider's id of the person, which is never reassigned.
  var subject: String
  /// The value of the claim with the user's name; nil without it.
  var name: String?
  /// The mail address; nil unless the provider verified it.
  var verifiedAddress: String?
  /// The groups; nil if the claim is missing.
  var groups: [String]?
}

/// A signed token in compact form (RFC 7515 §7.1), not verified yet.
struct SignedToken {
  let algorithm: SignatureAlgorithm
  /// The id of the key; nil if the token has none.
  let keyID: String?
  let payload: [UInt8]
  let signature: [UInt8]
  /// The signed bytes.
  let signed: [UInt8]

  /// The longest token, in bytes.
  private static let longest = 64 << 10

  /// Splits a token and reads its header. Throws `IDTokenError`.
  init(_ text: String) throws {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.longest, parts.count == 3, let header = Base64URL.decode(parts[0]),
      let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
    else { throw IDTokenError.malformed("three Base64URL parts") }
    let (name, id, isCritical) = try header.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 8, mostValues: 100).withDocument(bytes) { root in
        let object = try root.object()
        return (try object.required("alg").text().string, try object["kid"]?.text().string, object["crit"] != nil)
      }
    }
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw IDTokenError.algorithm(name) }
    // RFC 7515 §4.1.11: unknown extensions must be refused.
    guard !isCritical else { throw IDTokenError.malformed("no header crit") }
    self.algorithm = algorithm
    keyID = id
    self.payload = payload
    self.signature = signature
    signed = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
  }
}

/// The checks of an ID token after its signature (OpenID Connect Core §3.1.3.7).
struct IDTokenCheck {
  let settings: OpenIDSettings
  let nonce: String
  let now: Timestamp

  /// The maximum difference between the clocks of server and provider, in seconds.
  private static let skew = 120.0
  /// The maximum age of a token for this sign-in, in seconds.
  private static let longestAge = 900.0

  /// The claims of a payload. Throws `IDTokenError` or `JSONError`.
  func claims(_ payload: [UInt8]) throws -> IDTokenClaims {
    try payload.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 16, mostValues: 20_000).withDocument(bytes) { root in
        let object = try root.object()
        try check(object)
        return try PersonClaims(settings).read(object)
      }
    }
  }

  private func check(_ claims: JSONObject) throws {
    let issuer = try claims.required("iss").text().string
    guard issuer == settings.issuer else { throw IDTokenError.issuer(issuer) }
    let audience = try claims.required("aud")
    let audiences = try audience.textOrNil.map { [$0.string] } ?? audience.array().map { try $0.text().string }
    guard audiences.contains(settings.clientID) else { throw IDTokenError.audience }
    let party = try claims["azp"]?.text().string
    guard party == settings.clientID || (party == nil && audiences.count == 1) else { throw IDTokenError.audience }
    let time = Double(now.milliseconds) / 1000
    guard try claims.required("exp").number() > time - Self.skew else { throw IDTokenError.expired }
    let issued = try claims.required("iat").number()
    guard issued <= time + Self.skew, issued >= time - Self.longestAge - Self.skew else { throw IDTokenError.issued }
    if let start = try claims["nbf"]?.number(), start > time + Self.skew { throw IDTokenError.issued }
    guard let found = try claims["nonce"]?.text().string, ConstantTime.equal(Array(found.utf8), Array(nonce.utf8))
    else {
      throw IDTokenError.nonce
    }
  }
}

/// Reads a person's claims from an ID token or from the provider's userinfo response.
struct PersonClaims {
  private let nameClaim: String
  private let groupsClaim: String

  init(_ settings: OpenIDSettings) {
    nameClaim = settings.nameClaim
    groupsClaim = settings.groupsClaim
  }

  func read(_ object: JSONObject) throws -> IDTokenClaims {
    let subject = try object.required("sub").text().string
    guard !subject.isEmpty, subject.utf8.count <= 255 else { throw IDTokenError.malformed("a sub of 1 to 255 bytes") }
    let isVerified = object["email_verified"].map {
      $0.booleanOrNil == true || $0.textOrNil.map { $0 == "true" } == true
    }
    let address = isVerified == true ? object["email"]?.textOrNil?.string : nil
    let groups = value(groupsClaim, in: object).map { value in
      value.textOrNil.map { [$0.string] } ?? value.arrayOrNil?.prefix(1000).compactMap { $0.textOrNil?.string } ?? []
    }
    let name = nameClaim == "email" ? address : value(nameClaim, in: object)?.textOrNil?.string
    return IDTokenClaims(subject: subject, name: name, verifiedAddress: address, groups: groups)
  }

  /// The claim with a name, or with a path of names separated by dots.
  private func value(_ path: String, in object: JSONObject) -> JSONValue? {
    func member(_ name: String, _ object: JSONObject) -> JSONValue? {
      object.first { $0.key == Array(name.utf8) }?.value
    }
    if let found = member(path, object) { return found }
    let names = path.split(separator: ".").map(String.init)
    guard names.count > 1 else { return nil }
    var inner = object
    for name in names.dropLast() {
      guard let next = member(name, inner)?.objectOrNil else { return nil }
      inner = next
    }
    return names.last.flatMap { member($0, inner) }
  }
}

/// Why an ID token is refused, for the log.
enum IDTokenError: Error, Equatable, CustomStringConvertible {
  case malformed(String)
  case algorithm(String)
  case unknownKey(String?)
  case signature
  case issuer(String)
  case audience
  case expired
  case issued
  case nonce
  /// The provider's userinfo response is about another person.
  case subject

  var description: String {
    switch self {
    case .malformed(let expected): "the token is malformed: expected \(expected)"
    case .algorithm(let name):
      "the token is signed with \(SanitizedText.name(name, atMost: 40)); expected RS256 or ES256"
    case .unknownKey(let id): "the provider has no key \(SanitizedText.name(id ?? "for the token", atMost: 80))"
    case .signature: "the token's signature is wrong"
    case .issuer(let name): "the token's issuer is \(SanitizedText.name(name)), not the issuer in the settings"
    case .audience: "the token is for another client"
    case .expired: "the token has expired; compare the clocks of server and provider"
    case .issued: "the token is too old or from the future; compare the clocks of server and provider"
    case .nonce: "the token belongs to another sign-in"
    case .subject: "the provider's userinfo response is for another user"
    }
  }
}
