internal import JSON

/// Bounds on what a document may say, far beyond what devices measure, so that no later sum can overflow.
enum Limits {
  /// The largest value of one sample or counter, in canonical units.
  static let value = 1e15
  /// The largest count of one bucket.
  static let count = 1e12
  /// Texts that are kept (labels, versions, models) are cut at this many bytes of UTF-8.
  static let textBytes = 200
  /// The longest name of a metric.
  static let metricNameBytes = 120
  /// Buckets of one histogram that a client bounds itself.
  static let buckets = 20_000
  /// Documents in one request.
  static let documents = 10_000
}

extension JSONText {
  /// A copy for a name, cut between two scalars when it is longer than a kept text may be, and without control characters.
  var kept: String { kept(Limits.textBytes).withoutControls }

  /// A copy, cut between two scalars behind at most `limit` bytes.
  func kept(_ limit: Int) -> String {
    guard count > limit else { return string }
    var end = limit
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

extension String {
  /// With a space for every control character: a version must not begin a line of a log or colour a terminal.
  var withoutControls: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    var plain = String.UnicodeScalarView()
    for scalar in unicodeScalars { plain.append(Self.isControl(scalar) ? " " : scalar) }
    return String(plain)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0x2028...0x2029 ~= scalar.value
  }
}
