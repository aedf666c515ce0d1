public import Core

/// Sums over clusters of pairs (x, y). For a ratio, x counts events of interest and y all events; for a rate, x is the
/// amount and y the time.
public struct RatioMoments: Sendable, Equatable {
  /// The number of pairs, one per cluster.
  public internal(set) var clusters = 0
  /// Σx, the sum over the clusters.
  public internal(set) var x: Int64 = 0
  /// Σy, the sum over the clusters.
  public internal(set) var y: Int64 = 0
  /// Σx², the sum over the clusters.
  public internal(set) var xx: Int128 = 0
  /// Σy², the sum over the clusters.
  public internal(set) var yy: Int128 = 0
  /// Σxy, the sum over the clusters.
  public internal(set) var xy: Int128 = 0

  /// Creates sums over no clusters.
  public init() {}

  public init(clusters: Int, x: Int64, y: Int64, xx: Int128, yy: Int128, xy: Int128) {
    (self.clusters, self.x, self.y) = (clusters, x, y)
    (self.xx, self.yy, self.xy) = (xx, yy, xy)
  }

  /// Adds the pair of one cluster.
  public mutating func add(x: Int64, y: Int64) {
    clusters = clusters.saturatingAdd(1)
    self.x = self.x.saturatingAdd(x)
    self.y = self.y.saturatingAdd(y)
    xx = xx.saturatingAdd(Int128(x) * Int128(x))
    yy = yy.saturatingAdd(Int128(y) * Int128(y))
    xy = xy.saturatingAdd(Int128(x) * Int128(y))
  }

  /// Removes a cluster, for example when a newer state of a session replaces an older one. Sums that describe a change
  /// may become negative.
  public mutating func subtract(x: Int64, y: Int64) {
    clusters = clusters.saturatingSubtract(1)
    self.x = self.x.saturatingSubtract(x)
    self.y = self.y.saturatingSubtract(y)
    xx = xx.saturatingSubtract(Int128(x) * Int128(x))
    yy = yy.saturatingSubtract(Int128(y) * Int128(y))
    xy = xy.saturatingSubtract(Int128(x) * Int128(y))
  }

  /// Adds the pair of one cluster, or removes it (`sign` −1).
  public mutating func add(x: Int64, y: Int64, sign: Int64) {
    if sign > 0 { add(x: x, y: y) } else { subtract(x: x, y: y) }
  }

  /// Adds the sums of other clusters. Sums that describe a change may be negative.
  public mutating func merge(_ other: RatioMoments) {
    clusters = clusters.saturatingAdd(other.clusters)
    x = x.saturatingAdd(other.x)
    y = y.saturatingAdd(other.y)
    xx = xx.saturatingAdd(other.xx)
    yy = yy.saturatingAdd(other.yy)
    xy = xy.saturatingAdd(other.xy)
  }

  /// The sum of squared residuals, Σ(xᵢ − share·yᵢ)², over the clusters.
  func residual(share: Double) -> Double {
    max(0, Double(wide: xx) - 2 * share * Double(wide: xy) + share * share * Double(wide: yy))
  }
}

extension RatioMoments {
  private static let version: UInt8 = 1

  /// Appends a version byte, then the six sums, signed.
  public func encode(into writer: inout ByteWriter) {
    writer.byte(Self.version)
    writer.signed(Int64(clusters))
    writer.signed(x)
    writer.signed(y)
    writer.wide(xx)
    writer.wide(yy)
    writer.wide(xy)
  }

  /// Decodes the output of `encode`; throws for any other bytes.
  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    try reader.expect(version: Self.version)
    self.init()
    clusters = Int(try reader.signed())
    x = try reader.signed()
    y = try reader.signed()
    xx = try reader.wide()
    yy = try reader.wide()
    xy = try reader.wide()
  }
}
