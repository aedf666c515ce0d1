import Core

/// Limits for the numbers and texts that decoders accept, and for the content of one request.
///
/// A value beyond its limit is counted as rejected. A request beyond a limit is refused before the excess is allocated.
/// Sums over many payloads may exceed these limits, so `Statistics`, `Aggregation` and `Storage` saturate them.
enum DecodingLimits {
  // Numbers.

  /// The largest value of one sample or counter, in canonical units.
  static let value = 1e15
  /// The largest sum of a histogram's values, in canonical units.
  static let sum = 1e18
  /// The largest count of one bucket.
  static let count = 1e12
  /// The largest quantity of one loss in a client report.
  static let losses = 1e6
  /// The largest number of samples of one frame.
  static let samples = 1e9

  // Texts, in bytes of UTF-8.

  /// Stored names (labels, versions, models) are cut to this length.
  static let textBytes = SanitizedText.longestName
  /// The longest accepted name of a metric.
  static let metricNameBytes = 120
  /// The length to which an exception's text is cut.
  static let exceptionBytes = 2000
  /// The length to which a termination reason is cut.
  static let terminationBytes = 500
  /// The longest id that is used unchanged. A hash replaces a longer one, because an id is hashed for every part of a
  /// request that contains it.
  static let idBytes = 256

  // Elements of one histogram, and of one request.

  /// The most buckets of one histogram with client-defined bounds.
  static let buckets = 20_000
  static let documents = 10_000
  static let sessions = 20_000
  static let diagnostics = 2_000
  static let frames = 100_000
  static let threads = 100_000
  /// The most binaries that a call tree may list in addition to its frames. An app loads a few hundred.
  static let binaries = 20_000
  static let measurements = 150_000
  /// The most measurements with a custom metric or a label. Each may create a new series.
  static let series = 40_000
  /// The most samples and buckets of a request in total.
  static let values = 500_000
}
