import Core
import Statistics
import Storage

/// The rate at which crashes use up the error budget of crash-free sessions.
public struct BurnReport: Sendable, Equatable {
  /// The share of sessions that must not crash, 0 to 1; nil without such a budget.
  public var target: Double?
  /// The remaining share of the error budget for the last 28 days: 1 for all, 0 for none, below 0 if overspent. Nil
  /// without a budget.
  public var budgetLeft: Double?
  /// The burn rates of each pair of windows, shortest first.
  public var windows: [BurnWindow]

  public init(
    target: Double? = nil, budgetLeft: Double? = nil, windows: [BurnWindow] = BurnPolicy.all.map { .init($0) }
  ) {
    self.target = target
    self.budgetLeft = budgetLeft
    self.windows = windows
  }
}

/// The burn rates of a long window and of a short window with the same end. A rate of 1 uses up the error budget in 28
/// days.
public struct BurnWindow: Sendable, Equatable {
  public var policy: BurnPolicy
  /// The burn rate of the long window; nil if no session arrived in it.
  public var longRate: Double?
  public var shortRate: Double?
  /// The number of crashed sessions in the long window. Nil if arrivals are not stored: for filters other than
  /// environment and release, and for windows in the past.
  public var crashed: Int?
  /// The number of distinct users of those crashed sessions; nil if no crashed session has a user.
  public var users: Int?
  /// Whether the rates of the long and the short window exceed the policy's factor, with enough crashes and users.
  public var fires: Bool
  /// Whether the alert is statistically certain: the lower 99.9 % bound of the long window's rate also exceeds the
  /// factor if each user counts once.
  var isCertain = false
  /// The number of sessions whose first report arrived in the long window; nil in the same cases as `crashed`.
  var seen: Int?

  public init(
    _ policy: BurnPolicy, longRate: Double? = nil, shortRate: Double? = nil, crashed: Int? = nil, users: Int? = nil,
    fires: Bool = false
  ) {
    self.policy = policy
    self.longRate = longRate
    self.shortRate = shortRate
    self.crashed = crashed
    self.users = users
    self.fires = fires
  }
}

/// A long and a short window, and the burn rate that both must exceed to raise an alert.
///
/// Windows and factors are from Google's "The Site Reliability Workbook" (2018), chapter 5, "Alerting on SLOs",
/// "Multiwindow, Multi-Burn-Rate Alerts": of a 30-day budget, 14.4 uses up 2 % in an hour, 6 uses 5 % in six hours, and
/// 1 uses 10 % in three days. The one-day pair (3 uses 10 %) is customary, such as in Prometheus' alerts for
/// Kubernetes. With a budget for 28 days, each share is larger by a fourteenth.
public struct BurnPolicy: Sendable, Hashable {
  /// The length of the long window, in minutes.
  public var long: Int
  /// The length of the short window, in minutes: a twelfth of the long window. It shows whether crashes continue.
  public var short: Int
  public var factor: Double

  /// All pairs of windows, shortest first.
  public static let all = [
    BurnPolicy(long: 60, short: 5, factor: 14.4), BurnPolicy(long: 360, short: 30, factor: 6),
    BurnPolicy(long: 1440, short: 120, factor: 3), BurnPolicy(long: 4320, short: 360, factor: 1),
  ]

  /// The minimum number of crashes in the long window, so that a single crash at night raises no alert.
  static let fewestCrashes = 10
  static let fewestUsers = 3

  /// The number of days that an error budget covers.
  static let budgetDays = 28

  /// A duration as text: `5m`, `6h`, `3d`.
  public static func name(minutes: Int) -> String {
    if minutes % 1440 == 0 { return "\(minutes / 1440)d" }
    return minutes % 60 == 0 ? "\(minutes / 60)h" : "\(minutes)m"
  }
}

/// The sessions that arrived in a window, in steps of five minutes. Unlike in verdicts, even the latest sessions count:
/// the last step is still running.
struct ArrivalWindow {
  private(set) var seen: Int64 = 0
  private(set) var crashed: Int64 = 0
  private var users = UserUnion()

  init(minutes: Int, before now: Timestamp, in arrivals: [Arrival]) {
    let first = Self.first(minutes: minutes, before: now)
    for arrival in arrivals where arrival.start >= first && arrival.start <= first + minutes {
      seen = seen.saturatingAdd(arrival.seen)
      crashed = crashed.saturatingAdd(arrival.crashed)
      users.add(arrival.users)
    }
  }

  /// The start of the first step, in minutes since 1970, UTC.
  static func first(minutes: Int, before now: Timestamp) -> Int {
    let minute = Int((Double(now.milliseconds) / 60_000).rounded(.down))
    return TimeBin(start: minute, resolution: .fiveMinutes).coarsened(to: .fiveMinutes).start - minutes
  }

