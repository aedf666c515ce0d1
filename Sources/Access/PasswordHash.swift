internal import Crypto
internal import CryptoExtras
internal import Foundation

/// Hashes and verifies passwords with scrypt (RFC 7914). A stored hash carries its parameters:
/// `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, salt and hash in Base64 without padding.
///
/// One hash takes about 0.1 s and 32 MiB, on purpose, so it must not run on a thread that serves requests.
public enum PasswordHash {
  /// The shortest accepted password, in UTF-8 bytes.
  public static let minimumLength = 10
  /// The longest accepted password, in UTF-8 bytes.
  public static let maximumLength = 1024

  /// Hashes a password with a new random salt. Throws `PasswordError` if it is too short or too long.
  public static func make(_ password: String) throws -> String {
    guard password.utf8.count >= minimumLength else { throw PasswordError.tooShort }
    guard password.utf8.count <= maximumLength else { throw PasswordError.tooLong }
    var random = SystemRandomNumberGenerator()
    let salt = KeyGenerator.bytes(16, using: &random)
    let parameters = Scrypt.Parameters.standard
    let hash = try Scrypt.derive(Array(password.utf8), salt: salt, parameters, count: 32)
    return "$scrypt$\(parameters.text)$\(encode(salt))$\(encode(hash))"
  }

  /// True if `password` matches the hash `stored`.
  ///
  /// Without a stored hash (an unknown user) the same work is done and the result is false, so that the response time
  /// does not reveal which names exist.
  public static func verify(_ password: String, against stored: String?) -> Bool {
    guard (1...maximumLength).contains(password.utf8.count) else { return false }
    let known = stored.flatMap(parse)
    let parameters = known?.parameters ?? .standard
    let salt = known?.salt ?? [UInt8](repeating: 0, count: 16)
    let count = known?.hash.count ?? 32
    guard let derived = try? Scrypt.derive(Array(password.utf8), salt: salt, parameters, count: count), let known else {
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
public enum PasswordError: Error, Equatable, CustomStringConvertible {
  case tooShort
  case tooLong

  public var description: String {
    switch self {
    case .tooShort: "A password needs at least \(PasswordHash.minimumLength) characters."
    case .tooLong: "A password has at most \(PasswordHash.maximumLength) bytes."
    }
  }
}

/// The scrypt function with bounded parameters: a damaged stored hash must neither allocate gigabytes nor trap.
enum Scrypt {
  struct Parameters: Equatable {
    /// The base-2 logarithm of scrypt's cost N.
    var costLog: Int
    var blockSize: Int
    var parallelism: Int

    /// The parameters of new hashes: N = 2^15, r = 8, p = 1, which take 32 MiB.
    static let standard = Parameters(costLog: 15, blockSize: 8, parallelism: 1)

    init(costLog: Int, blockSize: Int, parallelism: Int) {
      self.costLog = costLog
      self.blockSize = blockSize
      self.parallelism = parallelism
    }

    /// Parses `ln=15,r=8,p=1`. Nil for any other form, and for more than 128 MiB or 16 times the standard work.
    init?(_ text: Substring) {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let cost = Self.value("ln", parts[0]), let block = Self.value("r", parts[1]),
        let parallelism = Self.value("p", parts[2]), (1...20).contains(cost), (1...32).contains(block),
        (1...16).contains(parallelism), (128 * block) << cost <= 128 << 20
      else { return nil }
      self.init(costLog: cost, blockSize: block, parallelism: parallelism)
    }

    /// The parameters as stored in a hash: `ln=15,r=8,p=1`.
    var text: String { "ln=\(costLog),r=\(blockSize),p=\(parallelism)" }

    private static func value(_ name: String, _ part: Substring) -> Int? {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      return sides.count == 2 && sides[0] == name ? Int(sides[1]) : nil
    }
  }

  /// Derives a key of `count` bytes. The password must not be empty.
  static func derive(
    _ password: [UInt8], salt: [UInt8], _ parameters: Parameters, count: Int
  ) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: count, rounds: 1 << parameters.costLog,
      blockSize: parameters.blockSize, parallelism: parameters.parallelism)
    return key.withUnsafeBytes { Array($0) }
  }
}

/// Compares bytes in a time that does not depend on where they differ.
enum ConstantTime {
  static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
