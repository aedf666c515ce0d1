import Core
package import Storage

/// The verdicts on parts of what is judged: classes of devices, labels, members of a dimension.
extension HealthReader {
  /// Adds the verdicts on each class of devices and on each label to what is broken or warns. Reads the store once for
  /// each of the two.
  func withParts(_ found: [JudgedBudget], _ scope: Scope) throws -> [JudgedBudget] {
    let divided = found.map { judged -> Budget? in
      guard judged.result.verdict == .broken || judged.result.verdict == .warning,
        judged.result.window == scope.window, judged.result.slice == scope.slice
      else { return nil }
      return budgets.first { $0.text == judged.result.budget && !$0.isNarrow }
    }
    let isOfOneClass = scope.slice.deviceClass != nil || scope.slice.device != nil
    let names = Set(divided.compactMap { $0 }.flatMap { Measure.storedNames(of: $0.metric) })
    let classes =
      names.isEmpty || isOfOneClass ? [] : try membersIfKept(scope, metrics: names.sorted(), .deviceClass)
    let labelled = names.filter { Catalogue.metric(named: $0)?.labelledBy != nil }
    let labels =
      labelled.isEmpty || scope.slice.label != nil
      ? [] : try Kept { try series(scope, metrics: labelled.sorted(), byLabel: true) }.whole ?? []
    return zip(found, divided).map { judged, budget in
      guard let budget else { return judged }
      var judged = judged
      judged.classes = verdicts(budget, classes, .deviceClass, scope)
      judged.labels = Array(verdicts(budget, byLabel: labels, scope).prefix(JudgedBudget.mostLabels))
      return judged
    }
  }

  /// The series of each member of a dimension; empty if such rows of the window are not kept any more.
  package func membersIfKept(_ scope: Scope, metrics: [String], _ dimension: Dimension) throws -> [Series] {
    try Kept { try series(scope, metrics: metrics, dimension: dimension) }.whole ?? []
  }

  /// The verdicts on a budget for each member of a dimension, the worst first.
  package func verdicts(_ budget: Budget, _ series: [Series], _ dimension: Dimension, _ scope: Scope) -> [SliceVerdict]
  {
    verdicts(budget, Dictionary(grouping: series, by: \.member), dimension.rawValue, scope) {
      $0.set(dimension, $1, attribute: scope.attribute)
    }
  }

  private func verdicts(_ budget: Budget, byLabel series: [Series], _ scope: Scope) -> [SliceVerdict] {
    verdicts(budget, Dictionary(grouping: series, by: \.label), "label", scope) { $0.label = $1 }
  }

  private func verdicts(
    _ budget: Budget, _ parts: [String: [Series]], _ dimension: String, _ scope: Scope,
    narrow: (inout Slice, String) -> Void
  ) -> [SliceVerdict] {
    let stored = Set(Measure.storedNames(of: budget.metric))
    return parts.compactMap { key, all -> SliceVerdict? in
      let series = all.filter { stored.contains($0.metric.name) }
      let unit = series.first { $0.metric.name == budget.metric }?.metric.unit
      let converted = unit.flatMap { budget.converted(to: $0) } ?? budget
      var slice = scope.slice
      narrow(&slice, key)
      let result = Judge(budget: converted).result(
        Measure.named(budget.metric, in: series)?.measure, on: scope, slice: slice)
      return result.n > 0 ? SliceVerdict(dimension: dimension, key: key, result: result) : nil
    }.sorted { Self.isWorse($0, $1) }
  }

  private static func isWorse(_ left: SliceVerdict, _ right: SliceVerdict) -> Bool {
    let orders = (left.result.verdict.order, right.result.verdict.order)
    if orders.0 != orders.1 { return orders.0 < orders.1 }
    let values = (left.result.value ?? 0, right.result.value ?? 0)
    if values.0 != values.1 { return (values.0 > values.1) == (left.result.direction == .lower) }
    return left.key < right.key
  }
}
