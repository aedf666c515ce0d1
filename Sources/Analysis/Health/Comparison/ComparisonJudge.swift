import Core
import Statistics

/// Decides the verdicts on all metrics of a comparison together, because one in twenty metrics differs by chance.
enum ComparisonJudge {
  /// The maximum expected share of false positives among the reported differences.
  static let falseDiscoveryRate = 0.05
  /// The rate while a release is rolled out. Seven looks at this level, a day apart, are wrong as often as one look at
  /// 5 %. S. Pocock, "Group sequential methods in the design and analysis of clinical trials" (1977).
  static let repeatedRate = 0.0158
  /// The same for metrics whose device classes are reported to differ. It is lower, because a few crash-prone users can
  /// all be in one class.
  private static let classDiscoveryRate = 0.01

  /// `isRampingUp`: whether the head is being rolled out, so that it will be compared repeatedly.
  static func settle(_ drafts: [ComparisonDraft], isRampingUp: Bool = false) -> [MetricComparison] {
    let pValues = drafts.map { $0.hasEvents ? $0.pValue : nil }
    let rate = isRampingUp ? repeatedRate : falseDiscoveryRate
    let strict = zip(pValues, drafts).map { pValue, draft in pValue.map { max($0, draft.conditionalPValue ?? 0) } }
    let certain = FalseDiscovery.rejected(strict, rate: 1 - IncidentTest.confidence)
    let mixed = FalseDiscovery.rejected(drafts.map(\.heterogeneity), rate: classDiscoveryRate)
    let results = zip(drafts, FalseDiscovery.rejected(pValues, rate: rate)).map(verdict)
    return results.indices.map { index in
      var result = results[index]
      result.isCertain = certain[index] && result.verdict == .worse
      if mixed[index] { addWorseClass(drafts[index], in: &result) }
      return result
    }
  }

  /// Marks a metric as heterogeneous and sets the device class with the largest deterioration, if that is significant
  /// at a level divided by the number of classes.
  private static func addWorseClass(_ draft: ComparisonDraft, in result: inout MetricComparison) {
    result.isHeterogeneous = true
    let level = falseDiscoveryRate / Double(max(1, draft.classes.count))
    let sign = result.direction == .higher ? -1.0 : 1
    result.worseClass = result.classes.filter { $0.pValue <= level && $0.value * sign > 0 }
      .max { $0.value * sign < $1.value * sign }
  }

  private static func verdict(_ draft: ComparisonDraft, isReal: Bool) -> MetricComparison {
    var result = draft.result
    guard let difference = draft.difference else {
      result.reason = result.days == 0 ? .missing : .few
      switch draft.shortage {
      case .base: result.reason = .base
      case .head(let more): result.needed = more
      case nil: break
      }
      return result
    }
    let direction: ComparisonVerdict = draft.isWorse(difference) ? .worse : .better
    if isReal, direction == .worse, let age = draft.age, !age.isWorse {
      result.reason = age.isKnown ? .updated : .age
    } else if isReal, difference.value != 0 {
      result.verdict = direction
    } else if difference.lies(within: draft.margin) {
      result.verdict = .noDifferenceShown
      result.tendency = difference.low > 0 || difference.high < 0 ? direction : nil
    } else {
      explain(draft, difference, in: &result)
    }
    return result
  }

  private static func explain(_ draft: ComparisonDraft, _ difference: Difference, in result: inout MetricComparison) {
    guard !isCoarse(difference, draft.margin) else {
      result.reason = .coarse
      return
    }
    let error = (difference.baseVariance + difference.headVariance).squareRoot()
    let placement = difference.placement.below + difference.placement.above
    let reach = error > 0 ? (difference.high - difference.low - placement) / 2 / error : 0
    let margin = min(-draft.margin.lowerBound, draft.margin.upperBound)
    guard reach > 0, let growth = SampleSize.growth(of: difference, margin: margin, reach: reach) else {
      result.reason = .base
      return
    }
    result.reason = .close
    let more = (growth - 1) * Double(result.head.n)
    guard more >= 1 else {
      // The variance would allow a verdict, but one side has too few events.
      if difference.baseVariance > difference.headVariance { result.reason = .base }
      return
    }
    result.needed = more < 9e15 ? Int(more.rounded(.up)) : nil
  }

  /// Whether the width of buckets, rather than the number of events, prevents a verdict: without that width the
  /// interval would lie within the margin or on one side of zero, or the width alone exceeds the margin.
  private static func isCoarse(_ difference: Difference, _ margin: ClosedRange<Double>) -> Bool {
    let placement = difference.placement
    guard placement.below + placement.above > 0 else { return false }
    guard placement.below < .infinity, placement.above < .infinity else { return true }
    let (low, high) = (difference.low + placement.below, difference.high - placement.above)
    return (low >= margin.lowerBound && high <= margin.upperBound) || low > 0 || high < 0
      || placement.below > -margin.lowerBound || placement.above > margin.upperBound
  }
}

