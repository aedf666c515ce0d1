public import Analysis
import Core
import Foundation
import Storage
public import TestSupport

/// Invented hangs of two releases, as MetricKit sends them: call trees of offsets with samples. In the head, a known
/// function may be slower.
///
/// All trees have a trunk of system functions, then branch. How a hang's time divides among callees differs from hang
/// to hang (a Dirichlet distribution), and less between the hangs of one user. Durations are log-normal.
public struct FlameFleet {
  /// How much the hangs resemble each other: the concentration of the Dirichlet distribution at each branch. With 20, a
  /// callee with half of its caller's time has 39 to 61 % of it in two of three hangs; with 3, 25 to 75 %.
  public var likeness = 20.0
  /// The standard deviation of the logarithm of a duration.
  public var spread = 1.0
  /// The expected diagnostics of each side.
  public var head = 200.0
  public var base = 200.0
  /// The hours in the foreground of each side; nil if unknown.
  public var exposure: (head: Double, base: Double)? = (10_000, 10_000)
  /// The share of the time of the slower function; nil for equal releases.
  public var planted: ClosedRange<Double>?
  /// The factor of the planted function's time, with all that it calls.
  public var factor = 1.5
  /// Whether only the function's own time grows, by the same amount.
  public var isOwnCost = false
  /// Whether the time that the planted function gains or loses comes from, or goes to, the largest of its siblings.
  public var moves = false
  /// The mean diagnostics of a user.
  public var perUser = 1.4
  /// The factors of the head's durations, and of the number of its hangs.
  public var everywhere = 1.0
  public var frequency = 1.0

  public init() {}

  /// What the comparison found, and the name of the planted function; nil if none is planted.
  public struct Outcome {
    public var difference: FlameDifference
    public var planted: String?
    /// The other function of a move.
    public var sibling: String?
  }

  public func play(_ random: inout SeededRandom) -> Outcome {
    var program = FlameProgram(&random)
    var planted: Int?
    while let range = self.planted, planted == nil {
      let fitting = program.shares.indices.filter {
        range.contains(program.shares[$0]) && (3...25).contains(program.depths[$0])
          && (!moves || program.sibling(of: $0) != nil)
      }
      if fitting.isEmpty {
        program = FlameProgram(&random)
      } else {
        planted = fitting[random.index(below: fitting.count)]
      }
    }
    let newer = trees(program, planted, isHead: true, &random)
    let older = trees(program, planted, isHead: false, &random)
    let difference = FlameDifference(
      head: newer, base: older, kind: .hang, exposure: exposure, symbols: FlameProgram.Names())
    let sibling = moves ? planted.flatMap(program.sibling) : nil
    return Outcome(
      difference: difference, planted: planted.map(FlameProgram.name), sibling: sibling.map(FlameProgram.name))
  }

  private func trees(
    _ program: FlameProgram, _ planted: Int?, isHead: Bool, _ random: inout SeededRandom
  ) -> [CostedTree] {
    var trees: [CostedTree] = []
    let expected = isHead ? head * frequency : base
    var users = 0
    for _ in 0..<10 { users += random.poisson(expected / perUser / 10) }
    for user in 0..<users {
      var branches = program.branches(likeness, &random)
      for _ in 0..<(1 + random.poisson(perUser - 1)) {
        if random.uniform() < 0.4 { branches = program.branches(likeness, &random) }
        var own = program.ownTimes(branches)
        if isHead, let planted { slow(planted, of: program, &own) }
        let whole = own.reduce(0, +)
        let seconds = 0.6 * exp(spread * random.normal()) * whole * (isHead ? everywhere : 1)
        let samples = max(4, random.poisson(40 * min(3, 0.5 + seconds / 1.2)))
        let side: UInt64 = isHead ? 1 << 32 : 0
        trees.append(
          CostedTree(
            calls: program.tree(own, samples: samples, &random), cost: seconds * 1_000, cluster: UInt64(user) + side))
      }
    }
    return trees
  }

  private func slow(_ planted: Int, of program: FlameProgram, _ own: inout [Double]) {
    var inside = [Bool](repeating: false, count: own.count)
    var before = 0.0
    for node in planted..<own.count {
      inside[node] = node == planted || program.parents[node] >= 0 && inside[program.parents[node]]
      guard inside[node] else { continue }
      before += own[node]
      if !isOwnCost { own[node] *= factor }
    }
    if isOwnCost { own[planted] += (factor - 1) * before }
    guard moves, let sibling = program.sibling(of: planted) else { return }
    let inner = program.nodes(below: sibling)
    let time = inner.reduce(0) { $0 + own[$1] }
    // A sibling that a hang hardly has gets the time itself.
    guard time > 1e-6 else { return own[sibling] -= min(0, (factor - 1) * before) }
    let share = max(0, 1 - (factor - 1) * before / time)
    for node in inner { own[node] *= share }
  }
}

