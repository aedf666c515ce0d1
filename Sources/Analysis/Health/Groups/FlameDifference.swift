public import Core
import Statistics
import Storage

/// A diagnostic's call tree with what it cost.
public struct CostedTree: Sendable {
  public var calls: CallTree
  /// The duration of a hang in milliseconds, the processor time of a CPU exception in seconds, or the bytes of a disk
  /// write; nil if unknown.
  public var cost: Double?
  /// The user's hash; a number of its own if the user is unknown. Diagnostics of one user are not independent.
  public var cluster: UInt64

  public init(calls: CallTree, cost: Double?, cluster: UInt64) {
    (self.calls, self.cost, self.cluster) = (calls, cost, cluster)
  }
}

/// A flame graph of two releases or slices: what each function costs on both, and which differences are not chance.
public struct FlameDifference: Sendable, Equatable, FlameGraphProtocol {
  /// What a number of a node is.
  public enum Unit: String, Sendable, CaseIterable {
    /// Seconds per 1,000 hours in the foreground.
    case seconds
    /// Megabytes per 1,000 hours in the foreground.
    case megabytes
    /// The share of the side's whole cost, because the exposure or the costs are unknown.
    case share
  }

  /// A function called through one particular path of callers.
  public struct Node: Sendable, Equatable, FlameGraphNode {
    /// The same id as in the flame graph of a group.
    public var id: String
    public var name: String
    public var binary: String
    public var isOwn: Bool
    /// The caller's index in `nodes`; −1 for a root.
    public var parent: Int
    /// The called functions, largest in the head first.
    public var children: [Int]
    public var head: Double
    public var base: Double
    /// `head` minus `base`, with its 95 % interval.
    public var difference: Estimate
    /// The p-value of this function alone; nil if it has too little data to be tested.
    public var pValue: Double?
    /// Whether the difference is not chance, and not merely that of other functions.
    public var isColoured: Bool
    /// Whether the head has more, if it is coloured. A few long diagnostics can turn the sign of `difference` around.
    public var isMore: Bool
  }

