public import Core
public import Storage

/// A comparison of two releases, or of two groups by an attribute of the app, on their common days and device classes.
public struct ReleaseComparison: Sendable, Equatable {
  public var app: String
  /// The name of the older release as requested, `4.1.0` or `4.1.0 (1234)`, or of a group: `experiment=control`.
  public var base: String
  public var head: String
  /// The groups; nil if releases are compared.
  public var groups: ComparedGroups?
  /// The compared days: the days of the query on which both releases were in use.
  public var window: Window
  /// The slice that both sides have in common: an environment and filters.
  public var slice: Slice
  public var environmentNote: String?
  /// The compared metrics, most severe first; see `ComparisonSeverity`.
  public var metrics: [MetricComparison]
  /// The labels of labelled metrics (screens, hosts, views), most severe first. Their verdicts are decided together.
  /// Empty unless requested.
  public var labels: [MetricComparison] = []
  /// The days of `labels`, whose rows expire earlier than those of metrics; nil without labels.
  public var labelWindow: Window?
  /// The number of labels that were not compared because there are too many. Labels with the fewest values are left
  /// out.
  var leftOutLabels = 0
  /// How users were divided between two groups; nil for releases, and if the data name neither users nor devices.
  public var sampleRatio: SampleRatioCheck?
  /// The progress of the newer release's rollout; nil if it is no longer rolled out.
  public var rampingUp: RampingUp?
  var digestedThrough: Int64
  public var asOf: Timestamp

  init(
    app: String, base: String, head: String, window: Window, environment: String, environmentNote: String? = nil,
    metrics: [MetricComparison], digestedThrough: Int64, asOf: Timestamp
  ) {
    self.app = app
    self.base = base
    self.head = head
    self.window = window
    slice = Slice(environment: environment)
    self.environmentNote = environmentNote
    self.metrics = metrics
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }

  var environment: String { slice.environment }

  /// The names of the two sides for headings: releases, or the groups' values.
  public var names: (base: String, head: String) { groups.map { ($0.base.title, $0.head.title) } ?? (base, head) }

  /// The compared slices.
  var slices: (base: Slice, head: Slice) {
    var (one, other) = (slice, slice)
    if let groups {
      (one.attribute, other.attribute) = (groups.base, groups.head)
    } else {
      (one.release, other.release) = (base, head)
    }
    return (one, other)
  }

  /// The outcome for a release gate: `worse` if a metric with a budget is worse, possibly by more than the margin;
  /// `warning` if a metric without a budget is worse, a metric is worse only on one device class, or data are missing.
  public var outcome: Outcome {
    if metrics.contains(where: \.stopsRelease) { return .worse }
    let isDoubtful = metrics.contains { $0.verdict == .worse || $0.worseClass != nil || $0.lacksRequiredData }
    return isDoubtful || metrics.allSatisfy { $0.verdict == .notEnoughData } ? .warning : .passed
  }

  public enum Outcome: String, Sendable, CaseIterable {
    case passed
    case warning
    case worse
  }
}

/// The progress of a rollout.
public struct RampingUp: Sendable, Equatable {
  /// The number of days since the release's first, beginning with 1.
  public var day: Int
  /// The share of the release's use by installations that had just updated, over the compared days, 0 to 1.
  public var fresh: Double

  /// The number of days after which a release is no longer rolled out.
  static let longest = 14
}

/// Two groups by one attribute without common data: `treatment` and `control`, or one value and all others.
public struct ComparedGroups: Sendable, Equatable {
  let base: AttributeFilter
  public let head: AttributeFilter
}
