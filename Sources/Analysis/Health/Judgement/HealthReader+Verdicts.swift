public import Core
public import Storage

extension HealthReader {
  /// The results that `plumb check` reports: first the judgement's results, then the results of per-release budgets.
  public func check(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> [BudgetResult] {
    let scope = try scope(of: app, query, now: now)
    let judgement = try judgement(scope, query, releases: try releases(scope))
    guard judgement.release != nil else { return judgement.results }
    let naming = with(budgets: budgets.filter(\.isPerRelease))
    return judgement.results + (try naming.results(scope, series: []))
  }

  /// The results of all budgets on one scope. Default budgets whose metric has no data are left out.
  package func results(_ scope: Scope, series: [Series]) throws -> [BudgetResult] {
    try budgets.flatMap { budget -> [BudgetResult] in
      let found = budget.isPerRelease ? try perRelease(budget, scope) : [try result(of: budget, scope, series)]
      return found.filter { $0.n > 0 || !budget.isDefault }
    }.map(\.unlessSimulated)
  }

  /// The results for the two newest releases with at least 5 % adoption, each over its lifetime.
  package func releaseResults(_ scope: Scope, releases: [ReleaseReport]) throws -> [BudgetResult] {
    try judgedReleases(releases).flatMap { try releaseResults(of: $0, scope) }
  }

  /// The two newest releases with at least 5 % adoption.
  func judgedReleases(_ releases: [ReleaseReport]) -> [ReleaseReport] {
    Array(releases.filter(JudgementSubject.isJudged).prefix(2))
  }

  func releaseResults(of release: ReleaseReport, _ scope: Scope) throws -> [BudgetResult] {
    try with(budgets: budgets.filter { !$0.isPerRelease }).lifeResults(of: release, scope)
  }

  private func result(of budget: Budget, _ scope: Scope, _ series: [Series]) throws -> BudgetResult {
    let own = scope.narrowed(by: budget)
    let isRead = own.window == scope.window && own.slice == scope.slice && budget.matching(in: own.slice) == .all
    return isRead ? judge(budget, own, series) : try judgeKept(budget, own)
  }

  /// Evaluates a budget on the window, or on the part for which rows of this combination of filters are still stored.
  /// Otherwise a budget on one device would make verdicts on a release older than 35 days impossible.
  func judgeKept(_ budget: Budget, _ scope: Scope) throws -> BudgetResult {
    switch try KeptWindow({ try series(of: budget, scope) }) {
    case .whole(let series): return judge(budget, scope, series)
    case .from(let oldest):
      guard oldest <= scope.window.to else { throw StoreError.windowTooOld(oldest: oldest) }
      let kept = scope.with(window: Window(from: oldest, to: scope.window.to))
      return judge(budget, kept, try series(of: budget, kept))
    }
  }

  private func judge(_ budget: Budget, _ scope: Scope, _ series: [Series]) -> BudgetResult {
    let found = series.first { $0.metric.name == budget.metric }
    // A custom metric has the unit that its client sends; the budget may use another unit for the same quantity.
    let own = found.flatMap { budget.converted(to: $0.metric.unit) } ?? budget
    let measure = Measure.named(budget.metric, in: series)?.measure
    var result = Judge(budget: own).result(measure, on: scope, slice: budget.named(in: scope.slice))
    guard budget.hasLimit else { return result }
    if result.n == 0, budget.isNarrow || budget.environment != nil {
      result.reason = .unmatched
      result.reasonText = uncounted(budget, in: series)
    }
    if testsIncidents, let measure, measure.n > 0 {
      result.incidentTests = Judge(budget: own).incidentTests(measure, in: series)
    }
    return result
  }
}

extension BudgetResult {
  /// The result without a verdict if it is about payloads that Xcode simulated, which prove nothing about an app.
  var unlessSimulated: BudgetResult {
    guard slice.environment == Scope.simulated else { return self }
    var shown = self
    (shown.verdict, shown.reason, shown.reasonText) = (.notEnoughData, nil, "Simulated payloads are not judged.")
    (shown.bound, shown.needed, shown.incidentTests) = (nil, nil, nil)
    return shown
  }
}

extension HealthReader {
  /// Why a value is missing although there are sessions; nil if it is not missing or if there is another reason.
  private func uncounted(_ budget: Budget, in series: [Series]) -> String? {
    guard budget.metric == "users.crash_free", let sessions = Measure.named("sessions.crash_free", in: series)?.measure,
      sessions.n > 0
    else { return nil }
    return "Users are not counted for combined conditions; use users.crash_free_daily."
  }
}

extension HealthReader {
  /// The results of a budget for each release that it applies to, newest first; one result without data if there is
  /// none.
  func perRelease(_ budget: Budget, _ scope: Scope) throws -> [BudgetResult] {
    var slice = scope.slice
    if let environment = budget.environment { slice.environment = environment }
    let window = budget.days.map { Window(days: $0, endingOn: scope.window.to) }
    let own = scope.with(window: window, slice: slice)
    let found = try named(by: budget, releases(own)).filter { slice.release.map($0.release.isCalled) ?? true }
    guard !found.isEmpty else {
      var nothing = Judge(budget: budget).result(nil, on: own, slice: budget.named(in: own.narrowed(by: budget).slice))
      guard budget.hasLimit else { return [nothing] }
      nothing.reason = .unmatched
      nothing.reasonText = Self.noRelease(budget, slice.release)
      return [nothing]
    }
    // For a single release, remove the conditions on releases.
    var plain = budget
    plain.lastReleases = nil
    plain.adoptionAbove = nil
    let reader = with(budgets: [plain])
    return try found.flatMap { try reader.lifeResults(of: $0, own) }
  }

