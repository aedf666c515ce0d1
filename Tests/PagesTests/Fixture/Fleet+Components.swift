@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Pieces small enough to be read whole.
extension Fleet {
  /// Five days; nothing came on the third.
  static let fiveDays = Window(days: 5, endingOn: lastDay)

  static func points(_ values: [Double?], width: Double = 0.05) -> [TrendPoint] {
    zip(fiveDays.allDays, values).map { day, value in
      let estimate = value.map { Estimate(value: $0, low: $0 * (1 - width), high: $0 * (1 + width)) } ?? .unknown
      return TrendPoint(day: day, estimate: estimate, n: value == nil ? 0 : 700)
    }
  }

  static let launchDays = points([1300, 1350, nil, 1500, 1390])

  /// The fleet's page of an app with three budgets, five days and two releases.
  static let smallAppPage: AppStatus = {
    var page = appPage
    page.judgement.budgets = [0, 2, 9].map { index in
      var budget = budgets[index]
      budget.trend = Array(budget.trend.suffix(5))
      budget.trendBefore = Array(budget.trendBefore.suffix(5))
      return budget
    }
    page.releases = Array(page.releases.prefix(2))
    return page
  }()

  /// A metric's page with five days and two parts.
  static let smallMetricPage: MetricModel = {
    var page = metricPage
    page.trends = [50: points([800, 810, nil, 820, 812]), 90: launchDays]
    page.releaseMarkers = [ReleaseMarker(day: lastDay - 1, version: "4.3.1")]
    page.distribution = Array(page.distribution.suffix(4))
    page.byRelease = Array(page.byRelease.prefix(2))
    page.byDeviceClass = []
    page.byDevice = []
    page.byLabel = []
    return page
  }()

  /// A release's page with three budgets and two differences.
  static let smallReleasePage: ReleaseModel = {
    var page = releasePage
    page.judgement = smallAppPage.judgement
    page.adoption = points([0.06, 0.18, nil, 0.3, 0.41], width: 0)
    page.comparison?.metrics = Array(comparison.metrics.prefix(2))
    return page
  }()
}

/// What a component writes by itself.
func markup(_ write: (inout HTMLWriter) -> Void) -> [UInt8] {
  var html = HTMLWriter(capacity: 4096)
  write(&html)
  return html.bytes
}
