@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// The pages beside an app's own, about the same made-up fleet.
extension Fleet {
  /// A launch budget with each of the verdicts.
  static func judged(_ release: String?, _ verdicts: [Verdict]) -> [BudgetResult] {
    verdicts.enumerated().map { index, verdict in
      var result = launch
      result.budget = index == 0 ? launch.budget : "p5\(index) launch.first_draw <= 1 s"
      result.verdict = verdict
      result.slice = Slice(release: release)
      return result
    }
  }

  /// The judgement on a release with a launch budget of each of the verdicts.
  static func judgement(of release: ReleaseReport?, _ verdicts: [Verdict]) -> Judgement {
    Judgement(
      release: release, window: life, slice: Slice(release: release?.release.title),
      budgets: judged(release?.release.title, verdicts).map { judged($0, []) })
  }

  static let releasePage = ReleaseModel(
    app: app, name: "4.3.0 (1298)", window: life, environment: "production", judgement: judgement,
    builds: [bad],
    adoption: window.allDays.map { day in
      let known = day != missingDay && day >= badFrom
      let share = known ? min(0.41, 0.06 * Double(day.number - badFrom.number + 1)) : nil
      return TrendPoint(day: day, estimate: Estimate(value: share), n: known ? 600 : 0)
    }, comparison: comparison, digestedThrough: 1_204_511, asOf: asOf)

  static let sessionPage = SessionsModel(
    app: app, window: window, slice: slice,
    sessions: SessionReport(
      counts: [.healthy: 47_500, .errored: 390, .unhandled: 0, .abnormal: 8, .crashed: 312],
      crashFree: ratio(0.99352, 0.99270, 0.99427, n: 48_210)),
    users: UserReport(
      total: 9120, crashed: 287, crashFree: ratio(0.9685, 0.964, 0.9725, n: 9120),
      crashFreeDaily: ratio(0.9921, 0.991, 0.993, n: 31_000)),
    days: window.allDays.map { day in
      guard day != missingDay else { return SessionDay(day: day) }
      return SessionDay(
        day: day,
        sessions: SessionReport(
          counts: [.healthy: 1750, .errored: 12, .abnormal: 1, .crashed: day >= badFrom ? 18 : 4],
          crashFree: ratio(day >= badFrom ? 0.9899 : 0.9977, 0.985, 0.999, n: 1767)),
        users: UserReport(total: 840, crashed: 9))
    }, releaseMarkers: markers, budget: result("sessions.crash_free"), byRelease: shares, byDeviceClass: shares,
    bySystem: shares, digestedThrough: 1_204_511, asOf: asOf)

  private static func result(_ metric: String) -> BudgetResult? {
    budgets.first { $0.result.metric == metric }?.result
  }

  static let shares = [("4.3.1 (1302)", 0.9967, Verdict.within), ("4.3.0 (1298)", 0.9871, .broken)].map {
    Breakdown(
      key: $0.0, title: $0.0,
      report: MetricReport(
        name: "sessions.crash_free", title: "Crash-free sessions", unit: .ratio, kind: .ratio, weight: .event,
        source: .native, n: 9120, value: Estimate(value: $0.1, low: $0.1 - 0.001, high: $0.1 + 0.001)), verdict: $0.2,
      trend: trend($0.1, wobble: 0.0005, width: 0.0003, n: 300, ceiling: 1, seed: 4))
  }

  private static let watchdogGroups = [
    ExitGroup(
      id: "00000000000000fd", title: "Watchdog termination in AppDelegate.migrate()", kind: .crash, isReport: true,
      release: "4.3.0 (1240)", diagnostics: 1, exits: 9),
    ExitGroup(
      id: "0123456789abcdef", title: "Hang in FeedParser.parse(data:)", kind: .hang, isReport: false,
      release: "4.2.0 (1225)", diagnostics: 41, exits: 1),
  ]

