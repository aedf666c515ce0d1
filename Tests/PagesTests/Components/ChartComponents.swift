@testable import Analysis
@testable import Core
@testable import Web

/// Drawings, each with few points.
extension GoldenTests {
  private static let line = TrendChart.Line(name: "p90", style: "first", points: Fleet.launchDays)
  private static let other = TrendChart.Line(
    name: "p50", style: "second", points: Fleet.points([800, 810, nil, 820, 812]))
  private static let marker = ReleaseMarker(day: Fleet.lastDay - 1, version: "4.3.1")

  private static func chart(
    _ lines: [TrendChart.Line], target: Double? = nil, warnTarget: Double? = nil, markers: [ReleaseMarker] = [],
    isDetailed: Bool = false
  ) -> [UInt8] {
    markup {
      $0.write(
        TrendChart(
          title: "Launch by day", lines: lines, unit: .milliseconds, direction: .lower, target: target,
          warnTarget: warnTarget, markers: markers, frame: .card, isDetailed: isDetailed))
    }
  }

  static let charts: [Component] = [
    Component(name: "trend-chart") { chart([line]) },
    Component(name: "trend-chart-limits") { chart([line], target: 2000, warnTarget: 1400, markers: [marker]) },
    Component(name: "trend-chart-far-budget") { chart([line], target: 90_000) },
    Component(name: "trend-chart-two-lines") { chart([line, other], isDetailed: true) },
    Component(name: "trend-table") {
      markup {
        $0.write(
          TrendTable(
            caption: "Launch by day", lines: [line, other], unit: .milliseconds, markers: [marker], source: launch,
            links: links))
      }
    },
    Component(name: "sparkline") {
      markup {
        $0.write(Sparkline(title: "Launch", points: Fleet.launchDays, unit: .milliseconds, direction: .lower))
      }
    },
    Component(name: "sparkline-one-day") {
      markup {
        $0.write(
          Sparkline(title: "Launch", points: Fleet.points([nil, 0.99]), unit: .ratio, direction: .higher))
      }
    },
    Component(name: "distribution-chart") {
      markup {
        $0.write(
          DistributionChart(
            title: "Distribution", bars: bars, unit: .milliseconds, direction: .lower, target: 2000, frame: .narrow,
            style: "narrow"))
      }
    },
    Component(name: "forest-chart") {
      markup {
        $0.write(
          ForestChart(
            title: "What changed", rows: Fleet.comparison.metrics.compactMap(ForestRow.init), layout: .narrow))
      }
    },
    Component(name: "distribution-table") {
      markup {
        $0.write(
          DistributionTable(
            caption: "Distribution", bars: bars, unit: .milliseconds, source: launch, links: links))
      }
    },
    Component(name: "small-multiples") {
      let rows = Fleet.byDeviceClass.map { row in
        Breakdown(
          key: row.key, title: row.title, report: row.report, verdict: row.verdict, trend: Fleet.launchDays)
      }
      return markup {
        $0.write(
          SmallMultiples(
            heading: "By device class", rows: rows, direction: .lower, budget: Fleet.launch, statistic: "p90",
            source: launch, links: links))
      }
    },
  ]

  /// Half below the budget, a hole, and an open end.
  private static let bars = [
    DistributionBar(low: 500, high: 1000, count: 50), DistributionBar(low: 1000, high: 2000, count: 30),
    DistributionBar(low: 2000, high: 3000, count: 15), DistributionBar(low: 9000, high: nil, count: 5),
  ]
}
