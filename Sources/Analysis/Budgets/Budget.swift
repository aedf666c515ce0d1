import Core

/// A limit for one statistic of a metric: `p90 launch.first_draw <= 2 s, warn at 1.5 s, on iPhone12,*`.
public struct Budget: Sendable, Hashable {
  /// The budget as written in its file, with runs of spaces reduced to one.
  public var text: String
  /// The statistic that is compared with the target.
  public var statistic: Statistic
  /// The metric's name: `launch.first_draw`.
  public var metric: String
  /// The unit of `target` and `warnTarget`: the catalogue's unit if the metric is in the catalogue, otherwise the
  /// canonical form of the unit as written.
  var unit: MetricUnit
  /// Whether the target is an upper or a lower limit.
  var comparison: Comparison
  /// The limit, in `unit`; 0 while Apple's goal is unknown.
  var target: Double
  /// The value at which a warning starts, better than `target`; nil for no warning.
  var warnTarget: Double?
  /// Apple's goal, which is the limit; nil for a budget with a number.
  var appleGoal: AppleGoal?
  /// The devices that the budget applies to; nil for all devices.
  var device: DeviceMatch?
  /// Conditions that an OS version must all meet; empty for all OS versions.
  var systems: [SystemMatch] = []
  /// The screen, host or view that the budget applies to; nil for all labels together.
  var label: String?
  /// The value of the app's attribute that the budget applies to or excludes; nil for the whole app.
  var attribute: AttributeFilter?
  /// The environment that the budget applies to; nil for the default environment.
  var environment: String?
  /// The number of days that are evaluated; nil for the default.
  var days: Int?
  /// The number of newest releases that are evaluated, each separately; nil for no such limit.
  var lastReleases: Int?
  /// The adoption, from 0 to 1, that a release must exceed to be judged; nil for no limit.
  var adoptionAbove: Double?
  /// True if too few data are a warning.
  var requiresData: Bool = false
  /// True for a default budget of the catalogue, false for a line of the team's file.
  var isDefault: Bool = false

  /// True if the budget is evaluated for each release, false if for the app as a whole.
  public var isPerRelease: Bool { lastReleases != nil || adoptionAbove != nil }

  /// The statistic of a metric that a budget limits.
  public enum Statistic: Sendable, Hashable {
    /// A percentile, 1 to 99.
    case percentile(Int)
    case mean
    /// The value of a ratio, rate or counter, which is a single number.
    case value

    /// The name in budgets, `p90` or `mean`; nil for a metric that is a single number.
    public var name: String? {
      switch self {
      case .percentile(let rank): "p\(rank)"
      case .mean: "mean"
      case .value: nil
      }
    }
  }

  /// Whether a target is an upper or a lower limit.
  enum Comparison: String, Sendable {
    case atMost = "<="
    case atLeast = ">="

    /// The direction in which values are better, in the catalogue's terms.
    var direction: Metric.Direction { self == .atMost ? .lower : .higher }
  }
}

extension Budget {
  /// The budget as a line of a budget file, generated from its parts. Parsing it gives an equal budget, except for
  /// `text`.
  ///
  /// Clauses are in the order of the documentation; numbers are in the largest unit in which they are at least 1.
  var line: String {
    let name = [statistic.name, metricText].compactMap { $0 }.joined(separator: " ")
    var clauses = ["\(name) \(comparison.rawValue) \(appleGoal == nil ? text(of: target) : AppleGoal.word)"]
    if let warnTarget { clauses.append("warn at \(text(of: warnTarget))") }
    if let device { clauses.append("on \(Self.name(device.text))") }
    clauses += systems.map { "on \($0.text)" }
    if let environment { clauses.append("in \(Self.name(environment, also: "._-"))") }
    if let label { clauses.append("label \(Self.name(label))") }
    if let attribute { clauses.append("where \(Self.text(of: attribute))") }
    if let days { clauses.append("over \(days) d") }
    if let lastReleases { clauses.append(lastReleases == 1 ? "for last release" : "for last \(lastReleases) releases") }
    if adoptionAbove != nil { clauses.append("with \(adoptionText)") }
    if requiresData { clauses.append("require data") }
    return clauses.joined(separator: ", ")
  }

