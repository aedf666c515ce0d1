import Statistics

/// The statistical test that opens and closes a budget's incident: the verdict's test at a higher confidence, and the
/// number of affected users.
struct IncidentSignificanceTest: Sendable, Equatable {
  /// The tested limit, in the metric's unit: the budget's limit or its warning level.
  var target: Double
  /// Whether the limit is exceeded at `confidence`, with at least three bad events.
  var isCertainlyBroken: Bool
  /// Whether the limit is exceeded at 95 % confidence, as in the verdict.
  var isBroken: Bool
  /// Whether the limit is met at 95 % confidence: the worse confidence bound meets it.
  var isWithin: Bool
  /// Whether the value meets the limit, regardless of its interval.
  var isMet: Bool
  var value: Double?
  /// The one-sided lower bound of the value at `confidence`.
  var low: Double?
  var high: Double?
  /// The confidence of the test: `IncidentSignificanceTest.confidence` or `youngConfidence`.
  var confidence: Double
  var n: Int
  var basis: Basis
  var badEvents: Double
  /// A lower bound of the number of users with a bad event; of payloads if users are unknown.
  var affectedUsers: Int
  /// The number of known users; of payloads if users are unknown.
  var known: Int
  /// The number of events that would prove the budget met if none were bad. A recovering incident needs as many new
  /// events to end.
  var enough: Int

  /// Whether an incident opens: the limit is certainly exceeded, and not only by one or two devices. If at least ten
  /// users or payloads are known, three of them must have a bad event. A test on single events (`basis`) never opens
  /// one.
  var opens: Bool {
    isCertainlyBroken && basis == .clusters && (affectedUsers >= Self.fewestAffectedUsers || known < Self.fewestKnown)
  }

  static let confidence = 0.999
  /// The confidence if less than one bad event is expected at the limit, such as below 200 sessions for 99.5 %.
  static let youngConfidence = 0.9999
  static let fewestAffectedUsers = 3
  static let fewestKnown = 10
}

/// The incident tests of a budget's limit and of its warning level.
struct IncidentSignificanceTests: Sendable, Equatable {
  var budget: IncidentSignificanceTest
  /// The test of the warning level; nil for a budget without one.
  var warning: IncidentSignificanceTest?
}

extension Judge {
  /// The incident tests of the budget's limit and of its warning level.
  func incidentTests(_ measure: Measure, in series: [Series]) -> IncidentSignificanceTests {
    var plain = budget
    plain.warnTarget = nil
    var level = plain
    level.target = budget.warnTarget ?? budget.target
    return IncidentSignificanceTests(
      budget: Judge(budget: plain).incidentTest(measure, in: series),
      warning: budget.warnTarget == nil ? nil : Judge(budget: level).incidentTest(measure, in: series))
  }

  private func incidentTest(_ measure: Measure, in series: [Series]) -> IncidentSignificanceTest {
    let confidence = confidence(of: measure)
    let strict = Judge(budget: budget, tail: 1 - confidence)
    let usual = measure.estimate(budget.statistic, tail: tail)
    let certain = measure.estimate(budget.statistic, tail: strict.tail)
    let bad = badEvents(measure, target: budget.target)
    let affectedUsers = AffectedUsers(of: budget.metric, measure, bad: bad, in: series)
    return IncidentSignificanceTest(
      target: budget.target, isCertainlyBroken: strict.isBroken(measure, certain, target: budget.target),
      isBroken: isBroken(measure, usual, target: budget.target), isWithin: isWithin(measure, usual),
      isMet: isMet(measure, usual), value: certain.value, low: certain.low, high: certain.high,
      confidence: confidence, n: measure.n, basis: measure.basis, badEvents: bad,
      affectedUsers: affectedUsers.bad, known: affectedUsers.known, enough: enough)
  }

  /// The confidence to test a measure with. It is higher if less than one bad event is expected at the limit: such a
  /// small sample is tested after every event, and three early bad events may be chance.
  private func confidence(of measure: Measure) -> Double {
    let expected = allowedBadShare.map { $0 * Double(measure.n) } ?? .infinity
    return expected < 1 ? IncidentSignificanceTest.youngConfidence : IncidentSignificanceTest.confidence
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
