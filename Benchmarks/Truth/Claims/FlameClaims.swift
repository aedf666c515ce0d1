import Analysis
import Fleets
import Foundation
import TestSupport

/// Hangs of releases in which a known function became slower, or none, and what the comparison of their code shows.
struct FlameClaims {
  /// The number of fleets in each row.
  let fleets: Int
  let seed: UInt64

  /// `only`: the rows whose names contain it.
  func print(only: String? = nil) {
    let table = ClaimTable(
      "What changed in the code: fleets in which a function is coloured, and in which the planted one is listed, in %",
      [
        "fleet", "any coloured", "planted in the first three", "planted first", "planted, tested alone",
        "named as one move", "entries of a list", "ms",
      ])
    for (name, change) in Self.all where only.map(name.contains) ?? true {
      var fleet = FlameFleet()
      change(&fleet)
      var (coloured, listed, first, alone, moved, entries, lists) = (0, 0, 0, 0, 0, 0, 0)
      let start = Date()
      for number in 0..<fleets {
        var random = SeededRandom(seed: seed &+ UInt64(number))
        let outcome = fleet.play(&random)
        let flame = outcome.difference
        coloured += flame.nodes.contains(where: \.isColoured) ? 1 : 0
        entries += flame.changes.count
        lists += flame.changes.isEmpty ? 0 : 1
        moved += flame.changes.contains { Self.isMove($0, flame, outcome) } ? 1 : 0
        guard let planted = outcome.planted else { continue }
        // What a reader would find who knew the function and tested nothing else.
        alone += flame.nodes.contains { $0.name == planted && ($0.pValue ?? 1) < 0.05 } ? 1 : 0
        let found = flame.changes.prefix(3).map { change in
          ([change.node] + change.callers + (change.origin.map { [$0] } ?? [])).contains {
            flame.nodes[$0].name == planted
          }
        }
        listed += found.contains(true) ? 1 : 0
        first += found.first == true ? 1 : 0
      }
      let isPlanted = fleet.planted != nil
      let milliseconds = Date().timeIntervalSince(start) / Double(fleets) * 1_000
      table.row([
        name, percent(coloured, of: fleets), isPlanted ? percent(listed, of: fleets) : "–",
        isPlanted ? percent(first, of: fleets) : "–", isPlanted ? percent(alone, of: fleets) : "–",
        percent(moved, of: fleets),
        lists > 0 ? String(format: "%.1f", Double(entries) / Double(lists)) : "–", "\(Int(milliseconds))",
      ])
    }
  }

  /// Whether a change is a move, and between the planted functions if one moved.
  private static func isMove(
    _ change: FlameDifference.Change, _ flame: FlameDifference, _ outcome: FlameFleet.Outcome
  ) -> Bool {
    guard change.kind == .moved, let origin = change.origin else { return false }
    guard let planted = outcome.planted, let sibling = outcome.sibling else { return true }
    let names = Set(([change.node, origin] + change.callers).map { flame.nodes[$0].name })
    return names.isSuperset(of: [planted, sibling])
  }

  private static let all: [(String, @Sendable (inout FlameFleet) -> Void)] = [
    ("equal", { _ in }),
    ("equal, hangs that differ", { $0.likeness = 3 }),
    ("equal, long tails", { $0.spread = 1.5 }),
    ("equal, three diagnostics a user", { $0.perUser = 3 }),
    ("equal, a tenth of the use", { ($0.head, $0.base, $0.exposure) = (40, 400, (1_000, 10_000)) }),
    ("equal, ten times the use", { ($0.head, $0.base, $0.exposure) = (400, 40, (10_000, 1_000)) }),
    ("equal, exposure unknown", { $0.exposure = nil }),
    ("10 to 30 % of the time, 50 % slower", { $0.planted = 0.1...0.3 }),
    (
      "only its own time",
      {
        $0.planted = 0.1...0.3
        $0.isOwnCost = true
      }
    ),
    (
      "long tails",
      {
        $0.planted = 0.1...0.3
        $0.spread = 1.5
      }
    ),
    (
      "three diagnostics a user",
      {
        $0.planted = 0.1...0.3
        $0.perUser = 3
      }
    ),
    (
      "a tenth of the use",
      {
        $0.planted = 0.1...0.3
        ($0.base, $0.exposure) = (2_000, (1_000, 10_000))
      }
    ),
    (
      "exposure unknown",
      {
        $0.planted = 0.1...0.3
        $0.exposure = nil
      }
    ),
    (
      "hangs that differ somewhat",
      {
        $0.planted = 0.1...0.3
        $0.likeness = 8
      }
    ),
    (
      "hangs that differ much",
      {
        $0.planted = 0.1...0.3
        $0.likeness = 3
      }
    ),
    (
      "half of its time moved to a sibling",
      {
        ($0.planted, $0.moves, $0.factor) = (0.1...0.3, true, 0.5)
      }
    ),
    (
      "all of its time moved to a sibling",
      {
        ($0.planted, $0.moves, $0.factor) = (0.1...0.3, true, 0)
      }
    ),
    (
      "half as much again, from a sibling",
      {
        ($0.planted, $0.moves) = (0.1...0.3, true)
      }
    ),
    ("5 % of the time, 50 % slower", { $0.planted = 0.04...0.06 }),
    (
      "gone",
      {
        $0.planted = 0.1...0.3
        $0.factor = 0
      }
    ),
    ("everything 50 % slower", { $0.everywhere = 1.5 }),
    ("twice as many hangs", { $0.frequency = 2 }),
  ]
}
