import Core
import Statistics
public import Storage

/// A comparison of performance-test runs: a pull request with its base, or two releases in the lab.
public struct LabComparison: Sendable, Equatable {
  public var app: String
  /// The release, commit or branch, as requested.
  public var base: String
  public var head: String
  /// The number of compared runs: those with runs of the other side on the same runner and devices, or all if no run
  /// has.
  var baseRuns: Int
  var headRuns: Int
  /// The number of other runs.
  var leftOut: Int
  /// The runners with runs of both sides.
  var runners: [String]
  /// The largest difference that counts as no difference, relative to the base.
  var margin: Double
  /// The smallest p-value that the runs can have; no difference can be shown if it is above 5 %.
  var smallestPValue: Double
  /// The compared metrics of tests, most severe first.
  public var series: [LabDifference]

  /// The probability of any false verdict if the sides do not differ.
  static let level = 0.05
  /// The largest difference that counts as no difference if none is named: as in a comparison of releases.
  public static let usualMargin = 0.1
  /// The most compared metrics of tests. Others are left out, in alphabetical order.
  private static let mostSeries = 2_000

  /// Whether the runs suffice to show any difference.
  var isTestable: Bool { smallestPValue <= Self.level }

  public var outcome: Outcome {
    guard isTestable else { return .tooFewRuns }
    if series.contains(where: \.stops) { return .worse }
    let metrics = series.map(\.comparison)
    let isDoubtful = metrics.contains { $0.verdict == .worse } || metrics.allSatisfy { $0.verdict == .notEnoughData }
    return isDoubtful ? .warning : .passed
  }

  public enum Outcome: String, Sendable, CaseIterable {
    case passed
    case warning
    case worse
    case tooFewRuns = "too_few_runs"
  }

  /// The exit status of `plumb lab`: 0 for nothing worse, 1 if a person needs to decide, 2 for worse, 3 if the runs
  /// cannot show a difference.
  public var exitStatus: Int32 {
    switch outcome {
    case .passed: 0
    case .warning: 1
    case .worse: 2
    case .tooFewRuns: 3
    }
  }
}

/// One metric of one test in two sets of runs.
public struct LabDifference: Sendable, Equatable {
  var test: String
  /// The metric's identifier.
  var metric: String
  /// The unit as XCTest writes it.
  var unit: String
  /// The metric of the field that this one should foretell; nil if there is none.
  var counterpart: String?
  var devices: [String]
  /// The p-value among all compared metrics of tests; nil if no runner has runs of both sides.
  var adjustedPValue: Double?
  /// The values, their difference and the verdict. Numbers have a unit of the catalogue.
  public var comparison: MetricComparison

  /// Whether the metric makes the outcome `worse`.
  var stops: Bool { comparison.verdict == .worse && !comparison.isSmall }
}

extension LabComparison {
  /// Compares the runs that two names mean. Throws `ImpossibleJudgement` if one has no runs, or both have the same.
  public init(
    _ store: any LabRuns, app: App, base: String, head: String, margin: Double = usualMargin
  ) throws {
    let (before, after) = (try store.labRuns(of: app.id, named: base), try store.labRuns(of: app.id, named: head))
    for (name, runs) in [(base, before), (head, after)] where runs.isEmpty {
      throw ImpossibleJudgement(
        "\(name) has no performance-test runs. Expected a release, a commit (at least \(LabLimits.commitDigits) digits) "
          + "or a branch that was imported with `plumb import --lab`.")
    }
    guard Set(before).isDisjoint(with: after) else {
      throw ImpossibleJudgement("\(base) and \(head) have runs in common. Name two releases, commits or branches.")
    }
    self.init(app: app.bundleID, base: (base, before), head: (head, after), margin: margin)
  }

  init(
    app: String, base: (name: String, runs: [LabRun]), head: (name: String, runs: [LabRun]), margin: Double
  ) {
    let sample = StratifiedLabRuns(base: base.runs, head: head.runs)
    let groups = Dictionary(grouping: sample.runs.flatMap(\.series), by: { [$0.test, $0.metric, $0.unit] })
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(Self.mostSeries)
    let measures = groups.map { group in
      sample.measure { $0.test == group.key[0] && $0.metric == group.key[1] && $0.unit == group.key[2] }
    }
    let assignments = sample.assignments(series: groups.count)
    let differences = RunDifference.of(measures.map(\.values), assignments)
    let series = groups.indices.map { LabDifference(groups[$0].value, measures[$0], differences[$0], margin) }
    let (baseRuns, headRuns) = (sample.count(head: false), sample.count(head: true))
    self.init(
      app: app, base: base.name, head: head.name, baseRuns: baseRuns, headRuns: headRuns,
      leftOut: sample.runs.count - baseRuns - headRuns, runners: sample.commonRunners, margin: margin,
      smallestPValue: assignments.smallestPValue,
      series: ComparisonSeverity.sorted(series, by: \.comparison))
  }
}

extension LabComparison {
  /// A margin in percent as a share; the usual margin for nil. Throws `InvalidQuery` for the parameter `margin`.
  public static func margin(percent text: String?) throws(InvalidQuery) -> Double {
    guard let text else { return usualMargin }
    guard let percent = Double(decimal: text), percent <= 100 else {
      throw InvalidQuery(
        detail: "margin: expected a percentage from 0 to 100, such as 5, found \"\(text)\"", parameter: "margin")
    }
    return percent / 100
  }
}

extension LabDifference {
  /// `series`: all series of the metric and test, at least one.
  fileprivate init(_ series: [LabSeries], _ measure: LabMeasure, _ difference: RunDifference?, _ margin: Double) {
    let first = series[0]
    let unit = InputUnit(xcTest: first.unit)
    func value(head: Bool) -> ComparedValue {
      let (runs, mean) = measure.summary(head: head)
      return ComparedValue(estimate: Estimate(value: mean.map { $0 * (unit?.factor ?? 1) }), n: runs)
    }
    var comparison = MetricComparison(
      name: first.metric, title: "\(first.test), \(first.title)" + (unit == nil ? " (\(first.unit))" : ""),
      unit: unit?.canonical ?? .count, kind: .distribution, statistic: nil, budget: nil, direction: first.direction,
      source: nil, days: 0, base: value(head: false), head: value(head: true), isRelative: measure.isRelative,
      margin: margin, reason: difference == nil ? .few : .close)
    if !measure.isRelative {
      let base = comparison.base.estimate.value?.magnitude ?? 0
      comparison.margin = margin * base
    }
    if let difference {
      var shown = measure.shown(difference)
      if !measure.isRelative, let unit {
        (shown.value, shown.low, shown.high) = (
          shown.value * unit.factor, shown.low * unit.factor, shown.high * unit.factor
        )
      }
      comparison.difference = shown
      let isWorse = (shown.value > 0) == (first.direction == .lower)
      if difference.adjustedPValue <= LabComparison.level, shown.value != 0 {
        comparison.verdict = isWorse ? .worse : .better
      } else if comparison.isSmall {
        comparison.verdict = .noDifferenceShown
      }
    }
    self.init(
      test: first.test, metric: first.metric, unit: first.unit, counterpart: first.counterpart,
      devices: Set(series.map(\.device)).sorted(), adjustedPValue: difference?.adjustedPValue, comparison: comparison)
  }
}
