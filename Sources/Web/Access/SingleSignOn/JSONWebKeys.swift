internal import Core
internal import Outbound

/// The accepted signature algorithms (RFC 7518 §3.1). All others are refused, especially `none` and algorithms with a
/// shared key, which would turn a public key into a secret.
enum SignatureAlgorithm: String {
  case rs256 = "RS256"
  case es256 = "ES256"
}

/// The public keys of a provider (RFC 7517).
struct JSONWebKeys: Sendable {
  private struct Key: Sendable {
    var id: String?
    var algorithm: SignatureAlgorithm
    var verifier: PublicKey
  }

  private let keys: [Key]
  /// The maximum number of keys of a provider. Real providers have two or three.
  private static let most = 64

  /// Reads a key set. Encryption keys, weak keys and keys of other kinds are left out. Throws `JSONError` if the
  /// document is not a key set.
  init(_ document: [UInt8]) throws {
    keys = try document.withUnsafeBytes { bytes in
      try JSONParser(maximumDepth: 16, mostValues: 10_000).withDocument(bytes) { root in
        try root.object().required("keys").array().prefix(Self.most).compactMap(Self.key)
      }
    }
  }

  private static func key(_ value: JSONValue) -> Key? {
    guard let object = value.objectOrNil else { return nil }
    func text(_ name: StaticString) -> String? { object[name]?.textOrNil?.string }
    if let use = text("use"), use != "sig" { return nil }
    guard let (algorithm, verifier) = verifier(text), text("alg").map({ $0 == algorithm.rawValue }) ?? true else {
      return nil
    }
    return Key(id: text("kid"), algorithm: algorithm, verifier: verifier)
  }

  private static func verifier(_ text: (StaticString) -> String?) -> (SignatureAlgorithm, PublicKey)? {
    func number(_ name: StaticString) -> [UInt8]? { text(name).flatMap(Base64URL.decode) }
    switch text("kty") {
    case "RSA":
      guard let n = number("n"), let e = number("e") else { return nil }
      return PublicKey.rsa(modulus: n, exponent: e).map { (.rs256, $0) }
    case "EC":
      guard text("crv") == "P-256", let x = number("x"), let y = number("y") else { return nil }
      return PublicKey.p256(x: x, y: y).map { (.es256, $0) }
    default: return nil
    }
  }

  /// Whether there is a key that may verify a signature of this kind.
  func has(_ algorithm: SignatureAlgorithm, id: String?) -> Bool { !candidates(algorithm, id).isEmpty }

  /// Whether one of the keys verifies the signature.
  func verify(_ signature: [UInt8], of bytes: [UInt8], _ algorithm: SignatureAlgorithm, id: String?) -> Bool {
    candidates(algorithm, id).contains { $0.verifier.verifies(signature, of: bytes) }
  }

  /// The keys of an algorithm with this id; without an id, all keys of the algorithm.
  private func candidates(_ algorithm: SignatureAlgorithm, _ id: String?) -> [Key] {
    keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
  }
}
