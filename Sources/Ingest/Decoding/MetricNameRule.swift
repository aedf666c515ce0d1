import Core

/// The rule for metric names: 1 to 120 bytes of `A–Z a–z 0–9 . _ - / :` and space.
enum MetricNameRule {
  static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: " "):
      true
    default: false
    }
  }

  /// Whether the name is `.` or `..`. In the path of a URL these mean folders, so no browser could request the metric's
  /// page.
  static func isStep(_ name: some Collection<UInt8>) -> Bool {
    name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// Reads a name from a document. Throws an error with the rule if the name is not allowed.
  static func read(_ value: JSONValue) throws -> String {
    let text = try value.text()
    guard text.count > 0, text.count <= DecodingLimits.metricNameBytes, text.bytes.allSatisfy(allows),
      !isStep(text.bytes)
    else {
      throw value.failure(
        "expected a name of 1 to \(DecodingLimits.metricNameBytes) characters (A-Z a-z 0-9 . _ - / : or space) that is "
          + "not \".\" or \"..\", found \(JSONPath.quoted(text.string))")
    }
    return text.string
  }
}
