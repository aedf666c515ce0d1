import Core
import Statistics

/// Decides the verdicts on all metrics of a comparison together, because one in twenty metrics differs by chance.
enum ComparisonJudge {
  /// The maximum expected share of false positives among the reported differences.
  static let falseDiscoveryRate = 0.05
  /// The rate while a release is rolled out. Seven looks at this level, at equal distances, are wrong as often as one look
  /// at 5 %. S. Pocock, "Group sequential methods in the design and analysis of clinical trials" (1977).
  static let repeatedRate = 0.013
  /// The same for metrics whose device classes are reported to differ. It is lower, because a few crash-prone users can
  /// all be in one class.
  private static let classDiscoveryRate = 0.01

  /// `isRampingUp`: whether the head is being rolled out, so that it will be compared repeatedly.
  static func settle(_ drafts: [ComparisonDraft], isRampingUp: Bool = false) -> [MetricComparison] {
    let pValues = drafts.map { $0.hasEvents ? $0.pValue : nil }
    let rate = isRampingUp ? repeatedRate : falseDiscoveryRate
    let strict = zip(pValues, drafts).map { pValue, draft in pValue.map { max($0, draft.conditionalPValue ?? 0) } }
    let certain = FalseDiscovery.rejected(strict, rate: 1 - IncidentSignificanceTest.confidence)
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
