import Foundation

/// The tests of a tree's parts against random assignments, from the top down.
struct SubtreePermutationTest {
  /// The parts that have enough clusters to be tested, in ascending order.
  let parts: [Int]
  /// The parts whose subtree and own test pass.
  private(set) var passing: [Int] = []

  private let tree: TreeCosts
  private let evidence: SubtreeEvidence
  /// The strongest statistic of each part as observed, with its sign.
  private var strongest: [Int: Double] = [:]
  private var own: [Int: LargestStatistic] = [:]
  /// The largest statistic in the subtree of each node, by node.
  private var subtree: [Int: LargestStatistic] = [:]
  /// The limit of the p-value at which each part was tested.
  private var limits: [Int: Double] = [:]
  /// The largest statistic of all parts; nil before the test and if it does not pass.
  private var whole: LargestStatistic?
  private var wholeLevel = 0.0

  /// The share of the exposure that is the head's; nil if unknown.
  var exposureShare: Double? { evidence.exposureShare }

  init(_ tree: TreeCosts, share: Double?, parts: [Int], assignments: Int) {
    (self.tree, self.parts) = (tree, parts)
    evidence = SubtreeEvidence(tree, exposureShare: share)
    let clusters = tree.clusterIsHead
    let random = RandomAssignments(
      units: evidence.units, inHead: clusters.count(where: { $0 }), share: share, count: assignments)
    for part in parts {
      let result = evidence.evaluate(
        tree.entries[part], in: tree.container(of: part).map { tree.entries[$0] }, totals: tree.totals,
        clusters: tree.clusters, random)
      strongest[part] = result.strongest
      own[part] = LargestStatistic(result, logWeight: logWeight(part))
    }
    for part in parts.reversed() {
      guard let result = own[part] else { continue }
      // Parents precede children, so that a node's subtree is complete once its own turn comes.
      let node = tree.node(of: part)
      merge(result, into: node)
      if part < tree.nodeCount, tree.parents[node] >= 0, let whole = subtree[node] {
        merge(whole, into: tree.parents[node])
      }
    }
  }

  private mutating func merge(_ other: LargestStatistic, into node: Int) {
    guard subtree[node] != nil else { return subtree[node] = other }
    subtree[node]?.merge(other)
  }

  /// The logarithm of a part's mean share of a unit's cost, on both sides together.
  private func logWeight(_ part: Int) -> Double {
    let shares = tree.entries[part].reduce(0.0) { sum, entry in
      let total = tree.totals[entry.unit]
      return total > 0 ? sum + min(1, entry.cost / total) : sum
    }
    return log(max(1e-3, shares / Double(max(1, tree.totals.count))))
  }

  /// The p-value of a part by itself.
  func pValue(of part: Int) -> Double? { own[part]?.pValue }

  /// The strongest statistic of a part, as observed.
  func strongest(of part: Int) -> Double { strongest[part] ?? 0 }

  /// Whether a statistic of a part passes the limit at which the part was tested. `isFirst`: false once a change was
  /// found, because the limits are those of parts that only share it. Then the statistic must exceed the largest one
  /// of nearly all assignments.
  func passes(_ part: Int, _ statistic: Double, isFirst: Bool) -> Bool {
    let weighted = LargestStatistic.weighted(statistic, logWeight(part))
    if let whole, whole.pValue(weighted) <= wholeLevel { return true }
    guard isFirst, let limit = limits[part], let own = own[part] else { return false }
    return own.pValue(weighted) <= limit
  }

  func evaluate(_ entries: [TreeCosts.Entry], in container: [TreeCosts.Entry]?, totals: [Double])
    -> SubtreeEvidence.Result
  {
    evidence.evaluate(entries, in: container, totals: totals, clusters: tree.clusters, nil)
  }

  /// Tests the whole tree, then its parts from the top down at the false discovery rate `level`; returns the p-value of
  /// the whole.
  mutating func testTree(whole wholeLevel: Double, level: Double) -> Double? {
    let roots = tree.roots.filter { subtree[$0] != nil }
    guard let first = roots.first, var whole = subtree[first] else { return nil }
    for root in roots.dropFirst() { subtree[root].map { whole.merge($0) } }
    let pValue = whole.pValue
    guard pValue <= wholeLevel else { return pValue }
    // What exceeds the largest statistic of nearly all assignments passes, wherever it is.
    (self.whole, self.wholeLevel) = (whole, wholeLevel)
    var passing = Set(
      parts.filter { part in own[part].map { whole.pValue($0.observed) <= wholeLevel } ?? false })
    let values = roots.map { subtree[$0]?.pValue }
    var open = zip(roots, FalseDiscovery.rejected(values, rate: level)).filter(\.1).map(\.0)
    while let node = open.popLast() {
      // The node by itself, its own cost, and the subtree of each child.
      let own = [node, tree.nodeCount + node].filter { self.own[$0] != nil }
      let children = tree.children[node].filter { subtree[$0] != nil }
      let values = own.map { self.pValue(of: $0) } + children.map { subtree[$0]?.pValue }
      let rejected = FalseDiscovery.rejected(values, rate: level)
      let limit = zip(values, rejected).compactMap { $1 ? $0 : nil }.max() ?? 0
      for (part, isRejected) in zip(own, rejected) {
        limits[part] = limit
        if isRejected { passing.insert(part) }
      }
      for (child, isRejected) in zip(children, rejected.dropFirst(own.count)) where isRejected { open.append(child) }
    }
    self.passing = passing.sorted()
    return pValue
  }
}
