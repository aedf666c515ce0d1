import Foundation
import TestSupport
import Testing

@testable import Statistics

@Suite("The difference of two call trees")
struct TreeDifferenceTests {
  /// `main` calls `a` and `b`; `a` calls `c`.
  private static let parents = [-1, 0, 0, 1]

  /// Units whose function `a` takes `slow` times as long in the head. Its callee `c` has half of its time.
  private static func units(
    _ count: Int, slow: Double, seed: UInt64, cost: Double = 1, isSwapped: Bool = false
  ) -> [CostedUnit] {
    var random = SeededRandom(seed: seed)
    return (0..<2 * count).map { number in
      let isHead = number < count
      let whole = cost * exp(random.normal())
      let a = whole * (0.2 + 0.3 * random.uniform()) * (isHead ? slow : 1)
      let b = whole * (0.3 + 0.4 * random.uniform())
      return CostedUnit(
        isHead: isHead != isSwapped, cluster: UInt64(number), costs: [(0, a + b), (1, a), (2, b), (3, a / 2)])
    }
  }

  @Test(
    "the p-value of a function in k units of the head is that of the hypergeometric distribution",
    arguments: [12, 14, 15, 16, 18])
  func hypergeometric(inHead: Int) throws {
    // 30 units a side; 24 units in all have the function, always with half of their cost, so that only its presence
    // can differ.
    let units = (0..<60).map { number in
      let isHead = number < 30
      let place = isHead ? number : number - 30
      let has = place < (isHead ? inHead : 24 - inHead)
      return CostedUnit(
        isHead: isHead, cluster: UInt64(number), costs: has ? [(0, 2), (1, 1), (2, 1)] : [(0, 2), (2, 2)])
    }
    let found = try #require(TreeDifference(parents: [-1, 0, 0], units: units).nodes[1].pValue)
    let extremes = (0...24).filter { abs($0 - 12) >= abs(inHead - 12) }
    let exact = extremes.reduce(0.0) { $0 + exp(Self.ways($1, 24) + Self.ways(30 - $1, 36) - Self.ways(30, 60)) }
    #expect(abs(found - exact) <= Self.tolerance(exact))
  }

  /// The logarithm of the number of ways to choose k of n.
  private static func ways(_ k: Int, _ n: Int) -> Double {
    lgamma(Double(n + 1)) - lgamma(Double(k + 1)) - lgamma(Double(n - k + 1))
  }

  /// Four standard errors of a p-value from 400 assignments.
  private static func tolerance(_ exact: Double) -> Double {
    4 * (exact * max(0, 1 - exact) / 400).squareRoot() + 0.005
  }

  @Test("the p-value of the number of units is that of the binomial distribution", arguments: [20, 24, 28])
  func binomial(inHead: Int) throws {
    let units = (0..<40).map { CostedUnit(isHead: $0 < inHead, cluster: UInt64($0), costs: [(0, 3)]) }
    let found = try #require(TreeDifference(parents: [-1], units: units, exposure: (5, 5)).nodes[0].pValue)
    let extremes = (0...40).filter { abs($0 - 20) >= abs(inHead - 20) }
    let exact = extremes.reduce(0.0) { $0 + exp(Self.ways($1, 40) - 40 * log(2)) }
    #expect(abs(found - exact) <= Self.tolerance(exact))
  }

  @Test("rates are the costs of a side for its exposure, and the interval that of a compound Poisson process")
  func rates() {
    let units = [2.0, 5, 3, 4].enumerated().map {
      CostedUnit(isHead: $0 < 3, cluster: $0 == 2 ? 1 : UInt64($0), costs: [(0, $1)])
    }
    let node = TreeDifference(parents: [-1], units: units, exposure: (2, 4)).nodes[0]
    #expect(node.head == 5 && node.base == 1 && node.difference == 4)
    // Clusters of 2 and 5 + 3 in the head, of 4 in the base.
    let half = 1.96 * ((4.0 + 64) / 4 + 16.0 / 16).squareRoot()
    #expect(abs(node.high - 4 - half) < 1e-9 && abs(node.low - 4 + half) < 1e-9)
  }

  @Test("a function that is slower with all that it calls is one change")
  func slower() throws {
    let result = TreeDifference(
      parents: Self.parents, units: Self.units(100, slow: 2, seed: 1), exposure: (1, 1))
    #expect(result.changes.count == 1)
    let change = try #require(result.changes.first)
    #expect(change.kind == .more && change.chain.contains(1) && change.cost.difference > 0)
    #expect(result.nodes[1].passes && !result.nodes[2].passes)
  }

  @Test("a function that is gone has vanished")
  func vanished() throws {
    let units = Self.units(100, slow: 1, seed: 2).map { unit in
      var unit = unit
      if unit.isHead { unit.costs = [(0, unit.costs[2].cost), (2, unit.costs[2].cost)] }
      return unit
    }
    let result = TreeDifference(parents: Self.parents, units: units, exposure: (1, 1))
    let change = try #require(result.changes.first { $0.kind == .vanished })
    #expect(change.chain.contains(1) && change.cost.head == 0)
  }

