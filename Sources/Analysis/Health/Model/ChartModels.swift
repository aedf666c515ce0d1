public import Core
package import Storage

/// One point of a trend: a day, or several days together. Without data, `n` is 0 and the estimate is empty.
public struct TrendPoint: Sendable, Equatable {
  /// The first day of the point.
  public var day: CalendarDay
  /// The number of days that the point covers.
  public var days: Int
  public var estimate: Estimate
  public var n: Int
  /// The part of the point's reports that has arrived, learned from older days; nil if all have, or if it is unknown.
  public var arrived: Double?

  public init(day: CalendarDay, days: Int = 1, estimate: Estimate, n: Int, arrived: Double? = nil) {
    self.day = day
    self.days = days
    self.estimate = estimate
    self.n = n
    self.arrived = arrived
  }

  package init(_ step: Window, estimate: Estimate, n: Int, arrived: Double? = nil) {
    self.init(day: step.from, days: step.days, estimate: estimate, n: n, arrived: arrived)
  }

  /// The last day of the point.
  public var lastDay: CalendarDay { day + (days - 1) }
}

/// The first day of a release, marked on a chart.
public struct ReleaseMarker: Sendable, Equatable {
  public var day: CalendarDay
  public var version: String
}

/// A bar of a histogram: the number of values in [low, high). The last bar may have no upper end.
public struct DistributionBar: Sendable, Equatable {
  public var low: Double
  public var high: Double?
  public var count: Double
}

extension TrendPoint: APIObject {
  public static let fields = Fields<Self>(
    "TrendPoint", "A day, or several days together; values are null without data."
  ) {
    Field("day", \.day, "The first day.")
    Field("days", \.days, "The number of days that the point covers.", schema: .integer(from: 1))
    Estimate.fields.of(\.estimate)
    Field("n", \.n)
    Field(
      "arrived", \.arrived,
      "The part of the reports that has arrived, 0 to 1, as learned from older days; null if all have, or if unknown.")
  }
}

extension ReleaseMarker: APIObject {
  public static let fields = Fields<Self> {
    Field("day", \.day)
    Field("release", \.version)
  }
}

extension DistributionBar: APIObject {
  public static let fields = Fields<Self> {
    Field("low", \.low)
    Field("high", \.high)
    Field("count", \.count, schema: .number.with("minimum", 0))
  }
}
