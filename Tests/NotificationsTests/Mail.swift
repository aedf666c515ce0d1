import Foundation
import Testing
import TestSupport

/// A mail as Python's standard library reads it: another implementation of MIME.
struct Mail: Decodable {
  /// Names and decoded values, in order.
  var headers: [[String]]
  /// The types of the leaves.
  var parts: [String]
  var plain: String?
  var html: String?
  /// What Python finds wrong.
  var defects: [String]

  static func read(_ bytes: [UInt8]) throws -> Mail {
    let output = try Program.output("python3", [Receivers.path("read_mail.py")], input: bytes)
    return try JSONDecoder().decode(Mail.self, from: Data(output))
  }
}
