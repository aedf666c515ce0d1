import Core
import Statistics
import Storage

extension HealthReader {
  /// The most labels of one metric, and of all metrics, that are compared.
  private static let mostLabels = (ofMetric: 60, inAll: 400)

  /// Compares the labels of labelled metrics: which screen got slower, which host. They are judged among each other, so
  /// that about 5 % at most of those called better or worse are so by chance.
  func addLabels(to comparison: inout ReleaseComparison, _ scope: Scope) throws {
    func side(_ slice: Slice, _ window: Window) throws -> LabelledSeries {
      // Cells are read once, for classes and for all devices together: users, who can be of two classes, have no labels.
      var whole = SeriesSet(isWhole: true)
      let classes = try set(
        scope.with(window: window, slice: slice), dimension: .deviceClass, byLabel: true, leavesOutTotals: true
      ) { row in
        whole.add(row)
        return true
      }
      return LabelledSeries(whole: whole, classes: classes)
    }
    let (base, head) = comparison.slices
    let kept = try Kept { try Self.kept(comparison.window) { (try side(base, $0), try side(head, $0)) } }
    guard let (window, (ours, theirs)) = kept.whole else { return }
    let (labels, leftOut) = Self.mostUsed(ours.weights.merging(theirs.weights) { $0.addingSaturated($1) })
    let drafts = labels.flatMap { label -> [ComparisonDraft] in
      let pair = ReleaseSeriesPair(base: ours.side(label), head: theirs.side(label))
      return pair.metrics.compactMap { metric in
        guard var draft = draft(metric, pair, in: comparison.environment) else { return nil }
        draft.result.label = label.name
        return draft
      }
    }
    comparison.labels = ComparisonSeverity.sorted(ComparisonJudge.settle(drafts))
    comparison.labelWindow = drafts.isEmpty ? nil : window
    comparison.leftOutLabels = leftOut
  }

  private static func mostUsed(_ weights: [LabelledSeries.Label: Int64]) -> ([LabelledSeries.Label], leftOut: Int) {
    let sorted = weights.sorted { ($1.value, $0.key.metric, $0.key.name) < ($0.value, $1.key.metric, $1.key.name) }
    var counts: [String: Int] = [:]
    let own = sorted.filter { label, _ in
      counts[label.metric, default: 0] += 1
      return counts[label.metric, default: 0] <= mostLabels.ofMetric
    }
    let most = own.prefix(mostLabels.inAll)
    return (most.map(\.key), weights.count - most.count)
  }
}

/// The series of one release by metric and label.
private struct LabelledSeries {
  struct Label: Hashable {
    let metric: String
    let name: String
  }

  private let whole: [Label: [Series]]
  private let classes: [Label: [Series]]

  init(whole: SeriesSet, classes: SeriesSet) {
    func byLabel(_ set: SeriesSet) -> [Label: [Series]] {
      Dictionary(grouping: set.series.lazy.filter { !$0.label.isEmpty }) {
        Label(metric: $0.metric.name, name: $0.label)
      }
    }
    self.whole = byLabel(whole)
    self.classes = byLabel(classes)
  }

  var weights: [Label: Int64] { whole.mapValues { $0.map(\.weight).max() ?? 0 } }

  func side(_ label: Label) -> ReleaseSeriesPair.Side {
    ReleaseSeriesPair.Side(whole: whole[label] ?? [], classes: classes[label] ?? [])
  }
}
