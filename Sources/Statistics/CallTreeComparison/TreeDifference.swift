import Foundation

/// What differs between the costs of two sides at the functions of a call tree.
///
/// Whether anything differs at all is tested against random assignments of clusters to sides (R. Fisher 1935): the
/// largest statistic of all parts must exceed that of 95 % of the assignments (P. Westfall, S. Young 1993). Then the
/// same is tested for each subtree from the top down, at a false discovery rate of 5 % among the parts of each node
/// (D. Yekutieli 2008). So if the sides do not differ, at most 5 % of trees have any node that passes.
public struct TreeDifference: Sendable {
  /// A node on both sides.
  public struct Node: Sendable, Equatable {
    /// The cost for a unit of exposure; without exposure, the share of the side's whole cost.
    public var head: Double
    public var base: Double
    /// `head` minus `base`, with its 95 % interval.
    public var difference: Double
    public var low: Double
    public var high: Double
    /// The share of assignments in which the node alone differs as much; nil if too few clusters have it.
    public var pValue: Double?
    /// Whether the node differs, and its difference is not merely that of other nodes.
    public var passes = false
    /// Whether the head has more, if it passes. A few long diagnostics can turn the sign of `difference` around.
    public var isMore = false
    /// The number of clusters of each side that have the node.
    public var headClusters: Int
    public var baseClusters: Int
  }

  /// The nodes, in the order of the input.
  public private(set) var nodes: [Node]
  /// Where the differences originate, largest first.
  public private(set) var changes: [TreeChange] = []
  /// The p-value of the whole tree; nil if there is too little data.
  public private(set) var pValue: Double?
  /// The number of parts that were tested.
  public private(set) var tested = 0

  /// The level of the test of the whole tree: less than 5 %, because a few hundred assignments do not give exact limits.
  static let wholeLevel = 0.04
  /// The false discovery rate below.
  static let level = 0.05
  /// The minimum number of clusters of a part that is tested.
  static let leastClusters = 8
  /// The minimum mean share of a part in the units of one side: smaller parts are not tested.
  static let leastShare = 0.01
  /// The maximum number of parts that are tested: those that most clusters have.
  private static let mostParts = 3_000
  /// The maximum number of costs that are assigned at random, of all parts and their containers.
  private static let mostWork = 1_000_000
  private static let assignments = 400

  /// Compares the sides. `parents`: the index of each node's parent, which precedes it; −1 for a root. `exposure`: of
  /// each side, in any unit; nil if unknown.
  public init(parents: [Int], units: [CostedUnit], exposure: (head: Double, base: Double)? = nil) {
    let tree = TreeCosts(parents: parents, units: units)
    let exposure = exposure.flatMap {
      $0.head > 0 && $0.base > 0 && $0.head.isFinite && $0.base.isFinite ? $0 : nil
    }
    let rates = NodeRates(tree, exposure)
    nodes = rates.nodes
    let inHead = tree.clusterIsHead.count(where: { $0 })
    guard min(inHead, tree.clusterIsHead.count - inHead) >= 3 else { return }
    var search = SubtreePermutationTest(
      tree, share: exposure.map { $0.head / ($0.head + $0.base) }, parts: Self.tested(tree),
      assignments: Self.assignments)
    tested = search.parts.count
    pValue = search.testTree(whole: Self.wholeLevel, level: Self.level)
    for part in search.parts where part < nodes.count { nodes[part].pValue = search.pValue(of: part) }
    var locator = ChangeLocator(tree, search, rates)
    changes = locator.changes()
    for (node, isMore) in locator.coloured { (nodes[node].passes, nodes[node].isMore) = (true, isMore) }
  }

  private static func tested(_ tree: TreeCosts) -> [Int] {
    let counted = tree.entries.indices.map { (part: $0, clusters: tree.clusterCount($0)) }
    let enough = counted.filter { $0.clusters >= leastClusters && tree.largestShare($0.part) >= leastShare }
    // A caller has at least the clusters of its callees, so that it precedes them.
    let sorted = enough.sorted { ($0.clusters, $1.part) > ($1.clusters, $0.part) }
    var work = 0
    let affordable = sorted.prefix(mostParts).prefix { part, _ in
      work += tree.entries[part].count + (tree.container(of: part).map { tree.entries[$0].count } ?? 0)
      return work <= mostWork
    }
    return affordable.map(\.part).sorted()
  }
}

/// The costs of nodes for a unit of exposure on each side.
struct NodeRates {
  private(set) var nodes: [TreeDifference.Node] = []

  private let tree: TreeCosts
  private let exposure: (head: Double, base: Double)?
  private var clusterTotals: [Double] = []

  init(_ tree: TreeCosts, _ exposure: (head: Double, base: Double)?) {
    (self.tree, self.exposure) = (tree, exposure)
    clusterTotals = [Double](repeating: 0, count: tree.clusterIsHead.count)
    for (unit, total) in tree.totals.enumerated() { clusterTotals[tree.clusters[unit]] += total }
    nodes = (0..<tree.nodeCount).map { rate(of: tree.entries[$0]) }
  }

  /// The rates of any costs.
  func rate(of entries: [TreeCosts.Entry]) -> TreeDifference.Node {
    var costs: [(cluster: Int, cost: Double)] = []
    for entry in entries {
      let cluster = tree.clusters[entry.unit]
      if costs.last?.cluster == cluster {
        costs[costs.count - 1].cost += entry.cost
      } else {
        costs.append((cluster, entry.cost))
      }
    }
    let head = side(true, costs)
    let base = side(false, costs)
    let half = 1.96 * (head.variance + base.variance).squareRoot()
    let difference = head.rate - base.rate
    return TreeDifference.Node(
      head: head.rate, base: base.rate, difference: difference, low: difference - half, high: difference + half,
      headClusters: head.clusters, baseClusters: base.clusters)
  }

  private func side(
    _ isHead: Bool, _ costs: [(cluster: Int, cost: Double)]
  ) -> (rate: Double, variance: Double, clusters: Int) {
    let own = costs.filter { tree.clusterIsHead[$0.cluster] == isHead }
    let sum = own.reduce(0) { $0 + $1.cost }
    if let exposure {
      let exposure = isHead ? exposure.head : exposure.base
      // The costs of a compound Poisson process.
      return (sum / exposure, own.reduce(0) { $0 + $1.cost * $1.cost } / (exposure * exposure), own.count)
    }
    var (total, squares) = (0.0, 0.0)
    for (cluster, cost) in clusterTotals.enumerated() where tree.clusterIsHead[cluster] == isHead {
      total += cost
      squares += cost * cost
    }
    guard total > 0 else { return (0, 0, 0) }
    let share = sum / total
    var variance = share * share * squares
    for (cluster, cost) in own {
      let whole = clusterTotals[cluster]
      variance += (cost - share * whole) * (cost - share * whole) - share * share * whole * whole
    }
    return (share, max(0, variance) / (total * total), own.count)
  }
}
