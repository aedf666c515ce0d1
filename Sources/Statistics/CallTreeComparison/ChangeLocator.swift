import Foundation

/// Finds where the differences of a tree originate.
///
/// The part with the strongest statistic is taken, and the nodes that share its change are found. Then its cost is left
/// out of all totals, the other parts are tested again, and so on until nothing passes. So a function is not named
/// because another one takes a larger share.
struct ChangeLocator {
  /// The nodes that pass, and whose difference is not that of other nodes: whether the head has more.
  private(set) var coloured: [Int: Bool] = [:]

  let tree: TreeCosts
  let search: SubtreePermutationTest
  let rates: NodeRates
  /// The costs of changes that were found, with the innermost node of each.
  private var explained: [(node: Int, isOwnCost: Bool, costs: [Int: Double])] = []
  /// The parts that changed together with a change that was found.
  private var covered: Set<Int> = []
  private(set) var totals: [Double]
  /// The logarithm of the factor of everything.
  private let level: Double
  private var isLevelExplained = false
  var found: [(change: TreeChange, sign: Double)] = []

  private static let mostChanges = 8
  private static let mostCandidates = 120
  /// A node shares the change of a node below it that has this much of its cost or of its change.
  private static let nearlyAll = 0.8

  init(_ tree: TreeCosts, _ search: SubtreePermutationTest, _ rates: NodeRates) {
    (self.tree, self.search, self.rates) = (tree, search, rates)
    totals = tree.totals
    level = Self.level(tree, search.exposureShare)
  }

  /// The changes, largest first.
  mutating func changes() -> [TreeChange] {
    let candidates = search.passing.sorted {
      (abs(search.strongest(of: $0)), $1) > (abs(search.strongest(of: $1)), $0)
    }.prefix(Self.mostCandidates)
    while found.count < Self.mostChanges {
      var best: (part: Int, statistic: Double)?
      for part in candidates where !covered.contains(part) {
        let statistic = statistic(part)
        if search.passes(part, statistic, isFirst: found.isEmpty), abs(statistic) > abs(best?.statistic ?? 0) {
          best = (part, statistic)
        }
      }
      guard let best else { break }
      locate(best.part, best.statistic)
    }
    found = found.filter { change, sign in !contradicts(change, sign) }
    colour()
    return merged().sorted {
      (abs($0.cost.difference), $1.node) > (abs($1.cost.difference), $0.node)
    }
  }

  private func statistic(_ part: Int) -> Double {
    if explained.isEmpty && !isLevelExplained { return search.strongest(of: part) }
    let result = search.evaluate(costs(part), in: tree.container(of: part).map { costs($0) }, totals: totals)
    guard isLevelExplained else { return result.strongest }
    return [SubtreeEvidence.View.share, .withinAndShare].map { result.observed[$0.rawValue] }.max { abs($0) < abs($1) }
      ?? 0
  }

  /// The costs of a part without those of changes that were found.
  func costs(_ part: Int) -> [TreeCosts.Entry] {
    var entries = tree.entries[part]
    for change in explained {
      let isInside =
        part < tree.nodeCount ? tree.isWithin(change.node, part) : change.node == part - tree.nodeCount
      guard isInside else { continue }
      for index in entries.indices {
        entries[index].cost = max(0, entries[index].cost - (change.costs[entries[index].unit] ?? 0))
      }
    }
    return entries
  }

  /// The mean share of a unit's total on each side.
  struct Shares {
    var head: Double
    var base: Double
    var mean: Double
  }

  /// The shares of a part, by default of the totals without the changes that were found.
  func shares(_ entries: [TreeCosts.Entry], of totals: [Double]? = nil) -> Shares {
    let totals = totals ?? self.totals
    var (head, base) = (0.0, 0.0)
    for entry in entries where totals[entry.unit] > 0 {
      let share = entry.cost / totals[entry.unit]
      if tree.isHead[entry.unit] { head += share } else { base += share }
    }
    let heads = Double(tree.isHead.count(where: { $0 }))
    let bases = Double(tree.isHead.count) - heads
    return Shares(head: head / heads, base: base / bases, mean: (head + base) / (heads + bases))
  }

