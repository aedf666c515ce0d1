import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The correlation of values within a payload: the share of the variance of bin indices that lies between payloads,
/// from a one-way analysis of variance.
///
/// A. Donner, "A review of inference procedures for the intraclass correlation coefficient" (1986).
struct IntraclassCorrelation: Equatable {
  /// The intraclass correlation from 0 to 1; a negative estimate counts as 0.
  var estimate = 0.0
  /// The standard error that the estimate would have without any correlation.
  var error = 0.0

  /// The ratio of estimate to standard error at which `shrunken` is half of the estimate.
  static let halfWeight = 0.5

  /// The estimate ρ, shrunk to ρ·ρ²/(ρ² + (0.5·error)²). This reduces an estimate that chance could explain, without a
  /// threshold at which bounds would jump. Chosen by simulation: `docs/accuracy.md` has the figures.
  var shrunken: Double {
    let signal = estimate * estimate
    guard signal > 0 else { return 0 }
    let noise = Self.halfWeight * error
    return estimate * signal / (signal + noise * noise)
  }

  /// The correlation within device classes, so that differences between classes do not count as correlation. 0 if it
  /// cannot be estimated: with fewer than two payloads, or if no payload has two values.
  init(within classes: [Histogram]) {
    var (betweenSquares, withinSquares, betweenFreedom, withinFreedom, sizes) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for histogram in classes where histogram.count > 0 && histogram.moments.clusters > 1 {
      let n = Double(histogram.count)
      let clusters = Double(histogram.moments.clusters)
      let (total, between) = histogram.sumsOfSquares
      betweenSquares += between
      withinSquares += max(0, total - between)
      betweenFreedom += clusters - 1
      withinFreedom += n - clusters
      sizes += n - Double(wide: histogram.moments.squares) / n
    }
    read(betweenSquares, betweenFreedom, withinSquares, withinFreedom, sizes)
  }

  /// The correlation of payloads that are partitioned in several ways, such as by release and by device class, where no
  /// partition refines another. The differences between payloads that each partition explains are subtracted as if the
  /// partitions were independent. If they are not, at least half of what the best partition leaves remains.
  init(of histogram: Histogram, partitions: [[IntraclassCorrelationSums]]) {
    let n = Double(histogram.count)
    let clusters = Double(histogram.moments.clusters)
    guard n > 0, clusters > 1 else { return }
    let (total, between) = histogram.sumsOfSquares
    var (left, least, freedom) = (between, between, clusters - 1)
    // A partition that lacks values would seem to explain their differences.
    for parts in partitions where parts.count > 1 && parts.reduce(0, { $0 + Double($1.count) }) == n {
      let within = parts.reduce(0) { $0 + $1.betweenSquares }
      left -= max(0, between - within)
      least = min(least, within)
      freedom -= Double(parts.count - 1)
    }
    read(
      max(left, least / 2), max(1, freedom), max(0, total - between), n - clusters,
      n - Double(wide: histogram.moments.squares) / n)
  }

  private mutating func read(
    _ betweenSquares: Double, _ betweenFreedom: Double, _ withinSquares: Double, _ withinFreedom: Double,
    _ sizes: Double
  ) {
    guard betweenFreedom > 0, withinFreedom > 0, sizes > 0 else { return }
    let size = sizes / betweenFreedom
    let betweenMean = betweenSquares / betweenFreedom
    let withinMean = withinSquares / withinFreedom
    guard betweenMean > withinMean else { return }
    estimate = max(0, min(1, (betweenMean - withinMean) / (betweenMean + (size - 1) * withinMean)))
    // The standard deviation of F around 1, divided by the derivative of F with respect to the correlation.
    error = (2 * (betweenFreedom + withinFreedom) / (betweenFreedom * withinFreedom)).squareRoot() / size
  }

  init(of histogram: Histogram) { self.init(within: [histogram]) }
}

extension IntraclassCorrelation {
  /// The correlation of "is above the percentile p" of two values of one phone, if the values are bivariate normal with
  /// the correlation `values`, or become so by a monotonic transformation: Mehler's series.
  static func ofNormalShare(above p: Double, values: Double) -> Double {
    guard p > 0, p < 1, values > 0 else { return 0 }
    let z = SpecialFunctions.normalQuantile(p)
    let density = exp(-z * z / 2) / (2 * Double.pi).squareRoot()
    // Hermite polynomials, each divided by the square root of the factorial of its degree.
    var (last, next) = (0.0, 1.0)
    var (power, sum) = (1.0, 0.0)
    for degree in 0..<terms {
      let k = Double(degree)
      power *= values
      sum += power * next * next / (k + 1)
      (last, next) = (next, (z * next - k.squareRoot() * last) / (k + 1).squareRoot())
    }
    return min(values, sum * density * density / (p * (1 - p)))
  }

  /// The number of terms; enough for three digits up to a correlation of 0.9.
  private static let terms = 60
}

extension Histogram {
  /// The sum of the bin indices of all values, as `ClusterMoments` counts them.
  var indexSum: Int128 { foldIndices { index, count in Int128(index) * Int128(count) } }

  /// The sum of the squared bin indices of all values.
  var indexSquareSum: Int128 { foldIndices { index, count in Int128(index) * Int128(index) * Int128(count) } }

  /// The sums of squares about the mean bin index: `total` of all values, `between` of payload means. Integer
  /// arithmetic about a nearby whole index keeps the digits that a difference of large sums would lose.
  var sumsOfSquares: (total: Double, between: Double) {
    guard count > 0 else { return (0, 0) }
    let sums = IntraclassCorrelationSums(self)
    let (centre, correction) = (sums.centre, sums.correction)
    let total = foldIndices { index, count in
      let distance = Int128(index) - centre
      return distance * distance * Int128(count)
    }
    return (max(0, Double(wide: total) - correction), sums.betweenSquares)
  }

  private func foldIndices(_ term: (Int32, Int) -> Int128) -> Int128 {
    var result = term(ClusterSum.zeroIndex, zeroCount)
    for bin in bins.entries { result = result.saturatingAdd(term(bin.index, bin.count)) }
    for span in spans.entries { result = result.saturatingAdd(term(span.middleIndex(in: scheme), span.count)) }
    return result
  }
}
