import Analysis
import Core

extension ComparisonSeverity {
  var word: String {
    switch self {
    case .worse: "worse"
    case .slightlyWorse: "slightly worse"
    case .maybeWorse: "maybe worse"
    case .noDifference: "no difference shown"
    case .better: "better"
    case .notEnoughData: "not enough data"
    }
  }

  var symbol: String {
    switch self {
    case .worse: "✕"
    case .slightlyWorse, .maybeWorse: "▲"
    case .noDifference: "="
    case .better: "✓"
    case .notEnoughData: "○"
    }
  }

  /// The CSS class that gives the colour.
  var style: StaticString {
    switch self {
    case .worse: "broken"
    case .slightlyWorse, .maybeWorse: "warning"
    case .noDifference, .better: "within"
    case .notEnoughData: "unsure"
    }
  }
}

extension MetricComparison {
  /// An arrow for the direction of the change; the severity's symbol if there is none.
  var arrow: String {
    guard verdict == .better || verdict == .worse, let difference else { return severity.symbol }
    return difference.value > 0 ? "↑" : "↓"
  }

  /// What is compared: a label, or the metric with its statistic.
  var rowTitle: String { label ?? [title, statistic].compactMap { $0 }.joined(separator: " ") }
}
