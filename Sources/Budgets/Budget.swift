public import Telemetry

/// A limit for one number of one metric: `p90 launch.first_draw <= 2 s, warn at 1.5 s, on iPhone12,*`.
public struct Budget: Sendable, Hashable {
  /// As it was written, with single spaces.
  public var text: String
  /// Which number of the metric is judged.
  public var statistic: Statistic
  /// `launch.first_draw`
  public var metric: String
  /// The unit of `target` and `warnTarget`: the catalogue's for a metric it has, else the canonical unit of what was
  /// written.
  public var unit: MetricUnit
  /// Which side of the target is good.
  public var comparison: Comparison
  /// The limit, in `unit`.
  public var target: Double
  /// Where a warning starts; on the good side of `target`.
  public var warnTarget: Double?
  /// Nil for all devices.
  public var device: DeviceMatch?
  /// Conditions on the system that must all hold, each for the same one; empty for all systems.
  public var systems: [SystemMatch]
  /// The screen, host or view; nil for all of them together.
  public var label: String?
  /// Nil for the default environment.
  public var environment: String?
  /// The length of the window in days; nil for the default window.
  public var days: Int?
  /// How many of the newest releases are judged, each by itself; nil for no such limit.
  public var lastReleases: Int?
  /// The adoption, from 0 to 1, that a release must exceed to be judged; nil for any.
  public var adoptionAbove: Double?
  /// Whether not enough data is a warning.
  public var requiresData: Bool
  /// Whether it is a default of the catalogue, not a line of the team's file.
  public var isDefault: Bool

  /// A budget whose limits are in `unit`.
  public init(
    text: String, statistic: Statistic, metric: String, unit: MetricUnit, comparison: Comparison, target: Double,
    warnTarget: Double? = nil, device: DeviceMatch? = nil, systems: [SystemMatch] = [], label: String? = nil,
    environment: String? = nil, days: Int? = nil, lastReleases: Int? = nil, adoptionAbove: Double? = nil,
    requiresData: Bool = false, isDefault: Bool = false
  ) {
    self.text = text
    self.statistic = statistic
    self.metric = metric
    self.unit = unit
    self.comparison = comparison
    self.target = target
    self.warnTarget = warnTarget
    self.device = device
    self.systems = systems
    self.label = label
    self.environment = environment
    self.days = days
    self.lastReleases = lastReleases
    self.adoptionAbove = adoptionAbove
    self.requiresData = requiresData
    self.isDefault = isDefault
  }

  /// Whether it judges releases, each by itself, and not the app as a whole.
  public var isPerRelease: Bool { lastReleases != nil || adoptionAbove != nil }

  /// Which number of the metric is judged.
  public enum Statistic: Sendable, Hashable {
    /// 1 to 99.
    case percentile(Int)
    case mean
    /// The one number of a ratio, rate or counter.
    case value

    /// `p90`, `mean`; nil for a metric that is one number.
    public var name: String? {
      switch self {
      case .percentile(let rank): "p\(rank)"
      case .mean: "mean"
      case .value: nil
      }
    }
  }

  /// Which side of the target is good.
  public enum Comparison: String, Sendable {
    case atMost = "<="
    case atLeast = ">="

    /// The same in the catalogue's terms.
    public var direction: Metric.Direction { self == .atMost ? .lower : .higher }
  }
}

extension Budget {
  /// The budget as a line of a budget file, written from its parts. Parsing it gives an equal budget, except for
  /// `text`.
  ///
  /// Clauses are in the order of the documentation; numbers in the largest unit in which they are at least 1.
  public var line: String {
    let name = [statistic.name, metricText].compactMap { $0 }.joined(separator: " ")
    var clauses = ["\(name) \(comparison.rawValue) \(text(of: target))"]
    if let warnTarget { clauses.append("warn at \(text(of: warnTarget))") }
    if let device { clauses.append("on \(Self.name(device.text))") }
    clauses += systems.map { "on \($0.text)" }
    if let environment { clauses.append("in \(Self.name(environment, also: "._-"))") }
    if let label { clauses.append("label \(Self.name(label))") }
    if let days { clauses.append("over \(days) d") }
    if let lastReleases { clauses.append(lastReleases == 1 ? "for last release" : "for last \(lastReleases) releases") }
    if adoptionAbove != nil { clauses.append("with \(adoptionText)") }
    if requiresData { clauses.append("require data") }
    return clauses.joined(separator: ", ")
  }

  /// `adoption > 10 %`; empty for a budget without such a condition.
  public var adoptionText: String { adoptionAbove.map { "adoption > \(LimitText.text(of: $0, .ratio))" } ?? "" }

  private func text(of value: Double) -> String {
    LimitText.text(of: value, unit, isCustom: Catalogue.metric(named: metric) == nil)
  }

  /// Quoted where the bare name would be refused, or be taken for a statistic.
  private var metricText: String {
    guard statistic != .value || !metric.utf8.starts(with: "p".utf8), metric != "mean",
      var cursor = try? TokenCursor(metric), let read = try? MetricName.parse(&cursor), read.name == metric,
      cursor.current == nil
    else { return Catalogue.metric(named: metric) == nil ? "\"\(metric)\"" : metric }
    return metric
  }

  /// Quoted where it is more than letters, digits, `also` and single spaces between words.
  private static func name(_ text: String, also: String? = nil) -> String {
    let allowed = (also ?? " .,_-*()+/:").utf8
    let isPlain = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 0x20) || allowed.contains(byte)
    }
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    let isSplit = words.contains { $0.isEmpty || $0.last == UInt8(ascii: ",") }
    return isPlain && !isSplit ? text : "\"\(text)\""
  }
}

extension Budget {
  /// The budget with its limits in another unit; nil when the two measure different things.
  ///
  /// For metrics outside the catalogue: a team may write seconds where its app sends milliseconds.
  public func converted(to other: MetricUnit) -> Budget? {
    guard other != unit else { return self }
    guard let factor = BudgetUnit.factor(from: unit, to: other) else { return nil }
    var copy = self
    copy.unit = other
    copy.target *= factor
    copy.warnTarget = warnTarget.map { $0 * factor }
    return copy
  }
}
