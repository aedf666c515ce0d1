internal import Core
internal import Foundation

/// A key of App Store Connect's API, which signs a short-lived token for each run.
///
/// Source: developer.apple.com/documentation/appstoreconnectapi/generating-tokens-for-api-requests
public struct AppStoreConnectCredentials: Sendable {
  private let key: SigningKey
  private let keyID: String
  /// The issuer of a team's key; nil for a key of one person.
  private let issuerID: String?

  /// The lifetime of a token in seconds. Apple refuses one of more than 20 minutes.
  static let lifetime: Int64 = 900
  /// How long before now a token was issued, because Apple refuses one from the future.
  private static let skew: Int64 = 30

  /// Reads the key's file, such as `AuthKey_2X9R4HXF34.p8`. Throws `SecretFailure` if it cannot be read, may be read by
  /// other users or has no P-256 key, and `AppStoreConnectError` for an id that is none.
  public init(file: String, keyID: String, issuerID: String?, environment: [String: String]) throws {
    let text = try SecretSource.file(file).contents(environment: environment)
    guard let key = SigningKey(pem: Array(text.utf8)) else {
      throw SecretFailure("the file \(file) is not a key of App Store Connect: expected a private P-256 key in PEM")
    }
    guard Self.isID(keyID) else {
      throw AppStoreConnectError("--key-id: expected letters and digits, such as 2X9R4HXF34.")
    }
    guard issuerID.map(Self.isID) ?? true else {
      throw AppStoreConnectError("--issuer-id: expected a UUID, such as 57246542-96fe-1a63-e053-0824d011072a.")
    }
    (self.key, self.keyID, self.issuerID) = (key, keyID, issuerID)
  }

  private static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "-") }
  }

  /// A signed token (RFC 7519, ES256) that is valid for 15 minutes from `now`.
  func token(at now: Timestamp) throws(AppStoreConnectError) -> Secret {
    let second = now.milliseconds / 1000
    let head: [(String, JSONOutput)] = [("alg", .string("ES256")), ("kid", .string(keyID)), ("typ", .string("JWT"))]
    // A key of one person has no issuer; Apple then expects the subject `user`.
    let claims: [(String, JSONOutput)] = [
      issuerID.map { ("iss", .string($0)) } ?? ("sub", .string("user")), ("iat", .integer(second - Self.skew)),
      ("exp", .integer(second + Self.lifetime)), ("aud", .string("appstoreconnect-v1")),
    ]
    let signed = [head, claims].map { Base64URL.encode(JSONOutput.object($0).encoded()) }.joined(separator: ".")
    guard let signature = key.signature(of: Array(signed.utf8)) else {
      throw AppStoreConnectError("The token for App Store Connect could not be signed.")
    }
    return Secret(signed + "." + Base64URL.encode(signature))
  }
}

/// Why App Store Connect cannot be read, as a sentence.
public struct AppStoreConnectError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
