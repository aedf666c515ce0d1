import Core
import Statistics
import Storage

/// Judges a measure against a budget: broken, warning, within, or not enough data.
struct Judge {
  let budget: Budget
  /// The probability outside each bound of the interval: 0.05 for a verdict.
  var tail = 0.05

  /// The minimum number of bad events for a broken budget.
  static let fewestBadEvents = 3.0

  func result(_ measure: Measure?, on scope: Scope, slice: Slice) -> BudgetResult {
    var result = BudgetResult(
      budget: budget.text, metric: budget.metric, unit: budget.unit, statistic: budget.statistic.name,
      verdict: .notEnoughData, reason: .few, target: budget.hasLimit ? budget.target : nil,
      warnTarget: budget.warnTarget, direction: budget.comparison.direction, confidence: 1 - tail, slice: slice,
      window: scope.window, requiresData: budget.requiresData)
    result.appleGoal = budget.appleGoal
    guard budget.hasLimit else {
      // Without a limit a budget must not pass, so it counts as one that requires data.
      (result.reason, result.requiresData) = (.noGoal, true)
      return result
    }
    guard let measure, measure.n > 0 else { return result }
    let shown = measure.estimate(budget.statistic, tail: HealthReader.shownTail)
    let estimate = measure.estimate(budget.statistic, tail: tail)
    result.value = estimate.value
    result.isAtLeast = estimate.isAtLeast
    result.low = shown.low
    result.high = shown.high
    result.n = measure.n
    result.basis = measure.basis
    result.verdict = verdict(measure, estimate)
    result.reason = nil
    result.bound = bound(of: result.verdict, estimate)
    if result.verdict == .notEnoughData { explain(measure, estimate, in: &result) }
    return result.unlessSimulated
  }

  /// The confidence bound that decided the verdict: the better bound if the budget is broken, the worse bound if it is
  /// met.
  private func bound(of verdict: Verdict, _ estimate: Estimate) -> Double? {
    switch verdict {
    case .notEnoughData: nil
    case .broken, .warning: budget.comparison == .atMost ? estimate.low : estimate.high
    case .within: budget.comparison == .atMost ? estimate.high : estimate.low
    }
  }

  /// The verdict on the budget: the first that applies of broken, warning, within, not enough data.
  private func verdict(_ measure: Measure, _ estimate: Estimate) -> Verdict {
    if isBroken(measure, estimate, target: budget.target) { return .broken }
    if let warning = budget.warnTarget, isBroken(measure, estimate, target: warning) { return .warning }
    return isWithin(measure, estimate) ? .within : .notEnoughData
  }

  /// Whether even the better bound exceeds the budget, with at least three bad events.
  func isBroken(_ measure: Measure, _ estimate: Estimate, target: Double) -> Bool {
    guard badEvents(measure, target: target) >= Self.fewestBadEvents else { return false }
    switch budget.comparison {
    case .atMost: return estimate.low.map { exceeds($0, target, measure) } ?? false
    case .atLeast: return estimate.high.map { exceeds(target, $0, measure) } ?? false
    }
  }

  /// Whether even the worse bound meets the budget.
  func isWithin(_ measure: Measure, _ estimate: Estimate) -> Bool {
    switch budget.comparison {
    case .atMost: return estimate.high.map { !exceeds($0, budget.target, measure) } ?? false
    case .atLeast: return estimate.low.map { !exceeds(budget.target, $0, measure) } ?? false
    }
  }

  /// Whether `left` exceeds `right`. Percentiles are compared by bin, so that values exactly at a budget meet it; other
  /// values are compared directly.
  func exceeds(_ left: Double, _ right: Double, _ measure: Measure) -> Bool {
    guard case .distribution(let distribution) = measure, case .percentile = budget.statistic else {
      return left > right
    }
    let scheme = distribution.histogram.scheme
    guard left > 0 else { return false }
    guard right > 0 else { return true }
    return scheme.index(of: left) > scheme.index(of: right)
  }

  func badEvents(_ measure: Measure, target: Double) -> Double {
    switch measure {
    case .distribution(let distribution):
      // Count only values that are bad at any position in their bucket.
      if budget.comparison == .atLeast { return distribution.reader.count(below: target).high }
      return Double(distribution.histogram.count) - distribution.reader.count(atMost: target).low
    case .share(let share):
      // The bad events of a share are counted directly; the bad events of its complement are the good events.
      return share.isComplement == (budget.comparison == .atLeast) ? share.bad : share.n - share.bad
    case .rate(let rate): return min(Double(rate.sums.x), Double(rate.sums.clusters))
    case .sum(_, let payloads): return Double(payloads)
    }
  }

