package import JSON
package import Storage
public import Telemetry

/// A day of a trend, or some days together. One without data keeps its place, with nothing in it.
public struct TrendPoint: Sendable, Equatable {
  /// The first day.
  public var day: CalendarDay
  /// How many days it stands for.
  public var days: Int
  public var estimate: Estimate
  public var n: Int

  public init(day: CalendarDay, days: Int = 1, estimate: Estimate, n: Int) {
    self.day = day
    self.days = days
    self.estimate = estimate
    self.n = n
  }

  package init(_ step: Window, estimate: Estimate, n: Int) {
    self.init(day: step.from, days: step.days, estimate: estimate, n: n)
  }

  /// The last day.
  public var lastDay: CalendarDay { day + (days - 1) }
}

/// The first day of a release on a chart.
public struct ReleaseMarker: Sendable, Equatable {
  public var day: CalendarDay
  public var version: String

  public init(day: CalendarDay, version: String) {
    self.day = day
    self.version = version
  }
}

/// A bar of a distribution: how many values lie in [low, high). The last bar may have no upper end.
public struct DistributionBar: Sendable, Equatable {
  public var low: Double
  public var high: Double?
  public var count: Double

  public init(low: Double, high: Double?, count: Double) {
    self.low = low
    self.high = high
    self.count = count
  }
}

/// One row of a table by release, device or label.
public struct Breakdown: Sendable, Equatable {
  /// `4.2.0 (1234)`, `iPhone15,2`, `CartView`
  public var key: String
  /// What people read: the device's marketing name where it is known; else the key.
  public var title: String
  public var report: MetricReport
  /// Against the metric's first budget; nil when there is none.
  public var verdict: Verdict?
  /// The course of the number its budget is about, else of the median; empty where it is not asked for.
  public var trend: [TrendPoint]

  public init(key: String, title: String, report: MetricReport, verdict: Verdict?, trend: [TrendPoint] = []) {
    self.key = key
    self.title = title
    self.report = report
    self.verdict = verdict
    self.trend = trend
  }
}

extension TrendPoint {
  /// The members of its JSON.
  package static let columns = ["day", "days", "value", "low", "high", "n"]

  package var json: JSONNode {
    .object([
      ("day", .string(day.iso)), ("days", .count(days)), ("value", .optional(estimate.value)),
      ("low", .optional(estimate.low)),
      ("high", .optional(estimate.high)), ("n", .count(n)),
    ])
  }
}

extension ReleaseMarker {
  package var json: JSONNode { .object([("day", .string(day.iso)), ("release", .string(version))]) }
}

extension DistributionBar {
  package var json: JSONNode { .object([("low", .number(low)), ("high", .optional(high)), ("count", .number(count))]) }
}

extension Breakdown {
  package var json: JSONNode {
    .object([
      ("key", .string(key)), ("title", .string(title)), ("verdict", .optional(verdict?.rawValue)),
      ("metric", report.json), ("trend", .array(trend.map(\.json))),
    ])
  }
}