  static let exitPage = ExitsModel(
    app: app, window: window, slice: slice,
    exits: ExitReport(
      foreground: [.normal: 18_000, .watchdog: 12], background: [.normal: 9000, .memoryPressure: 412]),
    launches: 52_100,
    rows: ExitReason.allCases.map { reason in
      let counts = [ExitReason.normal: (18_000, 9000), .watchdog: (12, 0), .memoryPressure: (0, 412)][reason] ?? (0, 0)
      var row = ExitRow(
        reason: reason, foreground: counts.0, background: counts.1, foregroundRate: Double(counts.0) / 52.1,
        backgroundRate: Double(counts.1) / 52.1)
      if reason == .watchdog { row.groups = watchdogGroups }
      return row
    },
    terminations: MetricReport(
      name: "exits.foreground_abnormal", title: "Foreground terminations", unit: .perThousand, kind: .rate,
      weight: .event, source: .metricKit, n: 3100, value: Estimate(value: 0.23, low: 0.11, high: 0.36),
      numerator: 12, denominator: 52_100), trend: trend(0.23, wobble: 0.1, seed: 9), releaseMarkers: markers,
    byRelease: shares, byDeviceClass: shares, budgets: judged(nil, [.within]), digestedThrough: 1_204_511, asOf: asOf)

  static let budgetPage = BudgetsModel(
    app: app, window: life, slice: judgement.slice, judgement: judgement,
    rows: zip(judged(nil, [.broken, .within, .notEnoughData]), [-0.4, 0.62, nil]).map { result, left in
      BudgetRow(
        title: "Launch to first draw", result: result, before: judged("4.2.0 (1251)", [.within])[0],
        errorBudgetLeft: left,
        slices: [("release", "4.3.1 (1302)"), ("device_class", "iPhone 16"), ("os", "iOS 26.1")].map {
          SliceVerdict(dimension: $0.0, key: $0.1, result: result)
        })
    }, burn: burn, digestedThrough: 1_204_511, asOf: asOf)

  static let checklist = ReleaseChecklist(
    app: app, release: "4.3.1 (1302)", window: window, environment: "production",
    items: ReleaseChecklist.Topic.allCases.map { topic in
      .init(topic: topic, results: topic == .launch ? judged("4.3.1 (1302)", [.broken, .within]) : [])
    }, digestedThrough: 1_204_511, asOf: asOf)

  static let setupPage = SetupModel(
    app: app, accepted: 12_220, sources: dataQuality.counts[.accepted] ?? [], lastReceived: asOf,
    metrics: ["Launch to first draw", "Peak memory"], releases: ["4.3.1 (1302)"], environments: ["production"],
    digestedThrough: 1_204_511, asOf: asOf)

  static let waiting = SetupModel(
    app: app, accepted: 0, rejected: dataQuality.counts[.rejected] ?? [], asOf: asOf)

  static let storedApp = App(
    id: 7, bundleID: app, created: asOf,
    keys: [
      IngestKey(key: "0123456789abcdef0123456789abcdef", app: 7, created: asOf),
      IngestKey(
        key: "fedcba9876543210fedcba9876543210", app: 7, created: asOf,
        retires: Timestamp(milliseconds: asOf.milliseconds + 86_400_000)),
      IngestKey(
        key: "00000000000000000000000000000000", app: 7, created: asOf,
        retires: Timestamp(milliseconds: asOf.milliseconds - 1)),
    ])

  static let choices = FilterChoices(
    environments: ["production", "testflight"], releases: ["4.3.1", "4.3.0", "4.2.0"],
    systems: ["iOS 26.1", "iOS 18.6.2"], deviceClasses: ["iPhone 12 and older", "iPhone 16"],
    devices: [.init(model: "iPhone15,2", title: "iPhone 14 Pro"), .init(model: "iPhone99,9", title: "iPhone99,9")],
    today: lastDay + 1)
}