  /// A difference with one origin.
  public struct Change: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
      case more, less
      /// Only the head has the function, or only the base.
      case new, vanished
      /// The cost moved between two functions of one caller, and their sum hardly changed.
      case moved
    }

    public var kind: Kind
    /// The index of the function in `nodes`.
    public var node: Int
    /// The callers that share the change, outermost first.
    public var callers: [Int]
    /// Whether the function itself changed, and not what it calls.
    public var isOwnCost: Bool
    /// The function that the cost moved from.
    public var origin: Int?
    public var head: Double
    public var base: Double
    public var difference: Estimate
    /// The difference of the mean share of a diagnostic's cost.
    public var shareDifference: Double
    public var pValue: Double
  }

  public private(set) var nodes: [Node] = []
  public private(set) var roots: [Int] = []
  /// The changes, largest first. Vanished functions are only here: the head has no box for them.
  public private(set) var changes: [Change] = []
  public private(set) var unit = Unit.share
  /// The hours in the foreground for which the trees stand; nil if unknown.
  public private(set) var headHours: Double?
  public private(set) var baseHours: Double?
  public private(set) var headDiagnostics = 0
  public private(set) var baseDiagnostics = 0
  /// The number of functions with enough data to be tested.
  public private(set) var tested = 0
  /// The p-value of the whole graph; nil if it was not tested.
  public private(set) var pValue: Double?

  /// The maximum number of diagnostics on each side; more are left out.
  public static let mostDiagnostics = 1_000

  /// Compares the trees of two sides. `kind`: of all diagnostics. `exposure`: the hours in the foreground for which
  /// `head` and `base` stand; nil if unknown.
  public init(
    head: [CostedTree], base: [CostedTree], kind: DiagnosticKind, exposure: (head: Double, base: Double)?,
    symbols: any SymbolSource, own: Set<String> = []
  ) {
    let allOfHead = Double(max(1, head.count))
    let allOfBase = Double(max(1, base.count))
    let head = head.filter { !$0.calls.isEmpty }.prefix(Self.mostDiagnostics)
    let base = base.filter { !$0.calls.isEmpty }.prefix(Self.mostDiagnostics)
    (headDiagnostics, baseDiagnostics) = (head.count, base.count)
    let all = head + base
    let hasCosts = all.allSatisfy { ($0.cost ?? 0) > 0 && $0.cost?.isFinite == true }
    // Those that are left out take their share of the exposure with them.
    let exposure = exposure.map {
      (head: $0.head * Double(head.count) / allOfHead, base: $0.base * Double(base.count) / allOfBase)
    }
    let known = exposure.flatMap {
      hasCosts && $0.head > 0 && $0.base > 0 && $0.head.isFinite && $0.base.isFinite ? $0 : nil
    }
    (headHours, baseHours) = (known?.head, known?.base)
    let scale = Self.scale(kind)
    unit = known == nil ? .share : kind == .diskWriteException ? .megabytes : .seconds

    var merged = MergedCallTrees(all.map(\.calls), symbols, own: own, mergesBinaries: true)
    let units = all.enumerated().map { index, tree in
      let samples = merged.add(tree.calls)
      return CostedUnit(
        isHead: index < head.count, cluster: tree.cluster,
        costs: Self.costs(samples, merged, total: hasCosts ? tree.cost.map { $0 * scale } : nil))
    }
    merged.sort()
    let result = TreeDifference(
      parents: merged.nodes.map(\.parent), units: units, exposure: known.map { ($0.head / 1_000, $0.base / 1_000) })
    (tested, pValue) = (result.tested, result.pValue)
    nodes = zip(merged.nodes, result.nodes).map { node, rate in
      Node(
        id: node.id, name: node.name, binary: node.binary, isOwn: node.isOwn, parent: node.parent,
        children: node.children, head: rate.head, base: rate.base,
        difference: Estimate(value: rate.difference, low: rate.low, high: rate.high), pValue: rate.pValue,
        isColoured: rate.passes, isMore: rate.isMore)
    }
    roots = merged.roots
    order()
    changes = result.changes.compactMap { change in
      // In shares of the whole, a cost that only grew has no change that could be shown.
      if unit == .share, abs(change.cost.difference) < 1e-9 { return nil }
      return Change(
        kind: Change.Kind(rawValue: change.kind.rawValue) ?? .more, node: change.node,
        callers: Array(change.chain.dropLast()), isOwnCost: change.isOwnCost,
        origin: change.origin, head: change.cost.head, base: change.cost.base,
        difference: Estimate(value: change.cost.difference, low: change.cost.low, high: change.cost.high),
        shareDifference: change.shareDifference, pValue: change.pValue)
    }
  }

  private mutating func order() {
    let order = nodes
    let larger = { (left: Int, right: Int) in (order[left].head, right) > (order[right].head, left) }
    for index in nodes.indices { nodes[index].children.sort(by: larger) }
    roots.sort(by: larger)
  }

  /// The factor from the unit of a diagnostic's cost to the unit of the page.
  private static func scale(_ kind: DiagnosticKind) -> Double {
    switch kind {
    case .hang: 1e-3
    case .diskWriteException: 1e-6
    default: 1
    }
  }

  /// The cost at each node: the whole cost in proportion to the samples, or the samples themselves.
  private static func costs(
    _ samples: [Int: Int], _ merged: MergedCallTrees, total: Double?
  ) -> [(node: Int, cost: Double)] {
    let whole = samples.reduce(0) { merged.nodes[$1.key].parent < 0 ? $0.saturatingAdd($1.value) : $0 }
    let scale = total.map { $0 / Double(max(1, whole)) } ?? 1
    return samples.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value) * scale) }
  }
}
