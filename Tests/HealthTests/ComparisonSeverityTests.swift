import Testing

@testable import Analysis
@testable import Core

@Suite("The order of compared metrics")
struct ComparisonSeverityTests {
  private func metric(
    _ verdict: ComparisonVerdict, _ difference: (Double, Double, Double)?, tendency: ComparisonVerdict? = nil,
    direction: Metric.Direction = .lower, isMixedClass: Bool = false
  ) -> MetricComparison {
    var metric = MetricComparison(
      name: "launch.first_draw", title: "Launch", unit: .milliseconds, kind: .distribution, statistic: "p90",
      budget: nil, direction: direction, source: .native, days: 5, base: ComparedValue(), head: ComparedValue(),
      difference: difference.map {
        ComparedDifference(value: $0.0, low: $0.1, high: $0.2, pValue: 0.01, strata: 1)
      }, isRelative: true, margin: 0.1, verdict: verdict)
    metric.tendency = tendency
    if isMixedClass {
      metric.worseClass = ClassComparison(name: "iPhone 15", value: 0.3, low: 0.2, high: 0.4, pValue: 0.0001)
    }
    return metric
  }

  @Test("compared metrics are ordered: beyond the margin, within it, possible, unchanged, better, unknown")
  func severities() {
    let cases: [(MetricComparison, ComparisonSeverity)] = [
      (metric(.worse, (0.2, 0.15, 0.25)), .worse), (metric(.worse, (0.08, 0.02, 0.14)), .worse),
      (metric(.worse, (0.04, 0.02, 0.06)), .slightlyWorse),
      (metric(.noDifferenceShown, (0.04, 0.01, 0.07), tendency: .worse), .maybeWorse),
      (metric(.notEnoughData, (0.2, 0.01, 0.4)), .maybeWorse),
      (metric(.notEnoughData, (-0.2, -0.4, -0.01), direction: .higher), .maybeWorse),
      (metric(.better, (-0.2, -0.3, -0.1), isMixedClass: true), .maybeWorse),
      (metric(.noDifferenceShown, (0.01, -0.02, 0.04)), .noDifference),
      (metric(.noDifferenceShown, (-0.04, -0.07, -0.01), tendency: .better), .noDifference),
      (metric(.better, (-0.2, -0.3, -0.1)), .better), (metric(.notEnoughData, (0.2, -0.1, 0.5)), .notEnoughData),
      (metric(.notEnoughData, nil), .notEnoughData),
    ]
    for (metric, severity) in cases { #expect(metric.severity == severity) }
  }
}
