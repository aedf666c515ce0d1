import Foundation

/// What sets a part of a tree apart on the two sides: several statistics, each nearly standard normal if the sides do
/// not differ. Positive values mean that the head has more.
///
/// All are sums over the clusters of the head. Costs are heavy-tailed, so none adds up costs themselves.
struct PartEvidence {
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

  func evaluate(
    _ entries: [TreeCosts.Entry], in container: [TreeCosts.Entry]?, totals: [Double], clusters: [Int],
    _ assignments: RandomAssignments?
  ) -> Result {
    let count = clusterIsHead.count
    var rate = [Double](repeating: 0, count: count)
    var (share, size, within) = (rate, rate, rate)
    // Share of the total of each unit.
    var present = [Bool](repeating: false, count: count)
    var logs = (sum: 0.0, count: 0.0)
    for entry in entries where entry.cost > 0 && totals[entry.unit] > 0 {
      let cluster = clusters[entry.unit]
      present[cluster] = true
      rate[cluster] += entry.cost
      share[cluster] += min(1, entry.cost / totals[entry.unit])
      logs.sum += log(entry.cost)
      logs.count += 1
    }
    for cluster in rate.indices { rate[cluster] = rate[cluster].squareRoot() }
    let level = logs.sum / max(1, logs.count)
    for entry in entries where entry.cost > 0 && totals[entry.unit] > 0 {
      let deviation = log(entry.cost) - level
      if abs(deviation) > 1e-6 { size[clusters[entry.unit]] += deviation }
    }
    let meanShare = share.reduce(0, +) / max(1, Double(totals.count))
    // Share of the container, weighted by the container's own share.
    var weights = [Double](repeating: 0, count: container == nil ? 0 : count)
    var meanWithin = 0.0
    if let container {
      var place = 0
      var all = 0.0
      for outer in container where outer.cost > 0 && totals[outer.unit] > 0 {
        let weight = min(1, outer.cost / totals[outer.unit]).squareRoot()
        weights[clusters[outer.unit]] += weight
        all += weight
        while place < entries.count, entries[place].unit < outer.unit { place += 1 }
        guard place < entries.count, entries[place].unit == outer.unit else { continue }
        let part = weight * min(1, max(0, entries[place].cost / outer.cost))
        within[clusters[outer.unit]] += part
        meanWithin += part
      }
      meanWithin /= max(1e-300, all)
    }
    let (rawShare, rawWithin) = (share, within)
    for cluster in share.indices {
      share[cluster] = Self.difference(share[cluster], meanShare * units[cluster])
    }
    if container != nil {
      for cluster in within.indices {
        within[cluster] = Self.difference(within[cluster], meanWithin * weights[cluster])
      }
    }

    let rates = exposureShare.map { self.sum(of: rate, $0, isCentred: false) } ?? Sum()
    let shares = self.sum(of: share, headShare, isCentred: true)
    let sizes = self.sum(of: size, headShare, isCentred: true)
    let withins = self.sum(of: within, headShare, isCentred: true)
    let hasWithin = withins.deviation > 0
    let byShare = shares.deviation > 0 && hasWithin ? 1 / shares.deviation : 0
    let byWithin = hasWithin ? 1 / withins.deviation : 0
    let both = zip(within, share).map { $0 * byWithin + $1 * byShare }
    let withShare = hasWithin ? self.sum(of: both, headShare, isCentred: true) : Sum()

    func head(_ values: [Double]) -> Double {
      zip(values, clusterIsHead).reduce(0) { $1.1 ? $0 + $1.0 : $0 }
    }
    var result = Result(observed: [
      exposureShare == nil ? 0 : rates.normal(head(rate)), shares.normal(head(share)), sizes.normal(head(size)),
      withShare.normal(head(both)),
    ])
    guard let assignments else { return result }

    let own = present.indices.filter { present[$0] }
    func sparse(_ values: [Double]) -> [(cluster: Int, weight: Float)] { own.map { ($0, Float(values[$0])) } }
    let rateSums = exposureShare == nil ? [] : assignments.sums(assignments.drawn, sparse(rate))
    let shareSums = assignments.sums(assignments.exchanged, sparse(rawShare))
    let sizeSums = assignments.sums(assignments.exchanged, sparse(size))
    let withinSums = hasWithin ? assignments.sums(assignments.exchanged, sparse(rawWithin)) : []
    let weightSums =
      hasWithin
      ? assignments.sums(
        assignments.exchanged,
        weights.enumerated().compactMap { $0.element > 0 ? ($0.offset, Float($0.element)) : nil }) : []
    result.drawn.reserveCapacity(assignments.count)
    for draw in 0..<assignments.count {
      let (block, lane) = (draw / 8, draw % 8)
      let share = Double(shareSums[block][lane]) - meanShare * Double(assignments.unitSums[block][lane])
      let size = Double(sizeSums[block][lane])
      var most = max(abs(shares.normal(share)), abs(sizes.normal(size)))
      if !rateSums.isEmpty { most = max(most, abs(rates.normal(Double(rateSums[block][lane])))) }
      if hasWithin {
        let within = Double(withinSums[block][lane]) - meanWithin * Double(weightSums[block][lane])
        most = max(most, abs(withShare.normal(within * byWithin + share * byShare)))
      }
      result.drawn.append(Float(most))
    }
    return result
  }

  /// The difference, or 0 if it may be due to rounding.
  private static func difference(_ one: Double, _ other: Double) -> Double {
    abs(one - other) > 1e-6 * max(one, other) ? one - other : 0
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