/// An invented program: which function calls which, and its mean time there.
struct FlameProgram {
  private(set) var parents: [Int] = []
  private(set) var depths: [Int] = []
  /// The mean share of the time at each node.
  private(set) var shares: [Double] = []
  private var children: [[Int]] = []
  /// The mean share of the caller's time.
  private var weights: [Double] = []
  /// The share of its own time that a node spends itself.
  private var ownWeights: [Double] = []

  private static let mostNodes = 600
  private static let uuid = "0123456789ABCDEF0123456789ABCDEF"

  init(_ random: inout SeededRandom) {
    let trunk = 3 + random.index(below: 8)
    var open = [add(below: -1, 1)]
    for _ in 1..<trunk { open = [add(below: open[0], 1)] }
    var next = 0
    while next < open.count {
      let node = open[next]
      next += 1
      guard depths[node] < 30, shares[node] >= 0.002, parents.count < Self.mostNodes else {
        ownWeights[node] = 1
        continue
      }
      let isChain = random.uniform() < 0.45 && depths[node] > trunk
      if depths[node] > trunk, random.uniform() < 0.3 { ownWeights[node] = random.uniform() * 0.3 }
      let parts = (0..<(isChain ? 1 : 2 + random.index(below: 4))).map { _ in random.gamma(0.8) + 0.02 }
      let whole = parts.reduce(0, +)
      for part in parts { open.append(add(below: node, part / whole * (1 - ownWeights[node]))) }
    }
  }

  private mutating func add(below parent: Int, _ weight: Double) -> Int {
    let node = parents.count
    parents.append(parent)
    depths.append(parent < 0 ? 0 : depths[parent] + 1)
    shares.append(parent < 0 ? 1 : shares[parent] * weight)
    children.append([])
    weights.append(weight)
    ownWeights.append(0)
    if parent >= 0 { children[parent].append(node) }
    return node
  }

  /// The largest other callee of a function's caller; nil if there is none of at least its size.
  func sibling(of node: Int) -> Int? {
    guard parents[node] >= 0 else { return nil }
    let others = children[parents[node]].filter { $0 != node && shares[$0] >= shares[node] }
    return others.max { shares[$0] < shares[$1] }
  }

  /// A function and all that it calls.
  func nodes(below node: Int) -> [Int] {
    var inside = [node]
    for next in parents.indices where next > node && inside.contains(parents[next]) { inside.append(next) }
    return inside
  }

  /// For one hang, the shares of each node's time: its own, then those of its callees.
  func branches(_ likeness: Double, _ random: inout SeededRandom) -> [[Double]] {
    parents.indices.map { node in
      if children[node].isEmpty { return [1] }
      let mean = [ownWeights[node]] + children[node].map { weights[$0] }
      let parts = mean.map { $0 > 0 ? random.gamma(max(0.02, likeness * $0)) : 0 }
      let whole = parts.reduce(0, +)
      return whole > 0 ? parts.map { $0 / whole } : mean
    }
  }

  /// The time that each node spends itself, of a whole of 1.
  func ownTimes(_ branches: [[Double]]) -> [Double] {
    var flow = [Double](repeating: 0, count: parents.count)
    flow[0] = 1
    return parents.indices.map { node in
      for (place, child) in children[node].enumerated() { flow[child] = flow[node] * branches[node][place + 1] }
      return flow[node] * branches[node][0]
    }
  }

  /// Samples of a hang as a call tree.
  func tree(_ own: [Double], samples: Int, _ random: inout SeededRandom) -> CallTree {
    var sum = 0.0
    let ends = own.map { time in
      sum += time
      return sum
    }
    var counts = [Int](repeating: 0, count: own.count)
    for _ in 0..<samples {
      let point = random.uniform() * sum
      var (low, high) = (0, ends.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if ends[middle] > point { high = middle } else { low = middle + 1 }
      }
      counts[low] += 1
    }
    for node in parents.indices.reversed() where parents[node] >= 0 { counts[parents[node]] += counts[node] }
    var places: [Int: Int] = [:]
    var tree = CallTree(binaries: [.init(name: "Shop", uuid: Self.uuid)])
    for node in parents.indices where counts[node] > 0 {
      places[node] = tree.frames.count
      tree.frames.append(
        .init(
          caller: places[parents[node]] ?? -1, binary: 0, offset: UInt64(16 * node + 8), samples: counts[node]))
    }
    tree.threads = [.init(range: tree.frames.indices, isAttributed: true)]
    return tree
  }

  static func name(of node: Int) -> String { "function\(node)()" }

  /// The symbols of the program: a function every 16 bytes.
  struct Names: SymbolSource {
    var generation: Int { 1 }

    func hasSymbols(uuid: String) -> Bool { true }

    func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
      offsets.reduce(into: [:]) { $0[$1] = [.init(function: FlameProgram.name(of: Int($1 / 16)))] }
    }
  }
}
