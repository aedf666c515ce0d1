internal import Crypto
internal import CryptoExtras
internal import Foundation

/// scrypt with checked parameters: a damaged stored hash must not ask for gigabytes or trap.
enum Scrypt {
  struct Parameters: Equatable {
    /// log₂ of the cost N.
    var costLog: Int
    var blockSize: Int
    var parallelism: Int

    /// N = 2^15, r = 8, p = 1: 32 MiB.
    static let standard = Parameters(costLog: 15, blockSize: 8, parallelism: 1)

    init(costLog: Int, blockSize: Int, parallelism: Int) {
      self.costLog = costLog
      self.blockSize = blockSize
      self.parallelism = parallelism
    }

    /// Reads `ln=15,r=8,p=1`; nil for another shape, and for more than 128 MiB or 16 times the standard work.
    init?(_ text: Substring) {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 3, let cost = Self.value("ln", parts[0]), let block = Self.value("r", parts[1]),
        let parallelism = Self.value("p", parts[2]), (1...20).contains(cost), (1...32).contains(block),
        (1...16).contains(parallelism), (128 * block) << cost <= 128 << 20
      else { return nil }
      self.init(costLog: cost, blockSize: block, parallelism: parallelism)
    }

    /// `ln=15,r=8,p=1`
    var text: String { "ln=\(costLog),r=\(blockSize),p=\(parallelism)" }

    private static func value(_ name: String, _ part: Substring) -> Int? {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      return sides.count == 2 && sides[0] == name ? Int(sides[1]) : nil
    }
  }

  /// The derived key. The password must not be empty.
  static func derive(
    _ password: [UInt8], salt: [UInt8], _ parameters: Parameters, count: Int
  ) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: count, rounds: 1 << parameters.costLog,
      blockSize: parameters.blockSize, parallelism: parameters.parallelism)
    return key.withUnsafeBytes { Array($0) }
  }
}
