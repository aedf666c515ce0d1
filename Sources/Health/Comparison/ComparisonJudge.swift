import Statistics
import Telemetry

/// Decides the verdicts on all metrics of a comparison together, because one of twenty metrics differs by chance.
enum ComparisonJudge {
  /// The largest expected share of false positives among the differences that are called real.
  static let falseDiscoveryRate = 0.05

  static func settle(_ drafts: [ComparisonDraft]) -> [MetricComparison] {
    let pValues = drafts.map { $0.hasEvents ? $0.difference?.pValue : nil }
    let strict = zip(pValues, drafts).map { pValue, draft in pValue.map { max($0, draft.conditionalPValue ?? 0) } }
    let certain = FalseDiscovery.rejected(strict, rate: 1 - IncidentTest.confidence)
    return zip(zip(drafts, FalseDiscovery.rejected(pValues, rate: falseDiscoveryRate)).map(verdict), certain).map {
      var (result, isCertain) = $0
      result.isCertain = isCertain && result.verdict == .worse
      return result
    }
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
    if isReal, difference.value != 0 {
      result.verdict = (difference.value > 0) == (result.direction == .higher) ? .better : .worse
    } else if difference.lies(within: draft.margin) {
      result.verdict = .noDifferenceShown
    } else {
      explain(draft, difference, in: &result)
    }
    return result
  }

  private static func explain(_ draft: ComparisonDraft, _ difference: Difference, in result: inout MetricComparison) {
    let error = (difference.baseVariance + difference.headVariance).squareRoot()
    let reach = error > 0 ? (difference.high - difference.low) / 2 / error : 0
    let margin = min(-draft.margin.lowerBound, draft.margin.upperBound)
    guard reach > 0, let growth = SampleSize.growth(of: difference, margin: margin, reach: reach) else {
      result.reason = .base
      return
    }
    result.reason = .close
    let more = (growth - 1) * Double(result.head.n)
    guard more >= 1 else {
      // The variance alone would allow a verdict; the few events of one side prevent it.
      if difference.baseVariance > difference.headVariance { result.reason = .base }
      return
    }
    result.needed = more < 9e15 ? Int(more.rounded(.up)) : nil
  }
}
