import Statistics

extension Judge {
  /// The incident tests of the budget's limit and of its warning level.
  func incidentTests(_ measure: Measure, in series: [Series]) -> IncidentTests {
    var plain = budget
    plain.warnTarget = nil
    var level = plain
    level.target = budget.warnTarget ?? budget.target
    return IncidentTests(
      budget: Judge(budget: plain).incidentTest(measure, in: series),
      warning: budget.warnTarget == nil ? nil : Judge(budget: level).incidentTest(measure, in: series))
  }

  private func incidentTest(_ measure: Measure, in series: [Series]) -> IncidentTest {
    let confidence = confidence(of: measure)
    let strict = Judge(budget: budget, tail: 1 - confidence)
    let usual = measure.estimate(budget.statistic, tail: tail)
    let certain = measure.estimate(budget.statistic, tail: strict.tail)
    let bad = badEvents(measure, target: budget.target)
    let affectedUsers = AffectedUsers(of: budget.metric, measure, bad: bad, in: series)
    return IncidentTest(
      target: budget.target, isCertainlyBroken: strict.isBroken(measure, certain, target: budget.target),
      isBroken: isBroken(measure, usual, target: budget.target), isWithin: isWithin(measure, usual),
      isMet: isMet(measure, usual), value: certain.value, low: certain.low, high: certain.high,
      confidence: confidence, n: measure.n, basis: measure.basis, badEvents: bad,
      affectedUsers: affectedUsers.bad, known: affectedUsers.known, enough: enough)
  }

  /// The confidence to test a measure with. It is higher while less than one bad event is expected at the limit: such a
  /// young sample is tested after every event, and three early bad events may be chance.
  private func confidence(of measure: Measure) -> Double {
    let expected = allowedBadShare.map { $0 * Double(measure.n) } ?? .infinity
    return expected < 1 ? IncidentTest.youngConfidence : IncidentTest.confidence
  }

  private func isMet(_ measure: Measure, _ estimate: Estimate) -> Bool {
    guard let value = estimate.value else { return false }
    switch budget.comparison {
    case .atMost: return !exceeds(value, budget.target, measure)
    case .atLeast: return !exceeds(budget.target, value, measure)
    }
  }

  private var enough: Int {
    guard let allowed = allowedBadShare else { return DesignEffect.fewestClusters }
    return SampleSize.few(target: allowed, tail: tail)
  }
}
