@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static let comparison = ReleaseComparison(
    app: app, base: "4.2.0 (1234)", head: "4.3.0 (1298)", window: window, environment: "production",
    metrics: [
      compared(
        "sessions.crash_free", nil, .worse, (0.9981, 0.9974, 0.9987), (0.9912, 0.9898, 0.9925),
        (-0.0069, -0.0084, -0.0054)),
      compared(
        "launch.first_draw", "p90", .worse, (1390, 1331, 1452), (1428, 1400, 1460), (0.027, 0.011, 0.044), n: 48_210),
      compared("launch.resume", "p90", .noDifferenceShown, (412, 398, 431), (415, 401, 430), (0.007, -0.02, 0.035)),
      compared("memory.peak", "p90", .better, (212e6, 205e6, 221e6), (180e6, 171e6, 188e6), (-0.15, -0.19, -0.108)),
      compared(
        "screen.load", "p90", .notEnoughData, (900, 840, 980), (960, 850, 1100), (0.06, -0.07, 0.21), n: 210,
        needed: 1420),
      compared("disk.writes", "p90", .notEnoughData, (182e6, 170e6, 196e6), nil, nil, n: 40, reason: .missing),
    ], digestedThrough: 1_204_511, asOf: asOf)

  /// The comparison with two screens, of which one is slower.
  static let comparisonByScreen: ReleaseComparison = {
    var comparison = Fleet.comparison
    var slower = compared(
      "screen.load", "p90", .worse, (700, 680, 720), (1400, 1370, 1440), (1, 0.92, 1.09), n: 480)
    slower.label = "CartView"
    var other = compared(
      "screen.load", "p90", .noDifferenceShown, (500, 490, 510), (502, 492, 512), (0.004, -0.02, 0.03), n: 480)
    other.label = "(other)"
    comparison.labels = [slower, other]
    comparison.labelWindow = Window(from: CalendarDay(iso: "2026-11-10")!, to: CalendarDay(iso: "2026-11-20")!)
    return comparison
  }()

  private static func compared(
    _ name: String, _ statistic: String?, _ verdict: ComparisonVerdict, _ base: (Double, Double, Double),
    _ head: (Double, Double, Double)?, _ difference: (Double, Double, Double)?, n: Int = 9120,
    reason: MetricComparison.Reason = .close, needed: Int? = nil
  ) -> MetricComparison {
    let entry = Catalogue.metric(named: name)!
    func value(_ numbers: (Double, Double, Double)?) -> ComparedValue {
      guard let numbers else { return ComparedValue() }
      return ComparedValue(
        estimate: Estimate(value: numbers.0, low: numbers.1, high: numbers.2), n: n, nEffective: Double(n) * 0.7)
    }
    return MetricComparison(
      name: name, title: entry.title, unit: entry.unit, kind: entry.kind, statistic: statistic, budget: entry.budget,
      direction: entry.direction, source: .metricKit, days: 28, base: value(base), head: value(head),
      difference: difference.map {
        ComparedDifference(value: $0.0, low: $0.1, high: $0.2, pValue: 0.001, strata: 4)
      }, rawDifference: difference.map { $0.0 * 0.9 }, isRelative: statistic != nil,
      margin: statistic == nil ? 0.0025 : 0.1, verdict: verdict, reason: verdict == .notEnoughData ? reason : nil,
      needed: needed)
  }
}
