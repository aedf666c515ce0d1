import Fleets
import Foundation

/// Young days whose final value is known.
struct LateClaims {
  /// The number of fleets in each row.
  let fleets: Int
  let seed: UInt64

  func print() throws {
    let table = ClaimTable(
      "Young days: intervals that contain the final crash-free share, and the mean share of crashed sessions, in %",
      ["fleet", "sessions a day", "age in hours", "covered", "drawn open", "final", "shown", "as arrived"])
    let ages: [Double] = [20, 30, 54]
    for (name, sessions, change) in Self.all {
      var fleet = LateFleet()
      fleet.sessions = sessions
      change(&fleet)
      let counts = try LateScenario(fleet).play(
        sessions > 5_000 ? max(40, fleets / 4) : fleets, ages: ages, seed: seed)
      for (age, counts) in zip(ages, counts) where counts.points > 0 {
        func mean(_ sum: Double) -> String { String(format: "%.3f", 100 * sum / Double(counts.points)) }
        table.row([
          name, "\(Int(sessions))", "\(Int(age))", percent(counts.covered, of: counts.points),
          percent(counts.open, of: counts.points), mean(counts.final), mean(counts.shown), mean(counts.plain),
        ])
      }
    }
  }

  private static let all: [(String, Double, @Sendable (inout LateFleet) -> Void)] = [
    ("next launch after 5 h, or 40 h", 300, { _ in }),
    ("next launch after 5 h, or 40 h", 2_000, { _ in }),
    ("next launch after 5 h, or 40 h", 20_000, { _ in }),
    ("all launch rarely", 2_000, { $0.rareUsers = 1 }),
    ("weekly cycle", 2_000, { $0.season = 0.3 }),
    ("weekly cycle", 20_000, { $0.season = 0.3 }),
    ("an earlier day arrived late", 2_000, { $0.outage = 20 }),
    ("the day itself arrives late", 2_000, { $0.outage = 34 }),
    ("few crashes", 2_000, { $0.crashes = 0.001 }),
  ]
}
