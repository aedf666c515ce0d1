public import Core
import Statistics
public import Storage

/// The input of all alert rules for one app, read from one snapshot of the store.
public struct AlertRuleInput: Sendable {
  /// The app's bundle identifier.
  var app: String
  /// The slice that was read, including its environment.
  var slice: Slice
  /// The results of the app as a whole, then of its newest releases. Each has `incidentTests` unless it has no data.
  var results: [BudgetResult] = []
  /// The results of older releases that have open incidents.
  var watched: [BudgetResult] = []
  /// Burn rates of the app, then of its releases.
  var burns: [BurnCheck] = []
  /// Comparisons of each release with the adopted release before it.
  var comparisons: [ReleaseComparison] = []
  /// The judgement on the rollout of each young release.
  var rollouts: [RolloutReport] = []
  /// Groups of crashes and hangs in the newest releases; nil if groups were not read.
  var watchedGroups: [GroupRuleInput]?
  /// The releases with data, newest first.
  var releases: [ReleaseReport] = []
  /// The texts of all budgets that apply.
  var budgets: [String] = []
  var freshness: PayloadFreshness = .init()
  var digestedThrough: Int64 = 0
}

extension AlertRuleInput {
  var groups: [GroupRuleInput] { watchedGroups ?? [] }
  var hasGroups: Bool { watchedGroups != nil }
}

/// The rate at which crashes use up the error budget of one slice.
struct BurnCheck: Sendable {
  var slice: Slice
  var report: BurnReport
}

/// The usual pattern of payload arrivals, used to detect an unusual silence.
struct PayloadFreshness: Sendable, Equatable {
  /// When the last payload about recent days arrived; nil if there is none.
  var last: Timestamp?
  /// The average time between payloads, in minutes.
  var interval: Double?
  /// The longest usual silence, in minutes; nil if too few payloads are known.
  var usualSilence: Int?

  /// Minutes since the last payload.
  func silence(at now: Timestamp) -> Int? { last.map { Int((now.milliseconds - $0.milliseconds) / 60_000) } }

  /// The minimum number of payloads for judging a silence.
  static let fewestPayloads = 20
  static let fewestDays = 7
}

extension HealthReader {
  /// The pattern of the 28 days before the last payload. Simulated payloads and payloads about much older days are
  /// ignored.
  func freshness(_ scope: Scope) throws -> PayloadFreshness {
    let newest = scope.inventory.environments.filter { $0.key != "simulated" }.values.max()
    guard let newest, let received = scope.inventory.lastReceived else { return PayloadFreshness() }
    // A payload about a day may arrive up to two days after it.
    let last = min(received, (newest + 3).startUTC, scope.now)
    let offset = Int((scope.localNow.milliseconds - scope.now.milliseconds) / 1000)
    let end = last.day(utcOffsetSeconds: offset)
    let tallies = try store.tallies(of: scope.app, in: Window(days: 28, endingOn: end))
    return PayloadFreshness(last: last, tallies: tallies.filter { $0.kind == .accepted }, end: end)
  }
}

extension PayloadFreshness {
  /// Creates the pattern. `last`: the time of the last payload; `tallies`: the number of payloads per day; `end`: the
  /// day of the last payload.
  init(last: Timestamp, tallies: [IntakeTally], end: CalendarDay) {
    self.init(last: last)
    let days = Set(tallies.map(\.day.number)).sorted()
    let payloads = tallies.reduce(0) { $0.saturatingAdd($1.count) }
    guard let first = days.first, end.number - first + 1 >= Self.fewestDays, payloads >= Self.fewestPayloads else {
      return
    }
    let span = Double(end.number - first + 1) * 1440
    let interval = span / Double(payloads)
    self.interval = interval
    let runs = zip(days, days.dropFirst()).map { $1 - $0 - 1 }.filter { $0 > 0 }.sorted(by: >)
    // Weekends recur and outages do not, so only recurring silent days are usual. The first two weeks may have only one
    // weekend.
    let isYoung = end.number - first + 1 < 14
    let silentDays = (isYoung ? runs.first : runs.dropFirst().first) ?? 0
    // If payloads arrive at random, only one gap in 22,000 is ten times the average.
    usualSilence = max((silentDays + 1) * 1440, Int(10 * interval))
  }
}

extension HealthReader {
  /// Reads the input of the alert rules. `watching`: titles of releases that are evaluated regardless of their age.
  public func alertRuleInput(_ app: App, watching: Set<String> = [], now: Timestamp) throws -> AlertRuleInput {
    var reader = self
    reader.testsIncidents = true
    return try reader.input(try scope(of: app, .init(), now: now), app, watching)
  }

  /// The freshness part of `alertRuleInput`. It changes with time even without new data.
  func freshness(_ app: App, now: Timestamp) throws -> PayloadFreshness {
    try freshness(try scope(of: app, .init(), now: now))
  }

  /// The watermark: the sequence number in the journal up to which payloads are digested.
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
    input.rollouts = try (judged + watched).compactMap { try rollout(of: $0, releases, app, scope) }
    input.releases = releases
    input.budgets = budgetTexts
    input.freshness = try freshness(scope)
    input.digestedThrough = scope.inventory.digestedThrough
    return input
  }

  /// Adds `arrivals` to the releases in use. Other releases can neither supersede a release nor be superseded.
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

  /// The judgement on a release in its first four weeks; nil for an older one, or without an older release.
  private func rollout(
    of head: ReleaseReport, _ releases: [ReleaseReport], _ app: App, _ scope: Scope
  ) throws -> RolloutReport? {
    guard scope.window.to.number - head.firstSeen.number < RolloutReport.longest,
      let base = adopted(before: head, releases)
    else { return nil }
    do {
      return try rollout(
        app, release: head.release.title, base: base.release.title, ReportQuery(environment: scope.slice.environment),
        now: scope.now)
    } catch is ImpossibleComparison {
      return nil
    }
  }

  /// The newest older release that was ever adopted.
  private func adopted(before head: ReleaseReport, _ releases: [ReleaseReport]) -> ReleaseReport? {
    guard let index = releases.firstIndex(where: { $0.release == head.release }) else { return nil }
    return releases[(index + 1)...].first { other in
      other.release.version.utf8.first != UInt8(ascii: "(") && (other.stage == .adopted || other.stage == .replaced)
    }
  }

  /// The comparison of a release with the newest older release that was ever adopted; nil if there is none or if they
  /// have no common day.
  private func comparison(
    of head: ReleaseReport, _ releases: [ReleaseReport], _ app: App, _ scope: Scope
  ) throws -> ReleaseComparison? {
    guard let base = adopted(before: head, releases) else { return nil }
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
  /// When a metric broke its budget on a slice according to the data: midnight of the first day since which it has been
  /// broken; nil if no day has data or no budget applies to the metric.
  ///
  /// - Parameters:
  ///   - text: the budget as written; nil for the first budget on the metric.
  ///   - isWarning: whether to use the warning level instead of the limit.
  ///   - slice: the slice of the budget's result. Only its environment and release are used; the budget adds its
  ///     conditions.
  func onset(
    of metric: String, budget text: String?, isWarning: Bool = false, on slice: Slice, _ app: App, now: Timestamp
  ) throws -> Timestamp? {
    guard let budget = budgets.first(where: { text.map { [own = $0.text] in own == $0 } ?? ($0.metric == metric) }),
      budget.hasLimit
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
