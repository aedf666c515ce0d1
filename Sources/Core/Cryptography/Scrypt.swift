internal import CCrypto

/// The scrypt function (RFC 7914) with bounded parameters: a damaged stored hash must not allocate gigabytes.
public enum Scrypt {
  public struct Parameters: Equatable, Sendable {
    /// The base-2 logarithm of scrypt's cost N.
    public let costLog: Int
    public let blockSize: Int
    public let parallelism: Int

    /// The parameters of new hashes: N = 2^15, r = 8, p = 1, which take 32 MiB.
    public static let standard = Parameters(costLog: 15, blockSize: 8, parallelism: 1)

    private init(costLog: Int, blockSize: Int, parallelism: Int) {
      (self.costLog, self.blockSize, self.parallelism) = (costLog, blockSize, parallelism)
    }

    /// Parses `ln=15,r=8,p=1`. Nil for any other form, and for more than 128 MiB or 16 times the standard work.
    public init?(_ text: Substring) {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let cost = Self.value("ln", parts[0]), let block = Self.value("r", parts[1]),
        let parallelism = Self.value("p", parts[2]), (1...20).contains(cost), (1...32).contains(block),
        (1...16).contains(parallelism), (128 * block) << cost <= Scrypt.mostMemory
      else { return nil }
      self.init(costLog: cost, blockSize: block, parallelism: parallelism)
    }

    /// The parameters as stored in a hash: `ln=15,r=8,p=1`.
    public var text: String { "ln=\(costLog),r=\(blockSize),p=\(parallelism)" }

    private static func value(_ name: String, _ part: Substring) -> Int? {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      return sides.count == 2 && sides[0] == name ? Int(sides[1]) : nil
    }
  }

  private static let mostMemory = 128 << 20

  /// Derives a key of `count` bytes; nil for parameters that scrypt does not have, such as r = 1 with N = 2^16.
  public static func derive(_ password: [UInt8], salt: [UInt8], _ parameters: Parameters, count: Int) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: count)
    // The function needs some kilobytes besides.
    let isDerived = plumb_scrypt(
      password, password.count, salt, salt.count, 1 << parameters.costLog, UInt64(parameters.blockSize),
      UInt64(parameters.parallelism), UInt64(mostMemory + (1 << 20)), &key, count)
    return isDerived ? key : nil
  }
}