  /// The number of distinct users of crashed sessions; nil if no crashed session has a user.
  var crashedUsers: Int? { crashed > 0 && users.estimate == 0 ? nil : users.estimate }

  /// The burn rate: the crash rate divided by the rate that `target` allows. Nil if no session arrived. Crashes of
  /// older sessions may arrive later, so there can be more crashes than sessions; their share is then 1.
  func rate(target: Double) -> Double? {
    guard seen > 0, target < 1 else { return nil }
    return min(1, Double(crashed) / Double(seen)) / (1 - target)
  }
}

extension HealthReader {
  /// The current burn rates, and the remaining error budget for the 28 days that end with the window.
  package func burn(_ scope: Scope, series: [Series]) throws -> BurnReport {
    guard let target = crashFreeTarget(in: scope.slice) else { return BurnReport() }
    var report = try burnRates(scope)
    report.budgetLeft = try budgetLeft(scope, target, series)
    return report
  }

  /// The current burn rates, without the remaining error budget.
  func burnRates(_ scope: Scope) throws -> BurnReport {
    guard let target = crashFreeTarget(in: scope.slice) else { return BurnReport() }
    var report = BurnReport(target: target)
    guard isAboutNow(scope) else { return report }
    let first = ArrivalWindow.first(minutes: BurnPolicy.all.map(\.long).max() ?? 0, before: scope.now)
    let arrivals = try store.arrivals(
      ArrivalQuery(app: scope.app, environment: scope.slice.environment, release: scope.slice.release, from: first))
    report.windows = BurnPolicy.all.map { Self.window($0, target, arrivals, scope.now) }
    return report
  }

  /// The target of the first budget on crash-free sessions that applies to the whole environment.
  private func crashFreeTarget(in slice: Slice) -> Double? {
    budgets.first { budget in
      budget.metric == "sessions.crash_free" && budget.comparison == .atLeast && !budget.isNarrow
        && (budget.environment ?? slice.environment) == slice.environment
    }?.target
  }

  /// Whether burn rates can be computed: the window ends today, and the only filters are environment and release,
  /// because arrivals are stored only by these.
  private func isAboutNow(_ scope: Scope) -> Bool {
    let slice = scope.slice
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.attribute == nil,
      slice.label == nil
    else { return false }
    guard let newest = scope.inventory.environments[slice.environment] else { return false }
    return scope.window.to >= min(newest, scope.localNow.day())
  }

  private func budgetLeft(_ scope: Scope, _ target: Double, _ series: [Series]) throws -> Double? {
    let window = Window(days: BurnPolicy.budgetDays, endingOn: scope.window.to)
    var series = series
    if window != scope.window {
      let kept = try KeptWindow { try self.series(scope.with(window: window), metrics: ["sessions"]) }
      guard let whole = kept.whole else { return nil }
      series = whole
    }
    guard let (tally, _) = Measure.tally(series), target < 1 else { return nil }
    return 1 - Double(tally[.crashed]) / (Double(tally.total) * (1 - target))
  }

  private static func window(
    _ policy: BurnPolicy, _ target: Double, _ arrivals: [Arrival], _ now: Timestamp
  ) -> BurnWindow {
    let long = ArrivalWindow(minutes: policy.long, before: now, in: arrivals)
    let short = ArrivalWindow(minutes: policy.short, before: now, in: arrivals)
    var window = BurnWindow(
      policy, longRate: long.rate(target: target), shortRate: short.rate(target: target),
      crashed: Int(long.crashed), users: long.crashedUsers)
    // If clients send no users, only the number of crashes decides.
    let hasManyUsers = long.crashedUsers.map { $0 >= BurnPolicy.fewestUsers } ?? true
    window.seen = Int(long.seen)
    guard let longRate = window.longRate, let shortRate = window.shortRate else { return window }
    window.fires =
      longRate > policy.factor && shortRate > policy.factor && long.crashed >= BurnPolicy.fewestCrashes
      && hasManyUsers
    window.isCertain = window.fires && (certainRate(long, target) ?? 0) > policy.factor
    return window
  }

  /// The lower bound of a window's burn rate at the confidence that incidents require. A user who crashes repeatedly
  /// counts once.
  private static func certainRate(_ window: ArrivalWindow, _ target: Double) -> Double? {
    let crashed = min(Double(window.crashedUsers ?? Int(window.crashed)), Double(window.seen))
    let bounds = Interval.ratio(
      k: crashed, n: Double(window.seen), effect: .none(of: Double(window.seen)),
      tail: 1 - IncidentSignificanceTest.confidence)
    return bounds.low.map { $0 / (1 - target) }
  }
}
