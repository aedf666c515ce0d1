public import Core
public import Storage

extension HealthReader {
  /// Reads the input of the alert rules. `watching`: titles of releases that are evaluated however old they are.
  public func alertRuleInput(_ app: App, watching: Set<String> = [], now: Timestamp) throws -> AlertRuleInput {
    var reader = self
    reader.testsIncidents = true
    return try reader.input(try scope(of: app, .init(), now: now), app, watching)
  }

  /// The freshness part of `alertRuleInput`, which changes with time even without new data.
  func freshness(_ app: App, now: Timestamp) throws -> PayloadFreshness {
    try freshness(try scope(of: app, .init(), now: now))
  }

  /// The sequence number in the journal up to which payloads are included in the numbers.
  func digestedThrough(_ app: App) throws -> Int64 { try store.inventory(of: app.id).digestedThrough }

  /// The texts of all budgets that apply.
  var budgetTexts: [String] { budgets.map(\.text) }

  private func input(_ scope: Scope, _ app: App, _ watching: Set<String>) throws -> AlertRuleInput {
    let series = try series(scope)
    let releases = try withArrivals(try releases(scope), scope)
    let judged = judgedReleases(releases)
    let names = Set(judged.map(\.release.title))
    let watched = releases.filter { watching.contains($0.release.title) && !names.contains($0.release.title) }
    var input = AlertRuleInput(app: app.bundleID, slice: scope.slice)
    input.results = try results(scope, series: series) + judged.flatMap { try releaseResults(of: $0, scope) }
    input.watched = try watched.flatMap { try releaseResults(of: $0, scope) }
    input.burns = try burns(scope, judged + watched)
    input.comparisons = try (judged + watched).compactMap { try comparison(of: $0, releases, app, scope) }
    input.releases = releases
    input.budgets = budgetTexts
    input.freshness = try freshness(scope)
    input.digestedThrough = scope.inventory.digestedThrough
    return input
  }

  /// Adds the use by arrivals to the releases that may succeed another or be succeeded: the rest is not in use.
  private func withArrivals(_ releases: [ReleaseReport], _ scope: Scope) throws -> [ReleaseReport] {
    let used = releases.filter { $0.release.isNamed && ($0.adoption ?? 0) >= ReleaseReport.leastUse }
    let arrivals = try arrivalUse(of: used.map(\.release.title), scope)
    return releases.map { report in
      var report = report
      report.arrivals = arrivals[report.release.title]
      return report
    }
  }

  private func burns(_ scope: Scope, _ releases: [ReleaseReport]) throws -> [BurnCheck] {
    let slices = [scope.slice] + releases.map { Self.slice(scope.slice, of: $0) }
    return try slices.map { BurnCheck(slice: $0, report: try burnRates(scope.with(slice: $0))) }
  }

  private static func slice(_ slice: Slice, of release: ReleaseReport) -> Slice {
    var own = slice
    own.release = release.release.title
    return own
  }

  /// The comparison of a release with the newest older one that was ever adopted; nil if there is none, or they have no
  /// common day.
  private func comparison(
    of head: ReleaseReport, _ releases: [ReleaseReport], _ app: App, _ scope: Scope
  ) throws -> ReleaseComparison? {
    guard let index = releases.firstIndex(where: { $0.release == head.release }) else { return nil }
    let base = releases[(index + 1)...].first { other in
      other.release.version.utf8.first != UInt8(ascii: "(") && (other.stage == .adopted || other.stage == .replaced)
    }
    guard let base else { return nil }
    do {
      return try compare(
        app, base: base.release.title, head: head.release.title,
        ReportQuery(environment: scope.slice.environment), now: scope.now)
    } catch is ImpossibleComparison {
      return nil
    }
  }
}

extension HealthReader {
  /// When a metric broke its budget on a slice, by the data: midnight of the first day of the time since which it did;
  /// nil if no day has data, or no budget is about the metric.
  ///
  /// - Parameters:
  ///   - text: the budget as it is written; nil for the first one on the metric.
  ///   - isWarning: whether the warning level is meant, not the limit.
  ///   - slice: as in the budget's result, which adds its own conditions to environment and release.
  func onset(
    of metric: String, budget text: String?, isWarning: Bool = false, on slice: Slice, _ app: App, now: Timestamp
  ) throws -> Timestamp? {
    guard let budget = budgets.first(where: { text.map { [own = $0.text] in own == $0 } ?? ($0.metric == metric) })
    else { return nil }
    let whole = try scope(of: app, .init(), now: now)
    var part = whole.slice
    part.environment = slice.environment
    part.release = slice.release
    let own = whole.with(slice: part).narrowed(by: budget)
    let found = try series(of: budget, own)
    guard let stored = found.first(where: { $0.metric.name == metric }) ?? found.first else { return nil }
    let converted = stored.metric.name == metric ? budget.converted(to: stored.metric.unit) ?? budget : budget
    let limit = isWarning ? converted.warnTarget ?? converted.target : converted.target
    let points = Trend.points(own.window.steps(of: 1), found, metric, budget.statistic)
    let excess = points.map { point -> Double in
      guard let value = point.estimate.value else { return 0 }
      let beyond = budget.comparison == .atMost ? value - limit : limit - value
      return beyond * Double(point.n)
    }
    return Onset.start(of: excess).map { points[$0].day.startUTC }
  }
}

/// Finds when something began to be too much.
enum Onset {
  /// The index from which the excess up to the end adds up to the most: the estimate of a change point by cumulative
  /// sums (Page 1954, "Continuous inspection schemes"). Single good days after the beginning do not move it, nor do
  /// single bad ones before. Nil if nothing at the end is in excess.
  static func start(of excess: [Double]) -> Int? {
    var (sum, most): (Double, Double) = (0, 0)
    var start: Int?
    for index in excess.indices.reversed() {
      sum += excess[index]
      if sum > most { (most, start) = (sum, index) }
    }
    return start
  }
}
