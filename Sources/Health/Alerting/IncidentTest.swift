/// What decides whether a budget's incident opens and closes: the verdict's own test, at 99.9 % beside 95 %, and how many
/// witnesses there are.
public struct IncidentTest: Sendable, Equatable {
  /// The limit that is held, in the metric's unit: the budget's own or its warning level.
  public var target: Double
  /// Broken at `confidence`, with at least three bad events.
  public var isCertainlyBroken: Bool
  /// Broken at 95 %: what the verdict says.
  public var isBroken: Bool
  /// The far bound meets the limit at 95 %.
  public var isWithin: Bool
  /// The value itself meets it.
  public var isMet: Bool
  public var value: Double?
  /// One-sided bounds at `confidence`.
  public var low: Double?
  public var high: Double?
  /// `IncidentTest.confidence` or `youngConfidence`
  public var confidence: Double
  public var n: Int
  public var basis: Basis
  public var badEvents: Double
  /// At least so many users (payloads, where users are not known) saw a bad event.
  public var witnesses: Int
  /// Known users or payloads in all.
  public var known: Int
  /// So many events without a bad one would prove the budget met: what counts as enough to believe an end.
  public var enough: Int

  /// Certain, and not the work of one or two phones: where ten users or payloads are known, three of them saw it. A test
  /// on single events (`basis`) never opens an incident.
  public var opens: Bool {
    isCertainlyBroken && basis == .clusters && (witnesses >= Self.fewestWitnesses || known < Self.fewestKnown)
  }

  public static let confidence = 0.999
  /// While less than one bad event is to be expected at the limit: below 200 sessions at 99.5 %.
  public static let youngConfidence = 0.9999
  public static let fewestWitnesses = 3
  public static let fewestKnown = 10
}

/// Both levels of a budget.
public struct IncidentTests: Sendable, Equatable {
  public var budget: IncidentTest
  /// Nil for a budget without a warning level.
  public var warning: IncidentTest?
}
