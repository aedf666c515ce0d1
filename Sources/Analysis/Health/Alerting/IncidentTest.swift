/// The statistical test that opens and closes a budget's incident: the test of the verdict at a higher confidence, and
/// the number of users affected.
struct IncidentTest: Sendable, Equatable {
  /// The tested limit, in the metric's unit: the budget's own or its warning level.
  var target: Double
  /// Whether the limit is exceeded at `confidence`, with at least three bad events.
  var isCertainlyBroken: Bool
  /// Whether the limit is exceeded at 95 %, as in the verdict.
  var isBroken: Bool
  /// Whether the limit is met at 95 %: the confidence bound farthest from it meets it.
  var isWithin: Bool
  /// Whether the value itself meets the limit.
  var isMet: Bool
  var value: Double?
  /// The one-sided lower bound of the value at `confidence`.
  var low: Double?
  var high: Double?
  /// The confidence of the test: `IncidentTest.confidence` or `youngConfidence`.
  var confidence: Double
  var n: Int
  var basis: Basis
  var badEvents: Double
  /// A lower bound of the number of users who saw a bad event; of payloads if users are unknown.
  var affectedUsers: Int
  /// The number of known users; of payloads if users are unknown.
  var known: Int
  /// The number of events without a bad one that would prove the budget met. An incident that looks better needs as
  /// many new events to end.
  var enough: Int

  /// Whether an incident opens: the limit is certainly exceeded, and not by one or two devices alone. If ten users or
  /// payloads are known, three must have seen a bad event. A test on single events (`basis`) never opens an incident.
  var opens: Bool {
    isCertainlyBroken && basis == .clusters && (affectedUsers >= Self.fewestAffectedUsers || known < Self.fewestKnown)
  }

  static let confidence = 0.999
  /// The confidence while less than one bad event is expected at the limit, such as below 200 sessions for 99.5 %.
  static let youngConfidence = 0.9999
  static let fewestAffectedUsers = 3
  static let fewestKnown = 10
}

/// The incident tests of a budget's limit and of its warning level.
struct IncidentTests: Sendable, Equatable {
  var budget: IncidentTest
  /// The test of the warning level; nil for a budget without one.
  var warning: IncidentTest?
}
