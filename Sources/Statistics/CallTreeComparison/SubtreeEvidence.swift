import Foundation

/// What sets a part of a tree apart on the two sides: several statistics, each nearly standard normal if the sides do
/// not differ. Positive values mean that the head has more.
///
/// All are sums over the clusters of the head. Costs are heavy-tailed, so none adds up costs themselves.
struct SubtreeEvidence {
  /// The statistics of one part.
  enum View: Int, CaseIterable {
    /// The square roots of the costs of clusters, for the exposure.
    case rate
    /// The share of each unit's total.
    case share
    /// The logarithm of the cost, in units that have the part.
    case size
    /// The share of the container's cost, in units that have the container, with `share`.
    case withinAndShare
  }

  /// A weighted sum over clusters, with its moments if the sides do not differ.
  private struct Sum {
    var mean = 0.0
    var deviation = 0.0
    var skewness = 0.0

    /// E. Wilson and M. Hilferty (1931): makes a skewed sum nearly normal.
    func normal(_ sum: Double) -> Double {
      guard deviation > 0 else { return 0 }
      let z = (sum - mean) / deviation
      guard abs(skewness) > 0.01, abs(z) > 1.2 || abs(skewness) > 0.5 else { return z }
      return 6 / skewness * (cbrt(max(0, 1 + skewness * z / 2)) - 1) + skewness / 6
    }
  }

  /// The share of the exposure that is the head's; nil if unknown.
  let exposureShare: Double?
  private let headShare: Double
  /// The number of units of each cluster.
  let units: [Double]
  private let clusterIsHead: [Bool]

  init(_ tree: TreeCosts, exposureShare: Double?) {
    self.exposureShare = exposureShare
    clusterIsHead = tree.clusterIsHead
    var units = [Double](repeating: 0, count: clusterIsHead.count)
    for cluster in tree.clusters { units[cluster] += 1 }
    self.units = units
    headShare = Double(clusterIsHead.count(where: { $0 })) / Double(max(1, clusterIsHead.count))
  }

  /// The statistics that were observed for a part, and on request the largest one of each random assignment.
  struct Result {
    var observed: [Double]
    /// The largest absolute value for each assignment.
    var drawn: [Float] = []

    /// The largest in absolute value, with its sign.
    var strongest: Double { observed.max { abs($0) < abs($1) } ?? 0 }
  }

  /// The statistics of a part. `container`: the costs of the part that contains it; nil for a root. `assignments`: nil
  /// if only what was observed is needed.
  func evaluate(
    _ entries: [TreeCosts.Entry], in container: [TreeCosts.Entry]?, totals: [Double], clusters: [Int],
    _ assignments: RandomAssignments?
  ) -> Result {
    let weights = ClusterContributions(entries, in: container, totals: totals, clusters: clusters, units: units)
    let rates = exposureShare.map { sum(of: weights.rate, $0, isCentred: false) } ?? Sum()
    let shares = sum(of: weights.share, headShare, isCentred: true)
    let sizes = sum(of: weights.size, headShare, isCentred: true)
    let withins = sum(of: weights.within, headShare, isCentred: true)
    let scale = Scale(share: shares.deviation, within: withins.deviation)
    let joint = zip(weights.within, weights.share).map { scale.joined($0, $1) }
    let joints = scale.hasWithin ? sum(of: joint, headShare, isCentred: true) : Sum()
    var result = Result(observed: [
      exposureShare == nil ? 0 : rates.normal(head(weights.rate)), shares.normal(head(weights.share)),
      sizes.normal(head(weights.size)), joints.normal(head(joint)),
    ])
    guard let assignments else { return result }

    let drawn = weights.drawn(assignments, hasRate: exposureShare != nil, hasWithin: scale.hasWithin)
    result.drawn = (0..<assignments.count).map { draw in
      let (block, lane) = (draw / 8, draw % 8)
      let share = Double(drawn.share[block][lane]) - weights.meanShare * Double(assignments.unitSums[block][lane])
      var most = max(abs(shares.normal(share)), abs(sizes.normal(Double(drawn.size[block][lane]))))
      if !drawn.rate.isEmpty { most = max(most, abs(rates.normal(Double(drawn.rate[block][lane])))) }
      if scale.hasWithin {
        let container = weights.meanWithin * Double(drawn.container[block][lane])
        most = max(most, abs(joints.normal(scale.joined(Double(drawn.within[block][lane]) - container, share))))
      }
      return Float(most)
    }
    return result
  }

  /// Adds up two statistics after division by their deviations.
  private struct Scale {
    var share: Double
    var within: Double

    var hasWithin: Bool { within > 0 }

    func joined(_ within: Double, _ share: Double) -> Double {
      (self.within > 0 ? within / self.within : 0) + (self.share > 0 && hasWithin ? share / self.share : 0)
    }
  }

  private func head(_ values: [Double]) -> Double {
    zip(values, clusterIsHead).reduce(0) { $1.1 ? $0 + $1.0 : $0 }
  }

  private func sum(of weights: [Double], _ share: Double, isCentred: Bool) -> Sum {
    var (first, second, third) = (0.0, 0.0, 0.0)
    for weight in weights {
      first += weight
      second += weight * weight
      third += weight * weight * weight
    }
    let count = Double(weights.count)
    var variance = share * (1 - share) * second
    if isCentred, count > 1 { variance *= count / (count - 1) }
    guard variance > 1e-300 else { return Sum() }
    let deviation = variance.squareRoot()
    let skewness = share * (1 - share) * (1 - 2 * share) * third / (variance * deviation)
    return Sum(mean: isCentred ? 0 : share * first, deviation: deviation, skewness: min(4, max(-4, skewness)))
  }
}
