import Budgets
import Storage

extension HealthReader {
  /// The series a budget is judged on. Rows of all devices and systems it means are merged, which is exact.
  func series(of budget: Budget, _ scope: Scope) throws -> [Series] {
    let names = storedNames(of: budget.metric)
    let matching = budget.matching(in: scope.slice)
    let found: [MetricRow]
    switch (matching.devices, matching.systems) {
    case (false, false): found = try rows(scope, metrics: names)
    case (true, false): found = try deviceRows(budget, scope, names)
    case (false, true): found = try systemRows(budget, scope, names)
    case (true, true):
      // No dimension holds both: a question per model that is meant.
      let models = Set(try deviceRows(budget, scope, names).map(\.member))
      found = try models.sorted().flatMap { model -> [MetricRow] in
        var slice = scope.slice
        slice.device = model
        return try systemRows(budget, scope.with(slice: slice), names)
      }
    }
    return SeriesSet(found, isWhole: true).chosen
  }

  private func deviceRows(_ budget: Budget, _ scope: Scope, _ names: [String]) throws -> [MetricRow] {
    try rows(scope, metrics: names, dimension: .device).filter { budget.device?.matches(model: $0.member) ?? true }
  }

  private func systemRows(_ budget: Budget, _ scope: Scope, _ names: [String]) throws -> [MetricRow] {
    try rows(scope, metrics: names, dimension: .os).filter { budget.includes(system: $0.member) }
  }
}
