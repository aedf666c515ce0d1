public import Core
public import Storage

extension HealthReader {
  /// The judgement on an app: on the release that the query names, otherwise on the newest release in use.
  public func judgement(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> Judgement {
    let scope = try scope(of: app, query, now: now)
    return try judgement(scope, query, releases: try releases(scope))
  }

  /// The judgement on a scope. While the newest release is not lasting, the previous release is judged instead if its
  /// verdict is worse, so that a burst of fake sessions of a new release cannot end a hold.
  ///
  /// - Parameter releases: the releases with data in the window of `scope`, newest first.
  package func judgement(_ scope: Scope, _ query: ReportQuery, releases: [ReleaseReport]) throws -> Judgement {
    let subject = JudgementSubject(query, scope, releases)
    let newest = try judgement(scope, query, subject)
    guard query.release == nil, newest.verdict != .broken, let release = subject.release else { return newest }
    let names = releases.filter { $0.release == release.release || JudgementSubject.isJudged($0) }.map(\.release.title)
    guard names.count > 1, let use = try arrivalUse(of: [release.release.title], scope)[release.release.title],
      !use.isLasting
    else { return newest }
    let arrivals = try arrivalUse(of: names, scope)
    let lasting = releases.filter { arrivals[$0.release.title]?.isLasting ?? true }
    let earlier = JudgementSubject(query, scope, lasting, waiting: subject.waiting + [release])
    guard earlier.release != nil else { return newest }
    let before = try judgement(scope, query, earlier)
    return before.verdict.order < newest.verdict.order ? before : newest
  }

  private func judgement(_ scope: Scope, _ query: ReportQuery, _ subject: JudgementSubject) throws -> Judgement {
    let judged = try judged(subject.release, query, scope)
    let before = try subject.previous.map { try self.judged($0, query, scope) }
    var judgement = Judgement(
      release: subject.release, previous: subject.previous, window: judged.scope.window, slice: judged.scope.slice,
      waiting: subject.waiting)
    judgement.budgets = try withParts(
      judged.results.map { budget($0, judged, before, subject) }, judged.scope)
    return judgement
  }

  /// The scope of a judgement, and its results.
  private struct Judged {
    let scope: Scope
    /// The days of trends: at least the default window of a page, so that a new release appears after the previous one.
    /// All rows of a release lie in its lifetime, so the additional days need no further rows.
    let days: Window
    let series: [Series]
    let results: [BudgetResult]
  }

  private func judged(_ release: ReleaseReport?, _ query: ReportQuery, _ scope: Scope) throws -> Judged {
    guard let release else {
      let series = try series(scope)
      return Judged(
        scope: scope, days: scope.window, series: series, results: try results(scope, series: series))
    }
    let life = scope.lifetime(of: release, from: query.from)
    let fixed = with(budgets: budgets.filter { !$0.isPerRelease })
    return try whileKept(life) { own in
      let series = try fixed.series(own, metrics: budgetedMetrics)
      return Judged(
        scope: own, days: own.window.widened(unless: query.from != nil), series: series,
        results: try fixed.settle(fixed.results(own, series: series), own))
    }
  }

  /// Reads a scope, or the part of it that is still stored: rows of a release on one OS version or device expire before
  /// those of the release.
  package func whileKept<Result>(_ scope: Scope, _ read: (Scope) throws -> Result) throws -> Result {
    try Self.kept(scope.window) { try read(scope.with(window: $0)) }.1
  }

  private func budget(
    _ result: BudgetResult, _ judged: Judged, _ before: Judged?, _ subject: JudgementSubject
  ) -> JudgedBudget {
    let metric = Catalogue.metric(named: result.metric)
    let own = budgets.first { $0.text == result.budget }
    let statistic = own?.statistic ?? .value
    let steps = judged.scope.steps(in: judged.days)
    var budget = JudgedBudget(
      title: metric?.title ?? result.metric, result: result,
      before: before?.results.first { $0.budget == result.budget }, advice: metric?.advice, guide: metric?.guide)
    // The trend over all devices would contradict the value of a budget on some devices.
    if own?.isNarrow != true {
      budget.trend = Trend.points(steps, judged.series, result.metric, statistic)
      budget.trendBefore = before.map { Trend.points(steps, $0.series, result.metric, statistic) } ?? []
    }
    guard result.verdict == .broken || result.verdict == .warning else { return budget }
    if let release = subject.release {
      let oldest = budget.wasBroken ? subject.previous ?? release : release
      budget.since = oldest.firstSeen
    } else {
      let daily = Trend.points(judged.scope.window.steps(of: 1), judged.series, result.metric, statistic)
      budget.since = Self.beyond(result, daily)
    }
    return budget
  }

  /// The first of the consecutive days, up to the newest, on which the value exceeded the budget; nil if the newest day
  /// did not.
  static func beyond(_ result: BudgetResult, _ trend: [TrendPoint]) -> CalendarDay? {
    guard let limit = result.verdict == .warning ? result.warnTarget ?? result.target : result.target
    else { return nil }
    let known = trend.filter { $0.estimate.value != nil }
    let run = known.reversed().prefix { point in
      guard let value = point.estimate.value else { return false }
      return result.direction == .lower ? value > limit : value < limit
    }
    return run.last?.day
  }
}

extension Slice {
  /// Restricts one dimension of the slice to `member`. `attribute`: the name of the attribute. Of a combination with
  /// values of several attributes, only the first restricts the slice.
  mutating func set(_ dimension: Dimension, _ member: String, attribute name: String?) {
    switch dimension {
    case .release: release = member
    case .os: os = member
    case .device: device = member
    case .deviceClass: deviceClass = member
    case .attribute: attribute = name.map { AttributeFilter(name: $0, value: member) }
    case .combination:
      guard let names = CombinedMember(member) else { return }
      (os, device) = (names.os, names.device)
      attribute = names.attributes.first.map { AttributeFilter(name: $0.name, value: $0.value) }
    }
  }
}

/// The verdicts on parts of a judged scope: device classes, labels, members of a dimension.
extension HealthReader {
  /// Adds the verdicts for each device class and each label to broken budgets and warnings. Reads the store once for
  /// device classes and once for labels.
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
      ? [] : try KeptWindow { try series(scope, metrics: labelled.sorted(), byLabel: true) }.whole ?? []
    return zip(found, divided).map { judged, budget in
      guard let budget else { return judged }
      var judged = judged
      judged.classes = verdicts(budget, classes, .deviceClass, scope)
      judged.labels = Array(verdicts(budget, byLabel: labels, scope).prefix(JudgedBudget.mostLabels))
      return judged
    }
  }

  /// The series of each member of a dimension; empty if such rows of the window have expired.
  package func membersIfKept(_ scope: Scope, metrics: [String], _ dimension: Dimension) throws -> [Series] {
    try KeptWindow { try series(scope, metrics: metrics, dimension: dimension) }.whole ?? []
  }

  /// The verdicts on a budget for each member of a dimension, worst first.
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
