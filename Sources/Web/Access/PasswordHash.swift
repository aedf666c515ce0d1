internal import Core
internal import Foundation

/// Hashes and verifies passwords with scrypt (RFC 7914). A stored hash contains its parameters:
/// `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, with salt and hash in Base64 without padding.
///
/// One hash deliberately takes about 0.1 s and 32 MiB, so it must not run on a thread that serves requests.
public enum PasswordHash {
  /// The shortest accepted password, in UTF-8 bytes.
  public static let minimumLength = 10
  /// The longest accepted password, in UTF-8 bytes.
  static let maximumLength = 1024

  /// Hashes a password with a new random salt. Throws `PasswordError` if it is too short or too long.
  public static func make(_ password: String) throws -> String {
    guard password.utf8.count >= minimumLength else { throw PasswordError.tooShort }
    guard password.utf8.count <= maximumLength else { throw PasswordError.tooLong }
    var random = SystemRandomNumberGenerator()
    let salt = KeyGenerator.bytes(16, using: &random)
    let parameters = Scrypt.Parameters.standard
    guard let hash = Scrypt.derive(Array(password.utf8), salt: salt, parameters, count: 32) else {
      throw PasswordError.noMemory
    }
    return "$scrypt$\(parameters.text)$\(encode(salt))$\(encode(hash))"
  }

  /// Whether `password` matches the hash `stored`.
  ///
  /// Without a stored hash (an unknown user) the same work is done and the result is false, so the response time does
  /// not reveal which names exist.
  static func verify(_ password: String, against stored: String?) -> Bool {
    guard (1...maximumLength).contains(password.utf8.count) else { return false }
    let known = stored.flatMap(parse)
    let parameters = known?.parameters ?? .standard
    let salt = known?.salt ?? [UInt8](repeating: 0, count: 16)
    let count = known?.hash.count ?? 32
    guard let derived = Scrypt.derive(Array(password.utf8), salt: salt, parameters, count: count), let known else {
      return false
    }
    return ConstantTime.equal(derived, known.hash)
  }

  static func parse(
    _ text: String
  ) -> (parameters: Scrypt.Parameters, salt: [UInt8], hash: [UInt8])? {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let parameters = Scrypt.Parameters(parts[2]),
      let salt = decode(parts[3]), let hash = decode(parts[4]), (8...64).contains(salt.count),
      (16...64).contains(hash.count)
    else { return nil }
    return (parameters, salt, hash)
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("=", with: "")
  }

  private static func decode(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map(Array.init)
  }
}

/// Why a new password is refused.
enum PasswordError: Error, Equatable, CustomStringConvertible {
  case tooShort
  case tooLong
  case noMemory

  var description: String {
    switch self {
    case .tooShort: "A password must have at least \(PasswordHash.minimumLength) characters."
    case .tooLong: "A password must have at most \(PasswordHash.maximumLength) bytes."
    case .noMemory: "There is not enough memory to hash the password."
    }
  }
}