extension ComparisonDraft {
  /// Whether a difference is for the worse.
  fileprivate func isWorse(_ difference: Difference) -> Bool {
    (difference.value > 0) != (result.direction == .higher)
  }

  /// The p-value of the difference. User-days with a crash are worse only if they are also more for the same number of
  /// sessions.
  fileprivate var pValue: Double? {
    difference.map { isWorse($0) ? max($0.pValue, pValuePerSession ?? 0) : $0.pValue }
  }
}

/// The comparison of a metric with the base at the same age of the update.
struct AgeComparison: Sendable, Equatable {
  /// The one-sided p-value for a worse head.
  var pValue: Double
  /// The share of the head's use for which the base's numbers at the same age are known, 0 to 1.
  var matchedShare: Double

  /// Whether the base's first days are known well enough.
  var isKnown: Bool { matchedShare >= 0.5 }
  /// Whether the head is also worse than the base was at the same age.
  var isWorse: Bool { isKnown && pValue <= ComparisonJudge.repeatedRate }
}

/// How much attention a compared metric needs, most first. Every list of compared metrics has this order.
public enum ComparisonSeverity: String, Sendable, CaseIterable {
  /// Worse, possibly by more than the margin.
  case worse
  /// Worse by less than the margin.
  case slightlyWorse = "slightly_worse"
  /// No difference shown or not enough data, but the whole interval lies on the worse side; or worse on one device
  /// class.
  case maybeWorse = "maybe_worse"
  case noDifference = "no_difference"
  case better
  case notEnoughData = "not_enough_data"

  /// The metrics by severity, then by `deterioration`, worst first. Metrics that are equal in both keep their order.
  static func sorted(_ metrics: [MetricComparison]) -> [MetricComparison] {
    let ranks = metrics.map { (allCases.firstIndex(of: $0.severity) ?? 0, -($0.deterioration?.value ?? 0)) }
    return metrics.indices.sorted { (ranks[$0].0, ranks[$0].1, $0) < (ranks[$1].0, ranks[$1].1, $1) }
      .map { metrics[$0] }
  }
}

extension MetricComparison {
  public var severity: ComparisonSeverity {
    switch verdict {
    case .worse: return isSmall ? .slightlyWorse : .worse
    case .better: return worseClass == nil ? .better : .maybeWorse
    case .noDifferenceShown: return tendency == .worse || worseClass != nil ? .maybeWorse : .noDifference
    case .notEnoughData: return worseClass != nil || (deterioration?.low ?? 0) > 0 ? .maybeWorse : .notEnoughData
    }
  }

  /// The difference and its interval in units of the margin, positive for worse: 1 is worse by the whole margin. Nil
  /// without a difference or a margin.
  package var deterioration: (value: Double, low: Double, high: Double)? {
    guard let difference, margin > 0 else { return nil }
    func margins(_ value: Double) -> Double { (direction == .higher ? -value : value) / margin }
    let ends = [margins(difference.low), margins(difference.high)].sorted()
    return (margins(difference.value), ends[0], ends[1])
  }

  /// Whether the difference over all devices, which depends on the mix of devices, disagrees with the difference within
  /// device classes and days: it has the opposite sign, or lies on the other side of the margin.
  var isMixed: Bool {
    guard let difference, let rawDifference, margin > 0 else { return false }
    let (own, raw) = (difference.value / margin, rawDifference / margin)
    guard max(own.magnitude, raw.magnitude) >= Self.leastMixed else { return false }
    if own * raw < 0 { return true }
    switch verdict {
    case .noDifferenceShown: return raw.magnitude > 1
    case .better, .worse: return !isSmall && raw.magnitude < 1 && own.magnitude > 1
    case .notEnoughData: return false
    }
  }

  /// The smallest difference whose sign counts, in units of the margin. The signs of smaller differences are chance.
  private static let leastMixed = 0.1
}

/// A device class whose share of a metric's values differs between two releases.
struct MixShift: Sendable, Equatable {
  /// The name of the device class, such as `iPhone 15`.
  var name: String
  /// Its share of the older release's values, 0 to 1.
  var base: Double
  /// Its share of the newer release's values.
  var head: Double

  init(name: String, base: Double, head: Double) {
    self.name = name
    self.base = base
    self.head = head
  }

  /// The class whose shares differ most; nil if none differs by at least 5 points.
  init?(_ pair: SeriesPair) {
    let (ours, theirs) = (Self.shares(pair.base), Self.shares(pair.head))
    let shifts = Set(ours.keys).union(theirs.keys).sorted().map {
      MixShift(name: $0, base: ours[$0] ?? 0, head: theirs[$0] ?? 0)
    }
    guard let most = shifts.max(by: { $0.size < $1.size }), most.size >= Self.least else { return nil }
    self = most
  }

  private static let least = 0.05
  private var size: Double { (head - base).magnitude }

  private static func shares(_ group: SeriesGroup) -> [String: Double] {
    let weights = group.classes.mapValues { Double($0.first?.weight ?? 0) }
    let sum = weights.values.reduce(0, +)
    return sum > 0 ? weights.mapValues { $0 / sum } : [:]
  }
}
