internal import JSON
internal import Telemetry

/// Bounds on the numbers and texts that decoders accept, and on how much one request may hold.
///
/// A value beyond a bound is counted as rejected, a request beyond one is refused before what is too much is built. The
/// bounds of values do not keep sums from growing: sums over many payloads saturate wherever they are made (`Statistics`,
/// `Aggregation`, `Storage`), and a record holds no count that its reader would not believe.
enum Limits {
  // Numbers.

  /// The largest value of one sample or counter, in canonical units.
  static let value = 1e15
  /// The largest sum of a histogram's values, in canonical units.
  static let sum = 1e18
  /// The largest count of one bucket.
  static let count = 1e12
  /// The most losses that one entry of a client report may state.
  static let losses = 1e6
  /// The most samples of one frame.
  static let samples = 1e9

  // Texts, in bytes of UTF-8.

  /// Names that are kept (labels, versions, models) are cut here.
  static let textBytes = CleanText.longestName
  /// The longest name of a metric.
  static let metricNameBytes = 120
  /// Free text of an exception, and of a reason for termination.
  static let exceptionBytes = 2000
  static let terminationBytes = 500
  /// An id is hashed for every part of a request that names it: a longer one is replaced by a hash of its own.
  static let idBytes = 256

  // Parts of one histogram, and of one request.

  /// Buckets of one histogram that a client bounds itself.
  static let buckets = 20_000
  static let documents = 10_000
  static let sessions = 20_000
  static let diagnostics = 2_000
  static let frames = 100_000
  static let threads = 100_000
  /// Binaries that a call tree lists beside its frames: an app loads some hundreds.
  static let binaries = 20_000
  static let measurements = 150_000
  /// Readings of metrics that only the client knows, or with a label: each may begin a series of its own.
  static let series = 40_000
  /// Samples and buckets.
  static let values = 500_000
}

extension JSONText {
  /// A copy for a name, cut and cleaned.
  var kept: String { CleanText.name(bytes) }

  /// A copy of a text that may have several lines, cut behind at most `limit` bytes, and cleaned.
  func kept(_ limit: Int) -> String { CleanText.lines(bytes, atMost: limit) }

  /// A copy for an id, which is only ever compared and hashed.
  var id: String { count <= Limits.idBytes ? string : String.id(ofLong: bytes) }
}

extension String {
  /// A copy for a name, cut and cleaned.
  var kept: String { CleanText.name(self) }

  /// A copy of a text that may have several lines, cut behind at most `limit` bytes, and cleaned.
  func kept(_ limit: Int) -> String {
    var text = self
    return text.withUTF8 { CleanText.lines($0, atMost: limit) }
  }

  /// An id as it came, or what stands for one that is too long.
  var id: String {
    guard utf8.count > Limits.idBytes else { return self }
    var text = self
    return text.withUTF8 { Self.id(ofLong: $0) }
  }

  /// 128 bits that stand for an id, so that different ones stay different.
  fileprivate static func id(ofLong bytes: UnsafeBufferPointer<UInt8>) -> String {
    let words = [UInt64(3), 4].map { seed in
      var hash = ContentHash(seed: seed)
      hash.combine(bytes)
      return String(hash.value, radix: 16)
    }
    return "long-id:" + words.joined(separator: ".")
  }
}
