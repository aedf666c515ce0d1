import Analysis
import Core
import Foundation
import Storage

/// Compares a report with the truth: percentiles within the stated error, counts exactly.
struct ScaleComparison {
  let truth: ExactTruth
  let report: HealthReport

  /// Prints both tables and returns the number of wrong numbers.
  func print() -> Int { percentiles() + counts() }

  private func percentiles() -> Int {
    Swift.print("| metric | values | percentile | exact | reported | off by | stated error |")
    Swift.print("|---|---|---|---|---|---|---|")
    var faults = 0
    for name in truth.values.keys.sorted() {
      guard let metric = report.metrics.first(where: { $0.name == name && $0.label == nil }) else {
        Swift.print("| \(name) | missing |")
        faults += 1
        continue
      }
      if metric.n != truth.values[name]?.count { faults += 1 }
      for rank in MetricReport.ranks { faults += line(metric, rank) }
    }
    Swift.print("")
    return faults
  }

  /// The stated error applies to p50, p90 and p95. The interval must contain every percentile.
  private func line(_ metric: MetricReport, _ rank: Int) -> Int {
    guard let exact = truth.percentile(rank, of: metric.name), let estimate = metric.percentiles[rank],
      let value = estimate.value, let error = metric.error
    else { return 1 }
    let off = abs(value - exact) / exact
    let isStated = [50, 90, 95].contains(rank)
    let isHeld = (estimate.low ?? 0) <= exact * 1.0055 && exact <= (estimate.high ?? .infinity) * 1.0055
    let isRight = isHeld && (!isStated || off <= error)
    let numbers = String(
      format: "%.1f | %.1f | %.3f %% | %@", exact, value, 100 * off,
      isStated ? String(format: "%.2f %%", 100 * error) : "–")
    Swift.print("| \(metric.name) | \(metric.n) | p\(rank) | \(numbers) |\(isRight ? "" : " WRONG")")
    return isRight ? 0 : 1
  }

  private func counts() -> Int {
    Swift.print("| number | exact | reported |")
    Swift.print("|---|---|---|")
    var faults = 0
    for outcome in SessionOutcome.allCases {
      faults += line("sessions, \(outcome.name)", truth.outcomes[outcome], report.sessions.counts[outcome])
    }
    let daily = report.users.crashFreeDaily
    faults += line("user-days", truth.userDays, daily.n)
    let crashedDays = daily.estimate.value.map { Int(((1 - $0) * Double(daily.n)).rounded()) }
    faults += line("user-days with a crash", truth.crashedUserDays, crashedDays)
    for (reason, count) in truth.foregroundExits {
      faults += line("foreground exits, \(reason.name)", count, report.exits.foreground?[reason])
    }
    for (reason, count) in truth.backgroundExits {
      faults += line("background exits, \(reason.name)", count, report.exits.background?[reason])
    }
    // Beyond 2,048 users per day the sets are estimates. Three of their standard errors are allowed.
    let allowed = 3 * 1.04 / 128
    faults += line("users", truth.users.count, report.users.total, within: allowed)
    faults += line("users with a crash", truth.crashedUsers.count, report.users.crashed, within: allowed)
    return faults + hangs()
  }

  /// Buckets are read at their middle, so each hang may differ by at most 5 ms.
  private func hangs() -> Int {
    guard let rate = report.metrics.first(where: { $0.name == "hang.rate" }), let time = rate.numerator,
      let use = rate.denominator
    else { return line("hang.rate", 1, nil) }
    Swift.print(String(format: "| hang time in ms | %.0f | %.0f |", truth.hangTime, time))
    let isRight = abs(time - truth.hangTime) <= 5 * Double(truth.hangs)
    return (isRight ? 0 : 1) + line("foreground time in ms", truth.foregroundSeconds * 1000, Int(use))
  }

  private func line(_ name: String, _ exact: Int?, _ reported: Int?, within share: Double = 0) -> Int {
    let (exact, reported) = (exact ?? 0, reported ?? -1)
    let isRight = Double(abs(exact - reported)) <= share * Double(exact)
    let note = share > 0 ? String(format: " (%+.2f %%)", 100 * (Double(reported) / Double(max(1, exact)) - 1)) : ""
    Swift.print("| \(name) | \(exact) | \(reported)\(note) |\(isRight ? "" : " WRONG")")
    return isRight ? 0 : 1
  }
}
