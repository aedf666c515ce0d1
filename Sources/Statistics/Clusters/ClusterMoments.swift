import Core

/// Sums over payloads from which the correlation of values within a payload is computed. They are whole numbers, so
/// that the order of merging does not change the result.
public struct ClusterMoments: Sendable, Equatable {
  /// K: the number of payloads with at least one value.
  public private(set) var clusters = 0
  /// Q = Σnᵢ², where nᵢ is the number of values in a payload.
  private(set) var squares: Int128 = 0
  /// B = Σ⌊16·Sᵢ²/nᵢ⌋, where Sᵢ is the sum of a payload's bin indices.
  private(set) var between: Int128 = 0

  /// Creates sums over no payloads.
  init() {}

  init(clusters: Int, squares: Int128, between: Int128) {
    self.clusters = clusters
    self.squares = squares
    self.between = between
  }

  /// Adds a complete payload to the sums. A payload without values is ignored.
  mutating func add(_ cluster: ClusterSum) {
    guard cluster.count > 0 else { return }
    clusters = clusters.saturatingAdd(1)
    // The sums of most payloads fit into 64 bits, which are divided ten times as fast.
    if cluster.count < 1 << 31, cluster.indexSum.magnitude < 1 << 29 {
      squares = squares.saturatingAdd(Int128(cluster.count * cluster.count))
      between = between.saturatingAdd(Int128(16 * cluster.indexSum * cluster.indexSum / cluster.count))
      return
    }
    let count = Int128(cluster.count)
    let sum = Int128(cluster.indexSum)
    squares = squares.saturatingAdd(count * count)
    between = between.saturatingAdd((sum * sum).saturatingMultiply(16) / count)
  }

  /// Adds the moments of other payloads.
  mutating func merge(_ other: ClusterMoments) {
    clusters = clusters.saturatingAdd(other.clusters)
    squares = squares.saturatingAdd(other.squares)
    between = between.saturatingAdd(other.between)
  }
}

extension ClusterMoments {
  func encode(into writer: inout ByteWriter) {
    writer.count(clusters)
    writer.wide(squares)
    writer.wide(between)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    clusters = try reader.count()
    squares = try reader.wide()
    between = try reader.wide()
    guard squares >= 0, between >= 0 else { throw reader.damage }
  }
}

/// The contribution of one payload to the moments of a distribution: the number of its values, and the sum of their bin
/// indices.
///
/// Indices are those of the histogram's scheme. Values in a span have the index of its middle.
public struct ClusterSum: Sendable {
  /// The bin index that represents zeros, which have no bin: that of the bin just above 1.
  static let zeroIndex: Int32 = 0

  /// nᵢ: the number of values in a payload.
  var count = 0
  /// Sᵢ: the sum of the bin indices of a payload's values.
  var indexSum = 0

  /// Creates the cluster of a payload without values.
  public init() {}

  /// Adds another measurement of the same payload. The sums saturate: a few thousand measurements with the largest
  /// accepted counts reach the limit.
  public mutating func merge(_ other: ClusterSum) {
    count = count.saturatingAdd(other.count)
    indexSum = indexSum.saturatingAdd(other.indexSum)
  }

  mutating func add(count more: Int, index: Int32) {
    count = count.saturatingAdd(more)
    indexSum = indexSum.saturatingAdd(more.saturatingMultiply(Int(index)))
  }
}
