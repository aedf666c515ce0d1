import Telemetry

/// What one payload adds to the moments of a distribution: how many values, and the sum of their bin indices.
///
/// Indices are those of the histogram's scheme; a span's values count by the span's middle.
public struct ClusterSum: Sendable {
  /// The index a zero counts with, having no bin: that of the bin just above 1.
  static let zeroIndex: Int32 = 0

  /// nᵢ: values in the payload.
  public var count = 0
  /// Sᵢ: the sum of their bin indices.
  public var indexSum = 0

  /// A payload without values so far.
  public init() {}

  /// Adds what another reading of the same payload adds. Stops at the largest and smallest number, as all sums here do:
  /// a few thousand measurements of the largest counts that a decoder lets through reach them.
  public mutating func merge(_ other: ClusterSum) {
    count = count.saturatingAdd(other.count)
    indexSum = indexSum.saturatingAdd(other.indexSum)
  }

  mutating func add(count more: Int, index: Int32) {
    count = count.saturatingAdd(more)
    indexSum = indexSum.saturatingAdd(more.saturatingMultiply(Int(index)))
  }
}
