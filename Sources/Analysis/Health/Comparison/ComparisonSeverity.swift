import Core

/// How much attention a compared metric needs, most first. Every list of compared metrics has this order.
public enum ComparisonSeverity: String, Sendable, CaseIterable {
  /// Worse, possibly by more than the margin.
  case worse
  /// Worse by less than the margin.
  case slightlyWorse = "slightly_worse"
  /// No difference shown or not enough data, but the whole interval lies on the worse side; or worse on one device
  /// class.
  case maybeWorse = "maybe_worse"
  case noDifference = "no_difference"
  case better
  case notEnoughData = "not_enough_data"

  /// The metrics by severity, then by `deterioration`, worst first. Metrics that are equal in both keep their order.
  static func sorted(_ metrics: [MetricComparison]) -> [MetricComparison] { sorted(metrics, by: \.self) }

  /// The same for values that contain a metric.
  static func sorted<Item>(_ metrics: [Item], by metric: (Item) -> MetricComparison) -> [Item] {
    let ranks = metrics.map(metric).map { (allCases.firstIndex(of: $0.severity) ?? 0, -($0.deterioration?.value ?? 0)) }
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

  /// The difference and its interval in units of the margin, positive for worse: 1 is worse by the whole margin. Nil
  /// without a difference or a margin.
  package var deterioration: (value: Double, low: Double, high: Double)? {
    guard let difference, margin > 0 else { return nil }
    func margins(_ value: Double) -> Double { (direction == .higher ? -value : value) / margin }
    let ends = [margins(difference.low), margins(difference.high)].sorted()
    return (margins(difference.value), ends[0], ends[1])
  }

  /// Whether the difference over all devices, which depends on the mix of devices, disagrees with the difference within
  /// device classes and days: it has the opposite sign, or lies on the other side of the margin.
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

  /// The smallest difference whose sign counts, in units of the margin. The signs of smaller differences are chance.
  private static let leastMixed = 0.1
}
