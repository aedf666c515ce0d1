@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static let metricPage = MetricModel(
    app: app, window: window, slice: slice, report: launchReport, metric: Catalogue.metric(named: "launch.first_draw"),
    budgets: [launch],
    trends: [
      50: trend(812, wobble: 22, bump: 60, width: 0.02, n: 767, seed: 21),
      90: trend(1360, wobble: 60, bump: 130, n: 767, seed: 7),
      95: trend(1730, wobble: 80, bump: 210, width: 0.06, n: 767, seed: 22),
    ], releaseMarkers: markers, distribution: bars, byRelease: byRelease,
    byDeviceClass: byDeviceClass, bySystem: [], byDevice: byDevice,
    byLabel: [
      Breakdown(
        key: "cold", title: "cold", report: row(9120, 1010, 1720, 2210), verdict: .within),
      Breakdown(key: "after update", title: "after update", report: row(212, 1840, 3100, 3900), verdict: .broken),
    ], asOf: asOf)

  static let launchReport = MetricReport(
    name: "launch.first_draw", title: "Launch to first draw", unit: .milliseconds, kind: .distribution, weight: .event,
    source: .metricKit, n: 21_480, payloads: 8204, nEffective: 15_310.4, error: 0.0055, sum: 20_190_400, minimum: 180,
    maximum: 9400, mean: 939.96, isEstimated: true,
    percentiles: [
      10: Estimate(value: 492, low: 480, high: 503), 50: Estimate(value: 812, low: 801, high: 824),
      75: Estimate(value: 1088, low: 1066, high: 1110), 90: Estimate(value: 1390.25, low: 1320, high: 1466),
      95: Estimate(value: 1762, low: 1690, high: 1851), 99: Estimate(value: 3120, low: 2890, high: 3480),
    ])

  /// Bars a fifth of an octave wide, like a log-normal, and an open end.
  static let bars: [DistributionBar] = {
    let edges = [
      180.0, 240, 300, 360, 430, 500, 580, 660, 750, 850, 960, 1090, 1230, 1400, 1600, 1800, 2050, 2350, 2700, 3100,
      4000,
    ]
    let counts = [
      40.0, 160, 420, 860, 1390, 1960, 2510, 2790, 2740, 2400, 1910, 1420, 1010, 690, 440, 270, 170, 110, 90, 60,
    ]
    return zip(zip(edges, edges.dropFirst()), counts).map { DistributionBar(low: $0.0, high: $0.1, count: $1) }
      + [DistributionBar(low: 9000, high: nil, count: 40)]
  }()

  static func row(_ n: Int, _ p50: Double, _ p90: Double, _ p95: Double) -> MetricReport {
    distribution("launch.first_draw", n: n, p: [50: p50, 90: p90, 95: p95])
  }

  static let byRelease = [
    Breakdown(key: "4.3.1 (1302)", title: "4.3.1 (1302)", report: row(3120, 790, 1371, 1702), verdict: .within),
    Breakdown(key: "4.3.0 (1298)", title: "4.3.0 (1298)", report: row(7240, 861, 1498, 1910), verdict: .within),
    Breakdown(key: "4.2.0 (1251)", title: "4.2.0 (1251)", report: row(10_620, 790, 1342, 1690), verdict: .within),
    Breakdown(key: "(mixed)", title: "(mixed)", report: row(500, 800, 1380, 1700), verdict: .notEnoughData),
  ]

  static let byDeviceClass = [
    Breakdown(
      key: "iPhone 12 and older", title: "iPhone 12 and older", report: row(7340, 1180, 2010, 2530), verdict: .broken,
      trend: trend(1900, wobble: 80, bump: 210, n: 260, seed: 31)),
    Breakdown(
      key: "iPhone 14", title: "iPhone 14", report: row(8020, 760, 1190, 1480), verdict: .within,
      trend: trend(1150, wobble: 50, bump: 90, n: 290, seed: 32)),
  ]

  static let byDevice = [
    Breakdown(key: "iPhone17,1", title: "iPhone 16 Pro", report: row(6110, 590, 910, 1120), verdict: .within),
    Breakdown(key: "iPhone15,2", title: "iPhone 14 Pro", report: row(8020, 760, 1190, 1480), verdict: .within),
    Breakdown(key: "iPhone13,2", title: "iPhone 12", report: row(5240, 1080, 1810, 2300), verdict: .warning),
    Breakdown(key: "iPhone11,8", title: "iPhone XR", report: row(2100, 1420, 2480, 3110), verdict: .broken),
    Breakdown(key: "iPhone99,9", title: "iPhone99,9", report: row(10, 700, 1100, 1100), verdict: .notEnoughData),
  ]
}