  private func explain(_ measure: Measure, _ estimate: Estimate, in result: inout BudgetResult) {
    if case .sum = measure, budget.statistic == .value {
      result.reason = .count
      return
    }
    if case .rate(let rate) = measure, rate.sums.y == 0 {
      (result.reason, result.reasonText) = (.few, "The rate has no data in its denominator.")
      return
    }
    guard measure.basis == .clusters else {
      result.reason = .few
      return
    }
    guard let allowed = allowedBadShare, let observed = observedBadShare(measure), let effective = measure.nEffective
    else {
      // If the value is only a lower bound, more data will not change that.
      result.reason = result.isAtLeast && result.high == nil ? .coarse : .close
      if result.reason == .close { result.needed = needed(measure.n, estimate) }
      return
    }
    let few = SampleSize.few(target: allowed, tail: tail)
    let deff = Double(measure.n) / max(effective, 1)
    if isCoarse(measure, allowed: allowed) {
      result.reason = .coarse
    } else if effective < Double(few) {
      result.reason = .few
      // A budget of 100 % allows no bad event, so no number of good events proves it.
      let total = (Double(few) * deff).rounded(.up)
      result.needed = total < 9e15 ? max(1, Int(total) - measure.n) : nil
    } else {
      result.reason = .close
      let total = SampleSize.needed(badShare: observed, allowed: allowed, deff: deff, tail: tail)
      result.needed = total.map { max(1, $0 - measure.n) }
    }
  }

  /// About how many more events are needed for an interval that excludes the budget. The interval's width shrinks with
  /// the square root of the sample size.
  private func needed(_ n: Int, _ estimate: Estimate) -> Int? {
    guard let value = estimate.value, value != budget.target,
      let bound = value < budget.target ? estimate.high : estimate.low
    else { return nil }
    let width = (bound - value) / (budget.target - value)
    let more = Double(n) * (width * width - 1)
    return more >= 1 && more < 9e15 ? Int(more.rounded(.up)) : nil
  }

  /// Whether the buckets are too wide: the budget is met if all values are at the better edge of their bucket, and
  /// broken if all are at the worse edge.
  private func isCoarse(_ measure: Measure, allowed: Double) -> Bool {
    guard case .distribution(let distribution) = measure, case .percentile = budget.statistic else { return false }
    let n = Double(distribution.histogram.count)
    let isAtMost = budget.comparison == .atMost
    let counts =
      isAtMost ? distribution.reader.count(atMost: budget.target) : distribution.reader.count(below: budget.target)
    let shares = [counts.low, counts.high].map { isAtMost ? (n - $0) / n : $0 / n }
    return shares.contains { $0 <= allowed } && shares.contains { $0 > allowed }
  }

  /// The share of bad events that the budget allows: 0.10 for a p90 that must not exceed its target.
  var allowedBadShare: Double? {
    switch (budget.statistic, budget.comparison) {
    case (.percentile(let rank), .atMost): 1 - Double(rank) / 100
    case (.percentile(let rank), .atLeast): Double(rank) / 100
    case (.value, .atLeast) where budget.unit == .ratio: 1 - budget.target
    case (.value, .atMost) where budget.unit == .ratio: budget.target
    default: nil
    }
  }

  func observedBadShare(_ measure: Measure) -> Double? {
    switch measure {
    case .distribution(let distribution):
      let n = Double(distribution.histogram.count)
      if budget.comparison == .atLeast { return distribution.reader.count(below: budget.target).spread / n }
      return (n - distribution.reader.count(atMost: budget.target).spread) / n
    case .share(let share): return share.n > 0 ? share.badShare : nil
    case .rate, .sum: return nil
    }
  }
}

extension HealthReader {
  /// The remaining share of the bad events that a budget allows; nil for a budget that does not limit their number.
  package static func errorBudgetLeft(_ budget: Budget, _ series: [Series]) -> Double? {
    let judge = Judge(budget: budget)
    guard budget.hasLimit, let measure = Measure.named(budget.metric, in: series)?.measure,
      let allowed = judge.allowedBadShare, allowed > 0, let observed = judge.observedBadShare(measure),
      observed.isFinite
    else { return nil }
    return 1 - observed / allowed
  }
}
