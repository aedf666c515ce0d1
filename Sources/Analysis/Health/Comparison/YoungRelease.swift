import Core
import Statistics
import Storage

/// A release that is being rolled out, compared with its base at the same age of the update. Phones that have just
/// updated launch more slowly and crash more often, whatever the release.
struct YoungRelease {
  /// The progress of the rollout; nil if it is over, but many phones have updated only lately.
  let rampingUp: RampingUp?
  private let data: RolloutAnalysis

  init?(_ data: RolloutAnalysis, day: Int) {
    self.data = data
    let head = data.freshShares(ofHead: true).byDay
    let base = data.freshShares(ofHead: false).byDay
    let days = head.keys.filter { data.window.from <= $0 && $0 <= data.window.to }.sorted()
    guard !days.isEmpty else { return nil }
    func mean(_ shares: [CalendarDay: Double]) -> Double {
      days.reduce(0) { $0 + (shares[$1] ?? 0) } / Double(days.count)
    }
    let isRampingUp = day <= RampingUp.longest
    rampingUp = isRampingUp ? RampingUp(day: day, fresh: mean(head)) : nil
    if !isRampingUp, mean(head) < mean(base) + Self.least { return nil }
  }

  /// The share of use by new installations from which a release differs from a settled one.
  private static let least = 0.05

  /// The comparison of a metric; nil for one that cannot be counted.
  func comparison(of draft: ComparisonDraft, _ pair: ReleaseSeriesPair) -> AgeComparison? {
    let name = draft.result.name == "users.crash_free_daily" ? "sessions.crash_free" : draft.result.name
    guard
      let metric = pair.metrics.first(where: {
        $0.name == name && ($0.unit == draft.result.unit || $0.name != draft.result.name)
      }),
      let subject = data.subject(metric, draft.rank, pair.series(of: metric))
    else { return nil }
    return AgeComparison(
      pValue: subject.test.sameAgePValue(over: RolloutVital.tolerated), matchedShare: subject.test.matchedShare)
  }
}

extension ComparisonDraft {
  /// The compared percentile; 90 for other statistics.
  fileprivate var rank: Int { result.statistic.flatMap { Int($0.dropFirst()) } ?? 90 }
}

extension HealthReader {
  /// The younger of two compared releases, if it is being rolled out; nil for a settled one, or with filters, for which
  /// earlier days are not kept.
  func youngRelease(
    _ comparison: ReleaseComparison, _ metrics: [ComparedMetric], _ scope: Scope
  ) throws -> YoungRelease? {
    let slice = Slice(environment: comparison.slice.environment)
    guard comparison.slice == slice else { return nil }
    let first = life(of: try builds(of: comparison.head, scope)).from
    let base = life(of: try builds(of: comparison.base, scope)).from
    let window = comparison.window
    let day = window.to.number - first.number + 1
    guard base < first, day <= RolloutReport.longest else { return nil }
    let history = Window(from: max(base, window.from - Retention().ages), to: window.to)
    let own = metrics.flatMap { Measure.storedNames(of: $0.name) }
    let names = Set(own + UsageRow.metrics + UseIntensity.metrics).sorted()
    let data = try rolloutData(
      (base: comparison.base, head: comparison.head), scope.with(slice: slice), metrics: names, history: history,
      window)
    return YoungRelease(data, day: day)
  }
}
