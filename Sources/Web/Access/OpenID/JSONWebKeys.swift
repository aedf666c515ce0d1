internal import Core
internal import Foundation

/// The signature algorithms that are accepted (RFC 7518 §3.1). All others are refused, above all `none` and those with
/// a shared key, with which a public key would become a secret.
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
  /// The most keys of a provider; others have two or three.
  private static let most = 64

  /// Reads a key set. Keys of other kinds, for encryption or too weak ones are left out; throws `JSONError` for
  /// anything else than a key set.
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

  /// Whether there is a key that could have made a signature.
  func has(_ algorithm: SignatureAlgorithm, id: String?) -> Bool { !candidates(algorithm, id).isEmpty }

  /// Whether one of the keys made the signature.
  func verify(_ signature: [UInt8], of bytes: [UInt8], _ algorithm: SignatureAlgorithm, id: String?) -> Bool {
    candidates(algorithm, id).contains { $0.verifier.verifies(signature, of: bytes) }
  }

  /// The keys of an algorithm with this id; without an id all of them.
  private func candidates(_ algorithm: SignatureAlgorithm, _ id: String?) -> [Key] {
    keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
  }
}

/// Base64 for URLs without padding (RFC 7515 §2).
enum Base64URL {
  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes; nil for other characters, also for those of plain Base64.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2F && $0 != 0x3D }) else { return nil }
    let plain = String(text).replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)).map(Array.init)
  }
}
