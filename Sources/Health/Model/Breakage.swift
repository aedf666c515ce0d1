package import JSON
public import Telemetry

/// A budget that is broken or warns: since when, in which releases and on which device classes.
public struct Breakage: Sendable, Equatable {
  /// The metric's title: `Launch to first draw`.
  public var title: String
  /// The worst result: of the app as a whole, or of one of its newest releases.
  public var result: BudgetResult
  /// The newest releases on which the budget is equally broken, the newest first.
  public var releases: [String]
  /// The first day of the release that caused it, else the first of the consecutive days on which the day's value
  /// exceeded the budget; nil if neither is known.
  public var since: CalendarDay?
  /// The verdicts on the same budget for each device class, the worst first.
  public var classes: [SliceVerdict]
  /// What to check first, in one line; nil without advice.
  public var advice: String?
  /// The name of the metric's guide, such as `launch`.
  public var guide: String?

  public init(
    title: String, result: BudgetResult, releases: [String] = [], since: CalendarDay? = nil,
    classes: [SliceVerdict] = [], advice: String? = nil, guide: String? = nil
  ) {
    self.title = title
    self.result = result
    self.releases = releases
    self.since = since
    self.classes = classes
    self.advice = advice
    self.guide = guide
  }
}

/// The verdict on a budget for one part of the data.
public struct SliceVerdict: Sendable, Equatable {
  /// The dimension that divides the data: `release`, `os`, `device_class`.
  public var dimension: String
  /// The member of the dimension: `4.2.0 (1234)`, `iOS 18.1`, `iPhone 12 and older`.
  public var key: String
  public var result: BudgetResult

  public init(dimension: String, key: String, result: BudgetResult) {
    self.dimension = dimension
    self.key = key
    self.result = result
  }
}

extension Verdict {
  /// The sort order: the worst verdict is 0.
  var order: Int {
    switch self {
    case .broken: 0
    case .warning: 1
    case .notEnoughData: 2
    case .within: 3
    }
  }
}

extension SliceVerdict {
  package var json: JSONOutput {
    .object([("dimension", .string(dimension)), ("key", .string(key)), ("result", result.json)])
  }
}