  /// The logarithm of the factor between the sides, relative to all cost outside of a node.
  private func factor(_ shares: Shares, outside: Shares) -> Double {
    let own = ratio(shares.head, shares.base)
    let rest = (head: max(0, 1 - outside.head), base: max(0, 1 - outside.base))
    guard 1 - outside.mean > 0.1 else { return own + level }
    return own - ratio(rest.head, rest.base)
  }

  private func ratio(_ head: Double, _ base: Double) -> Double {
    guard head > 0 || base > 0 else { return 0 }
    guard head > 0 else { return -4 }
    guard base > 0 else { return 4 }
    return min(4, max(-4, log(head / base)))
  }

  /// The logarithm of the factor between the typical totals of units, and between the numbers of units if the exposure
  /// is known.
  private static func level(_ tree: TreeCosts, _ share: Double?) -> Double {
    var (head, base) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
    for (unit, total) in tree.totals.enumerated() where total > 0 {
      if tree.isHead[unit] {
        head.sum += log(total)
        head.count += 1
      } else {
        base.sum += log(total)
        base.count += 1
      }
    }
    let size = head.sum / max(1, head.count) - base.sum / max(1, base.count)
    guard let share, head.count > 0, base.count > 0 else { return size }
    return size + log(head.count / base.count) - log(share / (1 - share))
  }

  private mutating func locate(_ part: Int, _ statistic: Double) {
    let sign: Double = statistic < 0 ? -1 : 1
    var top = part
    while let container = tree.container(of: top), search.parts.contains(container) {
      let outer = shares(costs(container))
      let inner = shares(costs(top))
      guard outer.mean > 0 else { break }
      let rest = Shares(
        head: max(0, outer.head - inner.head), base: max(0, outer.base - inner.base),
        mean: max(0, outer.mean - inner.mean))
      if rest.mean > 0.03 * outer.mean {
        let own = factor(inner, outside: outer) * sign
        let other = factor(rest, outside: outer) * sign
        guard own > 0, other >= 0.5 * own else { break }
      }
      top = container
    }
    descend(top, part, statistic, sign)
  }

  /// Follows a change from its topmost part to the innermost one that has nearly all of it.
  private mutating func descend(_ top: Int, _ part: Int, _ statistic: Double, _ sign: Double) {
    var isOwnCost = top >= tree.nodeCount
    var chain = [tree.node(of: top)]
    let outside = shares(costs(chain[0]))
    while !isOwnCost, let node = chain.last {
      let next = tree.parts(of: node).filter { !tree.entries[$0].isEmpty && !covered.contains($0) }.map {
        (part: $0, fraction: fraction($0, of: node, outside))
      }.max { ($0.fraction, $1.part) < ($1.fraction, $0.part) }
      guard let next, next.fraction >= Self.nearlyAll else { break }
      if next.part >= tree.nodeCount {
        isOwnCost = !tree.children[node].allSatisfy { tree.entries[$0].isEmpty }
        break
      }
      chain.append(next.part)
    }
    guard let node = chain.last else { return }
    // Callers that hardly do anything else share the change.
    while let parent = chain.first.map({ tree.parents[$0] }), parent >= 0,
      let first = chain.first, !isLevel(parent),
      shares(costs(first)).mean >= Self.nearlyAll * shares(costs(parent)).mean
    {
      chain.insert(parent, at: 0)
    }
    let own = isOwnCost ? costs(tree.nodeCount + node) : costs(node)
    add(chain, isOwnCost, own, part, statistic, sign)
  }

  /// The share of a node's change that one of its parts has.
  private func fraction(_ part: Int, of node: Int, _ outside: Shares) -> Double {
    let (inner, outer) = (costs(part), costs(node))
    let whole = change(shares(outer), outside)
    let byShares = abs(whole) > 0 ? change(shares(inner), outside) / whole : 0
    // If a unit is either wholly in the part or not at all, its shares do not show that it took longer.
    let isDivided = Double(inner.count { $0.cost > 0 }) < Self.nearlyAll * Double(outer.count { $0.cost > 0 })
    guard isDivided, let all = typicalChange(outer), abs(all) > 0.02, let own = typicalChange(inner) else {
      return byShares
    }
    return own / all
  }