  /// The clause `adoption > 10 %`; empty for a budget without it.
  var adoptionText: String { adoptionAbove.map { "adoption > \(LimitText.text(of: $0, .ratio))" } ?? "" }

  private func text(of value: Double) -> String {
    LimitText.text(of: value, unit, isCustom: Catalogue.metric(named: metric) == nil)
  }

  /// The metric's name; in quotation marks if the parser would otherwise refuse it or read it as a statistic.
  private var metricText: String {
    guard statistic != .value || !metric.utf8.starts(with: "p".utf8), metric != "mean",
      var cursor = try? TokenCursor(metric), let read = try? MetricNameParser.parse(&cursor), read.name == metric,
      cursor.current == nil
    else { return Catalogue.metric(named: metric) == nil ? "\"\(metric)\"" : metric }
    return metric
  }

  /// `experiment = new-cart`
  private static func text(of attribute: AttributeFilter) -> String {
    "\(attribute.name) \(attribute.isExcluding ? "!=" : "=") \(name(attribute.value))"
  }

  /// A name; in quotation marks if it contains anything but letters, digits, the characters in `also` and single
  /// spaces.
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
  /// The budget with its limits converted to another unit; nil if the units measure different quantities.
  ///
  /// Needed for metrics outside the catalogue: a budget may use seconds although the app sends milliseconds.
  func converted(to other: MetricUnit) -> Budget? {
    guard other != unit else { return self }
    guard let factor = BudgetUnit.factor(from: unit, to: other) else { return nil }
    var copy = self
    copy.unit = other
    copy.target *= factor
    copy.warnTarget = warnTarget.map { $0 * factor }
    return copy
  }
}

/// Formats limits so that parsing the text returns the same number.
enum LimitText {
  /// The text of a limit: `2 s` for 2,000 ms, `99.5 %` for 0.995. `isCustom`: true for a metric outside the catalogue.
  /// Its unit is derived from the text, so the text must use the unit itself.
  static func text(of value: Double, _ unit: MetricUnit, isCustom: Bool = false) -> String {
    for symbol in symbols[unit] ?? [unit.symbol] {
      guard let factor = BudgetUnit.factor(of: symbol, into: unit) else { continue }
      let scaled = factor < 1 ? value * (1 / factor).rounded() : value / factor
      guard scaled >= 1 || symbol == unit.symbol || unit == .ratio else { continue }
      let text = "\(decimal(rounded(scaled))) \(symbol)"
      if reads(text, as: value, unit, isCustom ? nil : unit) { return text }
    }
    return BudgetUnit.mayBeOmitted(unit) ? decimal(value) : "\(decimal(value)) \(unit.symbol)"
  }

  /// The unit symbols for each canonical unit, largest first. Units that are not listed use their own symbol.
  private static let symbols: [MetricUnit: [String]] = [
    .milliseconds: ["min", "s", "ms", "µs"], .seconds: ["h", "min", "s"], .microseconds: ["s", "ms", "µs"],
    .bytes: ["GB", "MB", "KB", "B"], .ratio: ["%"], .count: [],
  ]

  private static func reads(_ text: String, as value: Double, _ unit: MetricUnit, _ known: MetricUnit?) -> Bool {
    guard var cursor = try? TokenCursor(text), let limit = try? Limit.parse(&cursor, unit: known) else { return false }
    return limit.value == value && limit.unit == unit
  }

  /// Removes floating-point noise: 99.5 for 99.50000000000001.
  private static func rounded(_ value: Double) -> Double {
    let scaled = (value * 1e9).rounded() / 1e9
    return abs(scaled - value) <= value.ulp * 4 ? scaled : value
  }

  /// The number without an exponent, because the grammar has no exponents.
  private static func decimal(_ value: Double) -> String {
    let text = value.description
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")) else {
      return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }
    let digits = text[..<mark].filter { $0 != "." }
    let exponent = Int(text[text.index(after: mark)...]) ?? 0
    let decimals = text[..<mark].utf8.contains(UInt8(ascii: ".")) ? digits.utf8.count - 1 : 0
    if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
    return digits + String(repeating: "0", count: max(0, exponent - decimals))
  }
}
