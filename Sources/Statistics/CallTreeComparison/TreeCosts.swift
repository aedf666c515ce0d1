/// A diagnostic for the comparison of two sides: its cost at each function.
public struct CostedUnit: Sendable {
  /// Whether it belongs to the head, the newer side.
  public var isHead: Bool
  /// The user, or a number of its own: units of one cluster are not independent.
  public var cluster: UInt64
  /// The cost at each node that it has, in any unit. The cost of a node includes its descendants. Only positive, finite
  /// costs count; beyond 10¹², they count as 10¹².
  public var costs: [(node: Int, cost: Double)]

  public init(isHead: Bool, cluster: UInt64, costs: [(node: Int, cost: Double)]) {
    (self.isHead, self.cluster, self.costs) = (isHead, cluster, costs)
  }
}

/// The costs of all units at each part of a tree. A part is a node with its descendants, or the own cost of a node:
/// what its descendants do not contain.
struct TreeCosts {
  /// What one unit has at a part.
  struct Entry {
    var unit: Int
    var cost: Double
  }

  /// The parent of each node; −1 for a root.
  let parents: [Int]
  /// The children of each node.
  let children: [[Int]]
  let roots: [Int]
  /// By part: nodes first, then the own cost of each node. Entries are in the order of units.
  private(set) var entries: [[Entry]]
  /// The cost of each unit at all roots together.
  private(set) var totals: [Double]
  /// Whether each unit belongs to the head. Units of one cluster and side are neighbours.
  let isHead: [Bool]
  /// The cluster of each unit: a number from 0. The units that a user has on the two sides are two clusters.
  let clusters: [Int]
  /// Whether each cluster belongs to the head.
  let clusterIsHead: [Bool]

  private static let mostCost = 1e12

  var nodeCount: Int { parents.count }

  init(parents: [Int], units: [CostedUnit]) {
    // A parent must precede its children; any other index makes the node a root.
    let parents = parents.enumerated().map { $1 >= 0 && $1 < $0 ? $1 : -1 }
    self.parents = parents
    let count = parents.count
    var children = [[Int]](repeating: [], count: count)
    for (node, parent) in parents.enumerated() where parent >= 0 { children[parent].append(node) }
    self.children = children
    roots = parents.indices.filter { parents[$0] < 0 }

    var numbers: [UInt64: Int] = [:]
    var seen: [(order: Int, unit: Int)] = []
    for (index, unit) in units.enumerated() {
      let key = unit.cluster &* 2 &+ (unit.isHead ? 1 : 0)
      let number = numbers[key] ?? numbers.count
      numbers[key] = number
      seen.append((number, index))
    }
    seen.sort { ($0.order, $0.unit) < ($1.order, $1.unit) }
    clusters = seen.map(\.order)
    isHead = seen.map { units[$0.unit].isHead }
    var sides = [Bool](repeating: false, count: numbers.count)
    for (place, cluster) in clusters.enumerated() { sides[cluster] = isHead[place] }
    clusterIsHead = sides

    entries = [[Entry]](repeating: [], count: 2 * count)
    totals = [Double](repeating: 0, count: seen.count)
    var costs = [Double](repeating: 0, count: count)
    var below = costs
    for (place, source) in seen.enumerated() {
      let unit = units[source.unit]
      var nodes: [Int] = []
      for (node, cost) in unit.costs where costs.indices.contains(node) && cost > 0 && cost.isFinite {
        if costs[node] == 0 { nodes.append(node) }
        costs[node] = min(Self.mostCost, costs[node] + cost)
      }
      for node in nodes {
        if parents[node] >= 0 { below[parents[node]] += costs[node] } else { totals[place] += costs[node] }
      }
      for node in nodes {
        entries[node].append(Entry(unit: place, cost: costs[node]))
        let own = costs[node] - below[node]
        if own > 1e-6 * costs[node] { entries[count + node].append(Entry(unit: place, cost: own)) }
      }
      for node in nodes {
        costs[node] = 0
        below[node] = 0
        if parents[node] >= 0 { below[parents[node]] = 0 }
      }
    }
  }

  /// The node that a part belongs to.
  func node(of part: Int) -> Int { part < nodeCount ? part : part - nodeCount }

  /// The part that contains a part and its siblings; nil for a root.
  func container(of part: Int) -> Int? {
    if part >= nodeCount { return part - nodeCount }
    return parents[part] >= 0 ? parents[part] : nil
  }

  /// The children of a node and its own cost.
  func parts(of node: Int) -> [Int] { children[node] + [nodeCount + node] }

  /// Whether `node` is `ancestor` or one of its descendants.
  func isWithin(_ node: Int, _ ancestor: Int) -> Bool {
    var next = node
    while next > ancestor { next = parents[next] }
    return next == ancestor
  }

  /// The larger of the mean shares that a part has in the units of the head and of the base.
  func largestShare(_ part: Int) -> Double {
    var (head, base) = (0.0, 0.0)
    for entry in entries[part] where totals[entry.unit] > 0 {
      let share = entry.cost / totals[entry.unit]
      if isHead[entry.unit] { head += share } else { base += share }
    }
    let heads = Double(isHead.count(where: { $0 }))
    return max(head / max(1, heads), base / max(1, Double(isHead.count) - heads))
  }

  /// The number of clusters with a part.
  func clusterCount(_ part: Int) -> Int {
    var (count, last) = (0, -1)
    for entry in entries[part] where clusters[entry.unit] != last {
      count += 1
      last = clusters[entry.unit]
    }
    return count
  }
}
