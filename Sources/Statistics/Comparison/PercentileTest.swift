import Core

/// The values of both releases in one device class, in parts of the same days.
public struct ClassSample: Sendable {
  var base: [SamplePart]
  var head: [SamplePart]
  /// The weight of each part, the same for both releases.
  var weights: [Double]

  public init(base: [SamplePart], head: [SamplePart], weights: [Double]) {
    self.base = base
    self.head = head
    self.weights = weights
  }
}

/// A test for equal percentiles of two releases. It compares the shares of values above a limit: the percentile of both
/// releases together in each device class, moved to the nearest edge of a bucket.
///
/// The counts on both sides of an edge are exact, however wide the buckets are. For the median, this is the test of A.
/// Mood (1950). Its variance depends on the correlation of "is above the limit" on one phone, which payloads do not
/// show. So there are two ways to a small p-value:
///
/// - the shares differ even if that correlation is half as large again as that of the values, as it is if a few phones
///   are far slower than all others;
/// - the shares differ with the correlation that normal values would have, and the means of the logarithms (of the bin
///   indices) differ as well, in the same direction. Payloads show the correlation of these, so equal releases reach
///   this at most as often as the level allows, whatever the correlation of slow launches is.
///
/// `docs/accuracy-comparisons.md` has the figures.
public struct PercentileTest: Sendable, Equatable {
  /// The two-sided p-value for equal percentiles.
  public let pValue: Double
  /// Whether the head has the larger share of values above the limit.
  public let isMore: Bool

  /// Nil without values of both releases in some class, or if no edge is near the percentile of any class.
  ///
  /// - Parameters:
  ///   - p: the percentile, between 0 and 1.
  ///   - classes: the device classes. No bucket of one release may partly overlap a bucket of the other.
  public init?(_ p: Double, _ classes: [ClassSample]) {
    let tested = classes.compactMap { TestedClass(p, $0) }
    let freedom = Self.freedom(tested)
    /// The score test of the shares, if their correlation is `change` of that of the values.
    func shares(_ change: (Double) -> Double) -> (value: Double, pValue: Double)? {
      guard
        let found = Difference.shares(
          tested.map { Stratum(base: $0.base.count(change), head: $0.head.count(change), weight: $0.weight) })
      else { return nil }
      let z = -SpecialFunctions.normalQuantile(found.pValue / 2)
      return (found.value, z.isFinite ? SpecialFunctions.studentTTwoSided(z, freedom) : found.pValue)
    }
    guard let cautious = shares({ Self.caution * $0 }),
      let normal = shares({ IntraclassCorrelation.ofNormalShare(above: p, values: $0) })
    else { return nil }
    isMore = cautious.value > 0
    let means = Self.means(tested, freedom)
    let both = means.isMore == isMore ? max(normal.pValue, means.pValue) : 1
    pValue = min(cautious.pValue, both)
  }

  /// Satterthwaite's degrees of freedom of the sum over classes: design effects are estimated, so that a normal deviate
  /// has Student's distribution.
  private static func freedom(_ classes: [TestedClass]) -> Double {
    var (variance, spread) = (0.0, 0.0)
    for tested in classes {
      for side in [tested.base, tested.head] {
        let own = tested.weight * tested.weight / side.size { $0 }
        variance += own
        spread += own * own / max(1, side.standard.freedom)
      }
    }
    return spread > 0 ? min(max(1, variance * variance / spread), 1e9) : 1e9
  }

  /// The test of equal means of the bin indices.
  private static func means(_ classes: [TestedClass], _ freedom: Double) -> (isMore: Bool, pValue: Double) {
    var (difference, variance) = (0.0, 0.0)
    for tested in classes {
      difference += tested.weight * (tested.head.mean - tested.base.mean)
      let own = tested.variance * (1 / tested.base.size { $0 } + 1 / tested.head.size { $0 })
      variance += tested.weight * tested.weight * own
    }
    let pValue =
      variance > 0 ? SpecialFunctions.studentTTwoSided(abs(difference) / variance.squareRoot(), freedom) : 1
    return (difference > 0, pValue)
  }

  /// The correlation of "is above the limit" relative to that of the values, if a few phones are far slower than others.
  /// If phones do not differ otherwise, it is 1.2 for a tenth of the phones at half the speed, and 1.45 at a third.
  private static let caution = 1.5
}

/// What the test uses of a device class.
private struct TestedClass {
  let weight: Double
  let base: Side
  let head: Side
  /// The variance of the bin indices of both releases together.
  let variance: Double

  struct Side {
    let standard: StandardWeights
    /// The share of values above the limit.
    let share: Double
    /// The mean bin index.
    let mean: Double

    init(_ standard: StandardWeights, limit: Double) {
      self.standard = standard
      share = standard.mean { $0.histogram.count(above: limit) / Double($0.histogram.count) }
      mean = standard.mean { Double(wide: $0.histogram.indexSum) / Double($0.histogram.count) }
    }

    /// The effective number of values for a property whose correlation is `change` of that of the values.
    func size(_ change: (Double) -> Double) -> Double {
      let squares = zip(standard.parts, standard.shares).reduce(0) { sum, part in
        part.1 > 0 ? sum + part.1 * part.1 / part.0.effect.changingCorrelation(change).nEffective : sum
      }
      return 1 / squares
    }

    func count(_ change: (Double) -> Double) -> ShareCount {
      let n = size(change)
      return ShareCount(k: share * n, n: n, deff: 1)
    }
  }

  init?(_ p: Double, _ sample: ClassSample) {
    guard let base = StandardWeights(sample.base, sample.weights),
      let head = StandardWeights(sample.head, sample.weights)
    else { return nil }
    var both = base.merged
    both.merge(head.merged)
    guard let limit = Self.limit(p, both) else { return nil }
    weight = sample.weights.reduce(0, +)
    variance = both.sumsOfSquares.total / Double(both.count)
    self.base = Side(base, limit: limit)
    self.head = Side(head, limit: limit)
  }

  /// The edge nearest to the percentile, as a value that belongs to the lower side; nil if the share of values above it
  /// differs too much from that above the percentile.
  private static func limit(_ p: Double, _ both: Histogram) -> Double? {
    let reader = HistogramReader(both)
    let total = Double(both.count)
    let rank = (p * total * (1 - 1e-12)).rounded(.up)
    let edges = [HistogramReader.Placement.low, .high].compactMap { reader.value(atRank: rank, $0) }
    let distances = edges.map { (edge: $0, distance: abs(both.count(above: $0) / total - (1 - p))) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }),
      nearest.distance <= farthest * min(p, 1 - p)
    else { return nil }
    return nearest.edge
  }

  /// The largest distance of the share above the limit from that above the percentile, as a part of the smaller of the
  /// shares on both sides of the percentile: for p90, the limit is between p85 and p95.
  private static let farthest = 0.5
}

extension StandardWeights {
  /// The mean of a property of the parts.
  fileprivate func mean(of property: (HistogramReader) -> Double) -> Double {
    zip(parts, shares).reduce(0) { $1.1 > 0 ? $0 + $1.1 * property($1.0.reader) : $0 }
  }
}
