package import Budgets
package import Storage
import Telemetry

extension HealthReader {
  /// The budgets that are broken or warn on the app as a whole or on its newest releases, the worst first.
  func breakages(
    _ scope: Scope, _ report: HealthReport, _ releaseResults: [BudgetResult], _ series: [Series]
  ) throws -> [Breakage] {
    let bad = (report.budgets + releaseResults).filter { $0.verdict == .broken || $0.verdict == .warning }
    var found: [Breakage] = []
    for text in Self.unique(bad.map(\.budget)) {
      let own = bad.filter { $0.budget == text }
      // The newest release matters more than the whole app: it is the one that people use from now on.
      guard let worst = own.min(by: { Self.severity($0) < Self.severity($1) }) else { continue }
      found.append(breakage(worst, own, report) { since(worst, scope, series) })
    }
    found.sort { ($0.result.verdict.order, $0.title) < ($1.result.verdict.order, $1.title) }
    return try withClasses(found, scope)
  }

  private static func severity(_ result: BudgetResult) -> (Int, Int) {
    (result.verdict.order, result.slice.release == nil ? 1 : 0)
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  private func breakage(
    _ worst: BudgetResult, _ own: [BudgetResult], _ report: HealthReport, beyond: () -> CalendarDay?
  ) -> Breakage {
    let metric = Catalogue.metric(named: worst.metric)
    let releases = own.filter { $0.verdict == worst.verdict }.compactMap(\.slice.release)
    let first = report.releases.last { releases.contains($0.release.title) }?.firstSeen
    return Breakage(
      title: metric?.title ?? worst.metric, result: worst, releases: releases,
      since: first ?? (report.budgets.contains { $0.budget == worst.budget } ? beyond() : nil), advice: metric?.advice,
      guide: metric?.guide)
  }

  /// The first day on which the budget was exceeded; always to the day, even if the trends of a long window have longer
  /// steps.
  private func since(_ result: BudgetResult, _ scope: Scope, _ series: [Series]) -> CalendarDay? {
    let statistic = budgets.first { $0.text == result.budget }?.statistic ?? .value
    return Self.beyond(result, Trend.points(scope.window.steps(of: 1), series, result.metric, statistic))
  }

  /// The first of the consecutive days, up to the newest, on which the value exceeded the budget; nil if the newest did
  /// not.
  static func beyond(_ result: BudgetResult, _ trend: [TrendPoint]) -> CalendarDay? {
    let limit = result.verdict == .warning ? result.warnTarget ?? result.target : result.target
    let known = trend.filter { $0.estimate.value != nil }
    let run = known.reversed().prefix { point in
      guard let value = point.estimate.value else { return false }
      return result.direction == .lower ? value > limit : value < limit
    }
    return run.last?.day
  }

  /// Adds verdicts on each class of devices. Reads the store once for each release and window among the breakages.
  private func withClasses(_ found: [Breakage], _ scope: Scope) throws -> [Breakage] {
    var kept: [Part: [Series]] = [:]
    return try found.map { breakage in
      guard let budget = budgets.first(where: { $0.text == breakage.result.budget }), !budget.isNarrow,
        scope.slice.deviceClass == nil, scope.slice.device == nil
      else { return breakage }
      let part = Part(release: breakage.result.slice.release, window: breakage.result.window)
      let names = found.filter { Part(release: $0.result.slice.release, window: $0.result.window) == part }
        .map(\.result.metric)
      let series = try kept[part] ?? classSeries(part, names, scope)
      kept[part] = series
      var breakage = breakage
      breakage.classes = verdicts(
        budget, series, .deviceClass, scope.with(window: part.window, slice: breakage.result.slice))
      return breakage
    }
  }

  private struct Part: Hashable {
    let release: String?
    let window: Window
  }

  private func classSeries(_ part: Part, _ metrics: [String], _ scope: Scope) throws -> [Series] {
    var slice = scope.slice
    slice.release = part.release
    let names = Set(metrics.flatMap { Measure.storedNames(of: $0) })
    do {
      return try series(
        scope.with(window: part.window, slice: slice), metrics: names.sorted(), dimension: .deviceClass)
    } catch StoreError.windowTooOld {
      return []
    }
  }

  /// The verdicts on a budget for each member of a dimension, the worst first.
  package func verdicts(_ budget: Budget, _ series: [Series], _ dimension: Dimension, _ scope: Scope) -> [SliceVerdict]
  {
    let stored = Set(Measure.storedNames(of: budget.metric))
    let own = Dictionary(grouping: series.filter { stored.contains($0.metric.name) }, by: \.member)
    return own.compactMap { member, series -> SliceVerdict? in
      let unit = series.first { $0.metric.name == budget.metric }?.metric.unit
      let converted = unit.flatMap { budget.converted(to: $0) } ?? budget
      var slice = scope.slice
      slice.set(dimension, member)
      let result = Judge(budget: converted).result(
        Measure.named(budget.metric, in: series)?.measure, on: scope, slice: slice)
      return result.n > 0 ? SliceVerdict(dimension: dimension.rawValue, key: member, result: result) : nil
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

extension Slice {
  /// Restricts one dimension of the slice to `member`.
  mutating func set(_ dimension: Dimension, _ member: String) {
    switch dimension {
    case .release: release = member
    case .os: os = member
    case .device: device = member
    case .deviceClass: deviceClass = member
    }
  }
}
