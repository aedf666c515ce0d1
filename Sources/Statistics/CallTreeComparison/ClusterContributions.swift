import Foundation

/// What each cluster adds to the statistics of a part if it is in the head.
struct ClusterContributions {
  /// The square root of the cluster's cost.
  private(set) var rate: [Double]
  /// The sum of the shares of the totals of its units, less the mean.
  private(set) var share: [Double]
  /// The sum of the logarithms of its costs, less the mean.
  private(set) var size: [Double]
  /// The sum of the shares of the container's cost, less the mean. A unit counts by the square root of the container's
  /// share of its total.
  private(set) var within: [Double]
  /// The mean share of a unit's total.
  private(set) var meanShare = 0.0
  /// The mean share of the container's cost.
  private(set) var meanWithin = 0.0

  /// The clusters that have the part.
  private var own: [Int] = []
  private var rawShare: [Double] = []
  private var rawWithin: [Double] = []
  /// The weights of units that have the container, by cluster; empty for a root.
  private var containers: [Double] = []

  /// Sums over the clusters in the head of each random assignment. Means are not subtracted.
  struct Drawn {
    var rate: [RandomAssignments.Block] = []
    var share: [RandomAssignments.Block] = []
    var size: [RandomAssignments.Block] = []
    var within: [RandomAssignments.Block] = []
    var container: [RandomAssignments.Block] = []
  }

  /// `units`: the number of units of each cluster. `clusters`: the cluster of each unit.
  init(
    _ entries: [TreeCosts.Entry], in container: [TreeCosts.Entry]?, totals: [Double], clusters: [Int], units: [Double]
  ) {
    rate = [Double](repeating: 0, count: units.count)
    (share, size, within) = (rate, rate, rate)
    let entries = entries.filter { $0.cost > 0 && totals[$0.unit] > 0 }
    addCosts(entries, totals, clusters)
    if let container {
      containers = [Double](repeating: 0, count: units.count)
      addWithin(entries, container.filter { $0.cost > 0 && totals[$0.unit] > 0 }, totals, clusters)
    }
    meanShare = share.reduce(0, +) / max(1, Double(totals.count))
    (rawShare, rawWithin) = (share, within)
    for cluster in share.indices {
      share[cluster] = Self.difference(share[cluster], meanShare * units[cluster])
    }
    for cluster in containers.indices {
      within[cluster] = Self.difference(within[cluster], meanWithin * containers[cluster])
    }
  }

  private mutating func addCosts(_ entries: [TreeCosts.Entry], _ totals: [Double], _ clusters: [Int]) {
    var logs = 0.0
    for entry in entries {
      let cluster = clusters[entry.unit]
      if own.last != cluster { own.append(cluster) }
      rate[cluster] += entry.cost
      share[cluster] += min(1, entry.cost / totals[entry.unit])
      logs += log(entry.cost)
    }
    for cluster in own { rate[cluster] = rate[cluster].squareRoot() }
    let mean = logs / Double(max(1, entries.count))
    for entry in entries {
      let deviation = log(entry.cost) - mean
      if abs(deviation) > 1e-6 { size[clusters[entry.unit]] += deviation }
    }
  }

  private mutating func addWithin(
    _ entries: [TreeCosts.Entry], _ container: [TreeCosts.Entry], _ totals: [Double], _ clusters: [Int]
  ) {
    var (place, all) = (0, 0.0)
    for outer in container {
      let weight = min(1, outer.cost / totals[outer.unit]).squareRoot()
      containers[clusters[outer.unit]] += weight
      all += weight
      while place < entries.count, entries[place].unit < outer.unit { place += 1 }
      guard place < entries.count, entries[place].unit == outer.unit else { continue }
      let part = weight * min(1, entries[place].cost / outer.cost)
      within[clusters[outer.unit]] += part
      meanWithin += part
    }
    meanWithin /= max(1e-300, all)
  }

  func drawn(_ assignments: RandomAssignments, hasRate: Bool, hasWithin: Bool) -> Drawn {
    func sums(_ matrix: [RandomAssignments.Block], _ values: [Double]) -> [RandomAssignments.Block] {
      assignments.sums(matrix, own.map { ($0, Float(values[$0])) })
    }
    var drawn = Drawn()
    drawn.share = sums(assignments.exchanged, rawShare)
    drawn.size = sums(assignments.exchanged, size)
    if hasRate { drawn.rate = sums(assignments.drawn, rate) }
    guard hasWithin else { return drawn }
    drawn.within = sums(assignments.exchanged, rawWithin)
    let outer = containers.indices.filter { containers[$0] > 0 }
    drawn.container = assignments.sums(assignments.exchanged, outer.map { ($0, Float(containers[$0])) })
    return drawn
  }

  /// The difference, or 0 if it may be due to rounding.
  private static func difference(_ one: Double, _ other: Double) -> Double {
    abs(one - other) > 1e-6 * max(one, other) ? one - other : 0
  }
}
