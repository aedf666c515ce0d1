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
  /// A copy, cut between two scalars when it is longer than a kept text may be.
  var kept: String { kept(Limits.textBytes) }

  /// A copy, cut between two scalars behind at most `limit` bytes.
  func kept(_ limit: Int) -> String {
    guard count > limit else { return string }
    var end = limit
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
