import Foundation
import TestSupport

@testable import Core

/// Private keys that the command `openssl` makes and signs with.
struct SigningKeys: Sendable {
  /// The keys of every played provider, and other ones.
  static let provider = Result { try SigningKeys() }
  static let stranger = Result { try SigningKeys() }

  let modulus: [UInt8]
  let exponent: [UInt8] = [1, 0, 1]
  /// The point of the key on P-256.
  let x: [UInt8]
  let y: [UInt8]
  /// The public key of RSA as providers publish it beside the JSON.
  let pem: [UInt8]
  private let rsa: [UInt8]
  private let p256: [UInt8]

  private init() throws {
    rsa = try Self.openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
    p256 = try Self.openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
    let digits = Array(try Self.openssl(["rsa", "-noout", "-modulus"], rsa).dropFirst("Modulus=".count))
    modulus = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
    pem = try Self.openssl(["pkey", "-pubout"], rsa)
    let point = try Self.openssl(["pkey", "-pubout", "-outform", "DER"], p256).suffix(64)
    (x, y) = (Array(point.prefix(32)), Array(point.suffix(32)))
  }

  func signRSA(_ bytes: [UInt8]) throws -> [UInt8] { try Self.sign(bytes, rsa) }

  /// r and s of 32 bytes each, which `openssl` writes as integers of a sequence.
  func signP256(_ bytes: [UInt8]) throws -> [UInt8] {
    var der = try Self.sign(bytes, p256).dropFirst(2)
    func integer() -> [UInt8] {
      let count = Int(der.dropFirst().first ?? 0)
      let bytes = Array(der.dropFirst(2).prefix(count).suffix(32))
      der = der.dropFirst(2 + count)
      return [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
    }
    return integer() + integer()
  }

  private static func sign(_ bytes: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
    try withFolder { folder in
      try Data(key).write(to: URL(filePath: folder + "/key"))
      return try openssl(["dgst", "-sha256", "-sign", folder + "/key"], bytes)
    }
  }

  private static func openssl(_ arguments: [String], _ input: [UInt8] = []) throws -> [UInt8] {
    try Program.output("openssl", arguments, input: input)
  }
}
