import Fleets
import TestSupport
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("What changed in the code")
struct FlameDifferenceTests {
  private static func outcomes(
    _ count: Int, _ change: (inout FlameFleet) -> Void
  ) -> [FlameFleet.Outcome] {
    var fleet = FlameFleet()
    change(&fleet)
    return (0..<count).map { number in
      var random = SeededRandom(seed: 40 + UInt64(number))
      return fleet.play(&random)
    }
  }

  @Test("of 60 pairs of equal releases, at most 7 have a coloured function", arguments: [1.0, 10])
  func equal(ratio: Double) {
    // 8 or more of 60 have a probability of 0.8 % at a rate of 5 %.
    let outcomes = Self.outcomes(60) {
      $0.base = 40 * ratio
      $0.head = 40
      $0.exposure = (1_000, 1_000 * ratio)
    }
    #expect(outcomes.count { $0.difference.nodes.contains(where: \.isColoured) } <= 7)
  }

  @Test("a function that is 50 % slower is among the first three changes")
  func planted() {
    let outcomes = Self.outcomes(20) { $0.planted = 0.1...0.3 }
    let found = outcomes.count { outcome in
      outcome.difference.changes.prefix(3).contains { change in
        ([change.node] + change.callers).contains { outcome.difference.nodes[$0].name == outcome.planted }
      }
    }
    #expect(found >= 17)
  }

  @Test("a move names the callee that the time came from, not a function deeper in it")
  func moved() {
    let outcomes = Self.outcomes(20) {
      $0.planted = 0.1...0.3
      ($0.moves, $0.factor) = (true, 0)
    }
    let found = outcomes.count { outcome in
      let flame = outcome.difference
      return flame.changes.contains { change in
        let names = ([change.node] + change.callers).map { flame.nodes[$0].name }
        return change.kind == .moved && change.origin.map { flame.nodes[$0].name } == outcome.planted
          && names.contains(outcome.sibling ?? "")
      }
    }
    #expect(found >= 15)
  }

  @Test("diagnostics that are left out of a side take their share of its exposure with them")
  func tooMany() {
    let tree = CallTree(
      frames: [.init(caller: -1, samples: 4, symbol: .init(function: "main"))],
      threads: [.init(range: 0..<1, isAttributed: true)])
    func side(_ count: Int, from first: Int) -> [CostedTree] {
      (0..<count).map { CostedTree(calls: tree, cost: 500, cluster: UInt64(first + $0)) }
    }
    let difference = FlameDifference(
      head: side(500, from: 0), base: side(4 * FlameDifference.mostDiagnostics, from: 500), kind: .hang,
      exposure: (1_000, 8_000), symbols: FlameNames())
    #expect(difference.nodes.allSatisfy { abs($0.head - 250) < 1e-9 && abs($0.base - 250) < 1e-9 && !$0.isColoured })
    #expect(difference.changes.isEmpty && difference.baseHours == 2_000)
  }

  @Test("nodes have the ids of the flame graph of the same trees")
  func ids() {
    func tree(_ samples: Int) -> CallTree {
      CallTree(
        frames: [
          .init(caller: -1, samples: samples, symbol: .init(function: "main")),
          .init(caller: 0, samples: samples, symbol: .init(function: "load()")),
        ], threads: [.init(range: 0..<2, isAttributed: true)])
    }
    let trees = [tree(3), tree(5)]
    let flame = FlameGraph(trees, FlameNames())
    let difference = FlameDifference(
      head: [CostedTree(calls: trees[0], cost: 300, cluster: 1)],
      base: [CostedTree(calls: trees[1], cost: 500, cluster: 2)], kind: .hang, exposure: (100, 200),
      symbols: FlameNames())
    #expect(difference.nodes.map(\.id) == flame.nodes.map(\.id))
    // 0.3 s in 100 h, and 0.5 s in 200 h.
    #expect(difference.unit == .seconds && difference.nodes.allSatisfy { abs($0.head - 3) < 1e-9 })
    #expect(difference.nodes.allSatisfy { abs($0.base - 2.5) < 1e-9 && !$0.isColoured })
  }

  @Test("without costs or exposure, functions are compared by their share")
  func shares() {
    let tree = CallTree(
      frames: [.init(caller: -1, samples: 4, symbol: .init(function: "main"))],
      threads: [.init(range: 0..<1, isAttributed: true)])
    let one = CostedTree(calls: tree, cost: nil, cluster: 1)
    let difference = FlameDifference(
      head: [one], base: [one], kind: .diskWriteException, exposure: (100, 100), symbols: FlameNames())
    #expect(difference.unit == .share && difference.nodes.first?.head == 1 && difference.headHours == nil)
  }
}

/// No symbols.
private struct FlameNames: SymbolSource {
  var generation: Int { 0 }
  func hasSymbols(uuid: String) -> Bool { false }
  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] { [:] }
}
