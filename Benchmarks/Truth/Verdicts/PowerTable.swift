import Fleets
import Foundation
import Statistics

/// How many independent sessions it takes until 2 % crashed are called broken at a budget of 99.5 % in 80 % of cases,
/// beside what the exact binomial test needs.
struct PowerTable {
  let fleets: Int
  private static let (allowed, crashed) = (0.005, 0.02)

  func print() {
    Swift.print("| confidence | Plumb | exact binomial test | ratio |")
    Swift.print("|---|---|---|---|")
    for tail in [0.05, 0.001] {
      let exact = Double(least { Self.exactPower($0, tail: tail) })
      let ours = Double(least { simulatedPower($0, tail: tail) })
      let ratio = String(format: "%.2f", ours / exact)
      Swift.print("| \(100 * (1 - tail)) % | \(Int(ours)) sessions | \(Int(exact)) | \(ratio) |")
      fflush(nil)
    }
  }

  /// Power rises in saw teeth: the first n from which on it stays at 80 % for the next fifty.
  private func least(_ power: (Int) -> Double) -> Int {
    var n = 100
    var reached = 0
    while reached < 10 {
      reached = power(n) >= 0.8 ? reached + 1 : 0
      n += 5
    }
    return n - 50
  }

  /// P(X >= k) for the least k that the test calls broken.
  private static func exactPower(_ n: Int, tail: Double) -> Double {
    func upperTail(_ k: Int, _ p: Double) -> Double {
      SpecialFunctions.regularizedIncompleteBeta(p, Double(k), Double(n - k + 1))
    }
    guard let k = (1...n).first(where: { upperTail($0, allowed) <= tail }) else { return 0 }
    return upperTail(k, crashed)
  }

  /// Three sessions to a user-day and a week of each user, like those of a usual app.
  private func simulatedPower(_ n: Int, tail: Double) -> Double {
    var random = FleetRandom(99)
    var broken = 0
    for _ in 0..<fleets {
      var sums = PairSum()
      var returning = ReturningUsers()
      var hasCrashed = false
      for (place, start) in stride(from: 0, to: n, by: 3).enumerated() {
        if place.isMultiple(of: 7) {
          returning.users += 1
          hasCrashed = false
        }
        let sessions = min(3, n - start)
        var crashes = 0
        for _ in 0..<sessions where random.uniform() < Self.crashed { crashes += 1 }
        sums.add(x: Int64(crashes), y: Int64(sessions))
        guard crashes > 0 else { continue }
        returning.crashedUserDays += 1
        if !hasCrashed { returning.crashedUsers += 1 }
        hasCrashed = true
      }
      if isCrashFreeBroken(sums, returning, allowed: Self.allowed, tail: tail).broken { broken += 1 }
    }
    return Double(broken) / Double(fleets)
  }
}