  @Test("cost that moves to another callee of the same function is one change")
  func moved() throws {
    // `main` calls `page`, which calls `old` and later `new` instead, and `rest`.
    let units = Self.units(100, slow: 1, seed: 3).map { unit in
      var unit = unit
      let (whole, part) = (unit.costs[0].cost, unit.costs[1].cost)
      unit.costs = [(0, whole * 2), (1, whole), (unit.isHead ? 2 : 3, part), (4, whole)]
      return unit
    }
    let result = TreeDifference(parents: [-1, 0, 1, 1, 0], units: units, exposure: (1, 1))
    #expect(result.changes.count == 1)
    let change = try #require(result.changes.first)
    #expect(change.kind == .moved && change.node == 2 && change.origin == 3)
  }

  @Test("cost that moves within a caller of nearly all cost is a move, and a slower function beside others is none")
  func movedShare() throws {
    // `main` calls three functions. A third of the first one's cost moves to the second one, or is added to it.
    func changes(from: Double, to: Double, seed: UInt64) -> [TreeChange] {
      var random = SeededRandom(seed: seed)
      let units = (0..<400).map { number in
        let isHead = number.isMultiple(of: 2)
        let parts = (0..<3).map { _ in 1 + random.uniform() }
        let (one, two) = (parts[0] - (isHead ? from * parts[0] : 0), parts[1] + (isHead ? to * parts[0] : 0))
        return CostedUnit(
          isHead: isHead, cluster: UInt64(number),
          costs: [(0, one + two + parts[2]), (1, one), (2, two), (3, parts[2])])
      }
      return TreeDifference(parents: [-1, 0, 0, 0], units: units, exposure: (1, 1)).changes
    }
    for seed in 1...5 as ClosedRange<UInt64> {
      let moves = changes(from: 0.3, to: 0.3, seed: seed)
      #expect(moves.map(\.kind) == [.moved] && moves.map(\.node) == [2] && moves.map(\.origin) == [1])
      let back = changes(from: -0.3, to: -0.3, seed: seed)
      #expect(back.map(\.kind) == [.moved] && back.map(\.node) == [1] && back.map(\.origin) == [2])
      #expect(changes(from: 0, to: 0.3, seed: seed).map(\.kind) == [.more])
      #expect(changes(from: 0.3, to: 0, seed: seed).map(\.kind) == [.less])
    }
  }

  @Test("swapping the sides turns every difference round")
  func swapped() {
    let one = TreeDifference(parents: Self.parents, units: Self.units(80, slow: 2, seed: 4), exposure: (1, 1))
    let other = TreeDifference(
      parents: Self.parents, units: Self.units(80, slow: 2, seed: 4, isSwapped: true), exposure: (1, 1))
    for (left, right) in zip(one.nodes, other.nodes) {
      #expect(abs(left.difference + right.difference) < 1e-9 && left.passes == right.passes)
    }
    #expect(one.changes.map(\.kind) == [.more] && other.changes.map(\.kind) == [.less])
  }

  @Test("the unit of costs changes no p-value and no change")
  func scaled() {
    let one = TreeDifference(parents: Self.parents, units: Self.units(60, slow: 1.7, seed: 5), exposure: (1, 1))
    let other = TreeDifference(
      parents: Self.parents, units: Self.units(60, slow: 1.7, seed: 5, cost: 1024), exposure: (1, 1))
    #expect(one.nodes.map(\.pValue) == other.nodes.map(\.pValue))
    #expect(one.changes.map(\.chain) == other.changes.map(\.chain))
  }

  @Test("few units, costs that are no numbers and indices out of range are no error")
  func hostile() {
    #expect(TreeDifference(parents: [], units: []).pValue == nil)
    let odd = CostedUnit(
      isHead: true, cluster: .max, costs: [(-1, 1), (9, 1), (0, .nan), (0, -.infinity), (1, 1e300), (0, 1)])
    let result = TreeDifference(
      parents: [5, 1, .min], units: Array(repeating: odd, count: 30), exposure: (0, .infinity))
    #expect(result.nodes.allSatisfy { $0.head.isFinite && $0.low.isFinite } && result.changes.isEmpty)
  }

  @Test("of diagnostics with one stack each, the branch that takes longer is named, and not only its caller")
  func singleStacks() {
    var found = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      // A root, its only callee, three branches, and a leaf below each.
      let units = (0..<400).map { number in
        let isHead = number % 2 == 1
        let branch = random.index(below: 3)
        let isSlower = isHead && branch == 1
        let cost = exp(0.5 * random.normal()) * (isSlower ? 2.2 : 1)
        return CostedUnit(
          isHead: isHead, cluster: UInt64(number), costs: [0, 1, 2 + branch, 5 + branch].map { ($0, cost) })
      }
      let result = TreeDifference(parents: [-1, 0, 1, 1, 1, 2, 3, 4], units: units, exposure: (1, 1))
      if result.changes.first?.chain.contains(3) == true { found += 1 }
    }
    #expect(found >= 18, "\(found) of 20")
  }

  @Test("20,000 functions of 400 diagnostics are compared within a second")
  func large() {
    var random = SeededRandom(seed: 6)
    let parents = (0..<20_000).map { $0 == 0 ? -1 : ($0 - 1) / 3 }
    let units = (0..<400).map { number in
      var costs: [Int: Double] = [:]
      while costs.count < 60 {
        var node = random.index(below: parents.count)
        while node >= 0 {
          costs[node, default: 0] += 1
          node = parents[node]
        }
      }
      return CostedUnit(
        isHead: number % 2 == 0, cluster: UInt64(number),
        costs: costs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
    let time = ContinuousClock().measure { _ = TreeDifference(parents: parents, units: units, exposure: (1, 1)) }
    #expect(time < .seconds(1))
  }
}
