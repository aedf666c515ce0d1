import Core

/// How much a compared metric deserves attention, the most first. Every list of compared metrics has this order.
public enum ComparisonSeverity: String, Sendable, CaseIterable {
  /// Worse by what may be more than the margin.
  case worse
  /// Worse, by less than the margin.
  case slightlyWorse = "slightly_worse"
  /// Without a verdict or within the margin, but the whole interval lies on the worse side; or worse on one class of
  /// devices.
  case maybeWorse = "maybe_worse"
  case noDifference = "no_difference"
  case better
  case notEnoughData = "not_enough_data"

  /// The metrics in the order of severity; those of the same one by their change for the worse, in margins. Metrics that
  /// are equal in both keep their order.
  static func sorted(_ metrics: [MetricComparison]) -> [MetricComparison] {
    let ranks = metrics.map { (allCases.firstIndex(of: $0.severity) ?? 0, -($0.deterioration?.value ?? 0)) }
    return metrics.indices.sorted { (ranks[$0].0, ranks[$0].1, $0) < (ranks[$1].0, ranks[$1].1, $1) }
      .map { metrics[$0] }
  }
}

extension MetricComparison {
  public var severity: ComparisonSeverity {
    switch verdict {
    case .worse: return isSmall ? .slightlyWorse : .worse
    case .better: return worseClass == nil ? .better : .maybeWorse
    case .noDifferenceShown: return tendency == .worse || worseClass != nil ? .maybeWorse : .noDifference
    case .notEnoughData: return worseClass != nil || (deterioration?.low ?? 0) > 0 ? .maybeWorse : .notEnoughData
    }
  }

  /// The difference and its interval in margins, positive for the worse: 1 is worse by the whole margin. Nil without a
  /// difference or a margin.
  package var deterioration: (value: Double, low: Double, high: Double)? {
    guard let difference, margin > 0 else { return nil }
    func margins(_ value: Double) -> Double { (direction == .higher ? -value : value) / margin }
    let ends = [margins(difference.low), margins(difference.high)].sorted()
    return (margins(difference.value), ends[0], ends[1])
  }

  /// Whether the difference of all devices together, which depends on who uses the releases, says something else than
  /// the one within classes of devices and days: the opposite sign, or the other side of the margin.
  var isMixed: Bool {
    guard let difference, let rawDifference, margin > 0 else { return false }
    let (own, raw) = (difference.value / margin, rawDifference / margin)
    guard max(own.magnitude, raw.magnitude) >= Self.leastMixed else { return false }
    if own * raw < 0 { return true }
    switch verdict {
    case .noDifferenceShown: return raw.magnitude > 1
    case .better, .worse: return !isSmall && raw.magnitude < 1 && own.magnitude > 1
    case .notEnoughData: return false
    }
  }

  /// In margins: the signs of smaller differences are chance.
  private static let leastMixed = 0.1
}

/// A class of devices that has another share of a metric's values in one release than in the other.
struct MixShift: Sendable, Equatable {
  /// The name of the device class, such as `iPhone 15`.
  var name: String
  /// Its share of the older release's values, 0 to 1.
  var base: Double
  /// Its share of the newer release's values.
  var head: Double

  init(name: String, base: Double, head: Double) {
    self.name = name
    self.base = base
    self.head = head
  }

  /// The class whose shares differ most; nil if none differs by 5 points.
  init?(_ pair: SeriesPair) {
    let (ours, theirs) = (Self.shares(pair.base), Self.shares(pair.head))
    let shifts = Set(ours.keys).union(theirs.keys).sorted().map {
      MixShift(name: $0, base: ours[$0] ?? 0, head: theirs[$0] ?? 0)
    }
    guard let most = shifts.max(by: { $0.size < $1.size }), most.size >= Self.least else { return nil }
    self = most
  }

  private static let least = 0.05
  private var size: Double { (head - base).magnitude }

  private static func shares(_ group: SeriesGroup) -> [String: Double] {
    let weights = group.classes.mapValues { Double($0.first?.weight ?? 0) }
    let sum = weights.values.reduce(0, +)
    return sum > 0 ? weights.mapValues { $0 / sum } : [:]
  }
}