  private static func noRelease(_ budget: Budget, _ page: String?) -> String {
    if let page { return "The budget does not apply to release \(page)." }
    let lacking = budget.adoptionAbove == nil ? "data in this window" : budget.adoptionText
    return "No release has \(lacking)."
  }

  /// The newest releases with enough adoption. Builds that hardly anyone installed do not count.
  private func named(by budget: Budget, _ releases: [ReleaseReport]) -> [ReleaseReport] {
    let candidates = releases.filter { known in
      known.release.version.utf8.first != UInt8(ascii: "(")
        && (budget.adoptionAbove.map { (known.adoption ?? 0) > $0 } ?? true)
    }
    return Array(candidates.prefix(budget.lastReleases ?? candidates.count))
  }

  /// The results of all budgets for one release over its lifetime.
  package func lifeResults(of found: ReleaseReport, _ scope: Scope) throws -> [BudgetResult] {
    try whileKept(scope.lifetime(of: found, from: nil)) { own in
      try settle(try results(own, series: try series(own, metrics: budgetedMetrics)), own)
    }
  }

  /// The stored metrics that the budgets need.
  var budgetedMetrics: [String] { Array(Set(budgets.flatMap { storedNames(of: $0.metric) })) }

  /// The stored metrics that a verdict needs; incident tests also need the affected users.
  func storedNames(of metric: String) -> [String] {
    let names = Measure.storedNames(of: metric)
    return testsIncidents && names.contains("sessions") ? names + ["users"] : names
  }

  /// Confirms "within budget" results of a release without the sessions of the last two days, because a crash is
  /// reported only by the next launch.
  package func settle(_ results: [BudgetResult], _ scope: Scope) throws -> [BudgetResult] {
    let settled = scope.localNow.day() - 2
    let isYoung = { (result: BudgetResult) in
      result.verdict == .within && result.window.to > settled
        && (result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users."))
    }
    return try results.map { result in
      guard isYoung(result) else { return result }
      let old = try judged(result, through: settled, scope)
      if let old, old.n > 0 { return old.verdict == .within ? result : old }
      var young = result
      young.verdict = .notEnoughData
      young.reason = .few
      if old == nil { young.reasonText = Self.tooShort }
      return young
    }
  }

  private static let tooShort =
    "Crashes are reported by the next launch, so a budget can be confirmed only over three or more days."

  /// The result of the same budget on the same days up to `last`; nil if no days are left.
  private func judged(_ result: BudgetResult, through last: CalendarDay, _ scope: Scope) throws -> BudgetResult? {
    guard result.window.from <= last, var budget = budgets.first(where: { $0.text == result.budget }) else {
      return nil
    }
    // Otherwise a window with a fixed number of days that ends earlier would also begin earlier.
    budget.days = nil
    let own = scope.with(window: Window(from: result.window.from, to: last))
    return try judgeKept(budget, own.narrowed(by: budget))
  }
}

extension HealthReader {
  /// The series that a budget is evaluated on. Rows of all matching devices and OS versions are merged exactly.
  func series(of budget: Budget, _ scope: Scope) throws -> [Series] {
    let names = storedNames(of: budget.metric)
    let matching = budget.matching(in: scope.slice)
    switch (matching.devices, matching.systems) {
    case (false, false): return try series(scope, metrics: names)
    case (true, false):
      let models = Picked { budget.device?.matches(model: $0) ?? true }
      return try set(scope, metrics: names, dimension: .device, isWhole: true) { models.holds($0.member) }.chosen
    case (false, true):
      let systems = Picked { budget.includes(system: $0) }
      return try set(scope, metrics: names, dimension: .os, isWhole: true) { systems.holds($0.member) }.chosen
    case (true, true):
      // No dimension combines device and OS version, so run one query for each matching model.
      let models = Set(try rows(scope, metrics: names, dimension: .device).map(\.member))
        .filter { budget.device?.matches(model: $0) ?? true }
      let found = try models.sorted().flatMap { model -> [MetricRow] in
        var slice = scope.slice
        slice.device = model
        return try rows(scope.with(slice: slice), metrics: names, dimension: .os)
          .filter { budget.includes(system: $0.member) }
      }
      return SeriesSet(found, isWhole: true).chosen
    }
  }

  /// The members that a budget applies to. Each member is matched once, no matter how many rows it has.
  private final class Picked {
    private let isMeant: (String) -> Bool
    private var known: [String: Bool] = [:]

    init(_ isMeant: @escaping (String) -> Bool) { self.isMeant = isMeant }

    func holds(_ member: String) -> Bool {
      if let known = known[member] { return known }
      let isMeant = isMeant(member)
      known[member] = isMeant
      return isMeant
    }
  }
}
