/// The statistical test that opens and closes a budget's incident: the test of the verdict at a higher confidence, and
/// the number of users affected.
public struct IncidentTest: Sendable, Equatable {
  /// The tested limit, in the metric's unit: the budget's own or its warning level.
  public var target: Double
  /// Whether the limit is exceeded at `confidence`, with at least three bad events.
  public var isCertainlyBroken: Bool
  /// Whether the limit is exceeded at 95 %, as in the verdict.
  public var isBroken: Bool
  /// Whether the limit is met at 95 %: the confidence bound farthest from it meets it.
  public var isWithin: Bool
  /// Whether the value itself meets the limit.
  public var isMet: Bool
  public var value: Double?
  /// The one-sided lower bound of the value at `confidence`.
  public var low: Double?
  public var high: Double?
  /// The confidence of the test: `IncidentTest.confidence` or `youngConfidence`.
  public var confidence: Double
  public var n: Int
  public var basis: Basis
  public var badEvents: Double
  /// A lower bound of the number of users who saw a bad event; of payloads if users are unknown.
  public var affectedUsers: Int
  /// The number of known users; of payloads if users are unknown.
  public var known: Int
  /// The number of events without a bad one that would prove the budget met. An incident that looks better needs as
  /// many new events to end.
  public var enough: Int

  /// Whether an incident opens: the limit is certainly exceeded, and not by one or two devices alone. If ten users or
  /// payloads are known, three must have seen a bad event. A test on single events (`basis`) never opens an incident.
  public var opens: Bool {
    isCertainlyBroken && basis == .clusters && (affectedUsers >= Self.fewestAffectedUsers || known < Self.fewestKnown)
  }

  public static let confidence = 0.999
  /// The confidence while less than one bad event is expected at the limit, such as below 200 sessions for 99.5 %.
  public static let youngConfidence = 0.9999
  public static let fewestAffectedUsers = 3
  public static let fewestKnown = 10
}

/// The incident tests of a budget's limit and of its warning level.
public struct IncidentTests: Sendable, Equatable {
  public var budget: IncidentTest
  /// The test of the warning level; nil for a budget without one.
  public var warning: IncidentTest?
}
