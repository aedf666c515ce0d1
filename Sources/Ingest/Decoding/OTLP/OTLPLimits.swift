internal import Core

/// Limits of one OTLP request. A collector's largest batches have about ten thousand points with ten attributes each.
/// An attribute is two protobuf messages.
enum OTLPLimits {
  static let points = 25_000
  /// The most messages of every kind in protobuf, including attributes and their values.
  static let messages = 250_000
  /// The most bounds and counts of buckets in protobuf.
  static let numbers = 2_000_000
  static let jsonValues = 1_000_000
  /// The deepest nesting of messages. It keeps the stack from overflowing.
  static let depth = 64
  /// The most non-empty buckets of one exponential histogram. All buckets of a cumulative stream are stored until it
  /// ends.
  static let buckets = 1_024
  /// The most buckets between explicit bounds. SDKs use a few dozen.
  static let bounds = 2_048
  /// The age in milliseconds up to which the end of a session may count the session. It is below the shortest time for
  /// which sessions are remembered (`keep-sessions`).
  static let sessionEndAge: Int64 = 86_400_000
}
