package import JSON
public import Telemetry

/// A budget that is broken or warns, somewhere: since when, in which releases, on which devices.
public struct Breakage: Sendable, Equatable {
  /// What people read: `Launch to first draw`.
  public var title: String
  /// The worst result: on the app as a whole, or on one of its newest releases.
  public var result: BudgetResult
  /// The newest releases it is as bad on, the newest first.
  public var releases: [String]
  /// The first day of the release that brought it, else the first of the days in a row on which the day's number lay
  /// beyond the budget; nil when neither is known.
  public var since: CalendarDay?
  /// The same budget on each class of devices, the worst first.
  public var classes: [SliceVerdict]
  /// What to open first.
  public var advice: String?
  /// The family of guides.
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

/// A budget on one part of the data.
public struct SliceVerdict: Sendable, Equatable {
  /// What the data is divided by: `release`, `os`, `device_class`.
  public var dimension: String
  /// The part: `4.2.0 (1234)`, `iOS 18.1`, `iPhone 12 and older`.
  public var key: String
  public var result: BudgetResult

  public init(dimension: String, key: String, result: BudgetResult) {
    self.dimension = dimension
    self.key = key
    self.result = result
  }
}

extension Verdict {
  /// Worst first.
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
  package var json: JSONNode {
    .object([("dimension", .string(dimension)), ("key", .string(key)), ("result", result.json)])
  }
}