  /// The change of a part's typical cost in the units that have it, and of their number, times its mean share; nil with
  /// few units of one side.
  private func typicalChange(_ entries: [TreeCosts.Entry]) -> Double? {
    var (head, base) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
    for entry in entries where entry.cost > 0 {
      if tree.isHead[entry.unit] {
        head = (head.sum + log(entry.cost), head.count + 1)
      } else {
        base = (base.sum + log(entry.cost), base.count + 1)
      }
    }
    guard head.count >= 5, base.count >= 5 else { return nil }
    let size = head.sum / head.count - base.sum / base.count
    let heads = Double(tree.isHead.count { $0 })
    let odds = search.exposureShare.map { log($0 / (1 - $0)) } ?? log(heads / (Double(tree.isHead.count) - heads))
    let factor = min(4, max(-4, size + log(head.count / base.count) - odds))
    return shares(entries).mean * (exp(factor) - 1)
  }

  /// Whether the cost itself did not change in the direction of a change: a share that fell only because all other cost
  /// rose more is not a cost that fell.
  ///
  /// A few long diagnostics can turn a sum of costs around, so it decides only where there is no typical cost.
  private func contradicts(_ change: TreeChange, _ sign: Double) -> Bool {
    guard change.kind == .more || change.kind == .less else { return false }
    let difference = typicalChange(tree.entries[part(change)]) ?? change.cost.difference
    return difference * sign < 0
  }

  private func isLevel(_ node: Int) -> Bool { shares(tree.entries[node]).mean > 0.9 }

  private func change(_ inner: Shares, _ outside: Shares) -> Double {
    guard 1 - outside.mean > 0.1 else { return inner.head * exp(min(4, max(-4, level))) - inner.base }
    return inner.head / max(1e-9, 1 - outside.head) - inner.base / max(1e-9, 1 - outside.base)
  }

  private mutating func add(
    _ chain: [Int], _ isOwnCost: Bool, _ entries: [TreeCosts.Entry], _ part: Int, _ statistic: Double, _ sign: Double
  ) {
    guard let node = chain.last else { return }
    let shares = shares(entries)
    var cost = rates.rate(of: entries)
    cost.pValue = search.pValue(of: part)
    let kind: TreeChange.Kind =
      cost.baseClusters == 0 ? .new : cost.headClusters == 0 ? .vanished : sign > 0 ? .more : .less
    found.append(
      (
        TreeChange(
          kind: kind, chain: chain, isOwnCost: isOwnCost, origin: nil, cost: cost,
          shareDifference: shares.head - shares.base, pValue: cost.pValue ?? 1), sign
      ))
    covered.insert(part)
    covered.insert(tree.nodeCount + node)
    if !isOwnCost { covered.formUnion(chain) }
    guard !isLevel(node) else {
      isLevelExplained = true
      return
    }
    explain(node, isOwnCost, entries, sign)
  }

  /// Leaves the cost of a change out of the totals, except for functions below that did not change with it.
  private mutating func explain(_ node: Int, _ isOwnCost: Bool, _ entries: [TreeCosts.Entry], _ sign: Double) {
    var costs = Dictionary(entries.map { ($0.unit, $0.cost) }) { $0 + $1 }
    if !isOwnCost {
      let outside = shares(self.costs(node))
      let whole = factor(outside, outside: outside) * sign
      var open = tree.children[node]
      while let child = open.popLast() {
        let own = self.costs(child)
        let shares = shares(own)
        if shares.mean > 0.1 * outside.mean, factor(shares, outside: outside) * sign < 0.4 * whole {
          for entry in own { costs[entry.unit] = max(0, (costs[entry.unit] ?? 0) - entry.cost) }
        } else {
          covered.insert(child)
          covered.insert(tree.nodeCount + child)
          open += tree.children[child]
        }
      }
    }
    explained.append((node, isOwnCost, costs))
    for (unit, cost) in costs { totals[unit] = max(0, totals[unit] - cost) }
  }

  /// Nodes that pass count if they are above or within a change of the same direction.
  private mutating func colour() {
    for (change, sign) in found { coloured[change.node] = sign > 0 }
    for node in search.passing where node < tree.nodeCount {
      let sign = search.strongest(of: node)
      let isShared = found.contains { change, direction in
        direction * sign > 0
          && (tree.isWithin(change.node, node)
            || tree.isWithin(node, change.node) && (covered.contains(node) || isLevel(change.node)))
      }
      if isShared { coloured[node] = sign > 0 }
    }
  }
}
