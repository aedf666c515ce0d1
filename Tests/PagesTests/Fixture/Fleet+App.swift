@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static func budget(
    _ metric: String, _ text: String, _ statistic: String?, _ verdict: Verdict, _ value: Double?,
    _ bounds: (Double?, Double?), n: Int, target: Double, warn: Double? = nil, reason: BudgetResult.Reason? = nil,
    needed: Int? = nil, basis: Basis = .clusters, slice: Slice = slice, window: Window = window
  ) -> BudgetResult {
    let entry = Catalogue.metric(named: metric)!
    return BudgetResult(
      budget: text, metric: metric, unit: entry.unit, statistic: statistic, verdict: verdict, reason: reason,
      needed: needed, value: value, low: bounds.0, high: bounds.1, n: n, target: target, warnTarget: warn,
      direction: entry.direction, basis: basis, slice: slice, window: window)
  }

  /// The release that is judged and the one before it.
  static let bad = releases[1]
  static let good = releases[2]
  static let life = Window(from: badFrom, to: lastDay)

  /// A result as part of a judgement. `before`: the number of the release before.
  static func judged(
    _ result: BudgetResult, _ trend: [TrendPoint], before: Double? = nil, since: CalendarDay? = nil,
    classes: [SliceVerdict] = []
  ) -> JudgedBudget {
    let entry = Catalogue.metric(named: result.metric)
    var old = result
    (old.value, old.verdict, old.slice.release) = (before, .within, good.release.title)
    return JudgedBudget(
      title: entry?.title ?? result.metric, result: result, before: before == nil ? nil : old,
      trend: trend.map { $0.day < badFrom ? TrendPoint(day: $0.day, estimate: .unknown, n: 0) : $0 },
      trendBefore: before == nil ? [] : trend, since: since, classes: classes, advice: entry?.advice,
      guide: entry?.guide)
  }

  static let launch = budget(
    "launch.first_draw", "p90 launch.first_draw <= 2 s", "p90", .within, 1390.25, (1331, 1452), n: 21_480, target: 2000)

  private static let ofBad = Slice(release: bad.release.title)

  /// What is judged of 4.3.0, beside 4.2.0.
  static let budgets = [
    judged(
      budget(
        "sessions.crash_free", "sessions.crash_free >= 99.5 %", nil, .broken, 0.98712, (0.98552, 0.98859), n: 16_840,
        target: 0.995, slice: ofBad, window: life),
      trend(0.9972, wobble: 0.0008, bump: -0.011, width: 0.0008, ceiling: 1, seed: 3), before: 0.99724, since: badFrom,
      classes: ["iPhone 12 and older", "iPhone 16"].enumerated().map { index, key in
        var result = launch
        (result.metric, result.unit, result.statistic) = ("sessions.crash_free", .ratio, nil)
        (result.value, result.verdict) = (index == 0 ? 0.971 : 0.998, index == 0 ? .broken : .within)
        return SliceVerdict(dimension: "device_class", key: key, result: result)
      }),
    judged(
      budget(
        "users.crash_free_daily", "users.crash_free_daily >= 99.5 %", nil, .notEnoughData, 0.9950, (0.9925, 0.9968),
        n: 6210, target: 0.995, reason: .close, needed: 14_000, slice: ofBad, window: life),
      trend(0.9962, wobble: 0.0012, bump: -0.006, width: 0.0015, n: 230, ceiling: 1, seed: 4)),
    judged(launch, trend(1360, wobble: 60, bump: 130, seed: 7), before: 1342),
    judged(
      budget(
        "launch.resume", "p90 launch.resume <= 1 s", "p90", .within, 412, (398, 431), n: 60_120, target: 1000,
        slice: ofBad, window: life),
      trend(410, wobble: 25, seed: 8)),
    judged(
      budget(
        "launch.extended", "p90 launch.extended <= 2 s", "p90", .notEnoughData, 1800, (nil, nil), n: 17, target: 2000,
        reason: .few, needed: 12, basis: .events, slice: ofBad, window: life), []),
    judged(
      budget(
        "hang.rate", "hang.rate <= 5 s/h, warn at 1 s/h", nil, .warning, 2.6, (2.1, nil), n: 8204, target: 5, warn: 1,
        slice: ofBad, window: life),
      trend(1.2, wobble: 0.5, bump: 2.9, width: 0.12, n: 300, seed: 9), before: 1.3, since: good.firstSeen),
    judged(
      budget(
        "memory.peak", "p90 memory.peak <= 300 MB", "p90", .within, 212_400_000, (205e6, 221e6), n: 8204, target: 300e6,
        slice: ofBad, window: life),
      trend(210e6, wobble: 9e6, bump: 14e6, n: 300, seed: 12)),
    judged(
      budget(
        "memory.suspended", "mean memory.suspended <= 100 MB", "mean", .within, 61_300_000, (58e6, 64e6), n: 8204,
        target: 100e6, slice: ofBad, window: life), trend(61e6, wobble: 3e6, n: 300, seed: 13)),
    judged(
      budget(
        "screen.load", "p90 screen.load <= 1 s, on iPhone12,*", "p90", .broken, 1310, (1240, 1390), n: 3110,
        target: 1000, slice: Slice(release: bad.release.title, device: "iPhone12,*"), window: life),
      trend(900, wobble: 60, bump: 520, n: 120, seed: 14)),
    judged(
      budget(
        "ui.scroll_hitch_ratio", "p90 ui.scroll_hitch_ratio <= 10 ms/s, warn at 5 ms/s", "p90", .within, 3.4,
        (3.1, 3.8), n: 8011, target: 10, warn: 5, slice: ofBad, window: life), trend(3.4, wobble: 0.3, n: 290, seed: 15)
    ),
    judged(
      budget(
        "ui.frame_rate", "p10 ui.frame_rate >= 58 fps", "p10", .within, 59.2, (58.9, 59.5), n: 7900, target: 58,
        slice: ofBad, window: life),
      trend(59.2, wobble: 0.3, width: 0.004, n: 290, seed: 16)),
    judged(
      budget(
        "network.request", "p90 network.request <= 2 s", "p90", .within, 640, (622, 660), n: 120_400, target: 2000,
        slice: ofBad, window: life),
      trend(640, wobble: 30, n: 4300, seed: 17)),
    judged(
      budget(
        "disk.writes", "p90 disk.writes <= 1 GB", "p90", .within, 182e6, (170e6, 196e6), n: 8204, target: 1e9,
        slice: ofBad, window: life),
      trend(180e6, wobble: 12e6, n: 300, seed: 18)),
  ]

  static let judgement = Judgement(
    release: bad, previous: good, window: life, slice: ofBad, budgets: budgets, waiting: [releases[0]])

  static let appPage = AppStatus(
    app: app, judgement: judgement, window: window, releases: releases, staleDays: 1, digestedThrough: 1_204_511,
    asOf: asOf)

  /// The report on the whole app.
  static let report = HealthReport(
    app: app, window: window, slice: slice,
    sessions: SessionReport(
      counts: [.healthy: 47_010, .errored: 720, .unhandled: 0, .abnormal: 168, .crashed: 312],
      crashFree: ratio(0.99352, 0.99270, 0.99427, n: 48_210)),
    users: UserReport(
      total: 2114, crashed: 121, crashFree: ratio(0.94276, 0.93201, 0.95229, n: 2114),
      crashFreeDaily: ratio(0.9950, 0.9919, 0.9971, n: 6210)),
    metrics: otherMetrics, releases: releases, burn: burn, digestedThrough: 1_204_511, staleDays: 1)

  static let burn = BurnReport(
    target: 0.995, budgetLeft: -0.294,
    windows: zip(BurnPolicy.all, [(0.8, 0), (1.1, 0.9), (3.4, 3.2), (1.3, 2.1)]).map { policy, rates in
      BurnWindow(
        policy, longRate: rates.0, shortRate: rates.1, crashed: policy.long / 60 + 1, users: policy.long / 80 + 1,
        fires: rates.0 > policy.factor && rates.1 > policy.factor)
    })

  static let otherMetrics = [
    distribution("hang.duration", n: 1204, p: [50: 420, 90: 1900, 95: 9000]),
    distribution("image.decode", n: 40_110, p: [50: 3.1, 90: 9.4, 95: 12.8]),
    distribution("cellular.bars", n: 8011, p: [50: 3, 90: 4, 95: 4]),
    number("cpu.time", 3_212_000, nil), number("network.cellular_down", 182_400_000_000, nil),
    number("cpu.instructions", 8.21e15, nil), number("time.foreground", 4_410_000, nil),
    number("hang.frequency", 3.1, (2.8, 3.5)),
  ]

  static func distribution(
    _ name: String, n: Int, p: [Int: Double], label: String? = nil, source: Source = .metricKit
  ) -> MetricReport {
    let entry = Catalogue.metric(named: name)
    return MetricReport(
      name: name, title: entry?.title ?? name, unit: entry?.unit ?? .milliseconds, kind: .distribution,
      weight: entry?.weight ?? .event, label: label, source: source, n: n, payloads: n / 9 + 1,
      nEffective: Double(n) * 0.71, error: 0.0055,
      percentiles: p.mapValues { Estimate(value: $0, low: $0 * 0.97, high: $0 >= 9000 ? nil : $0 * 1.04) })
  }

  private static func number(_ name: String, _ value: Double, _ bounds: (Double, Double)?) -> MetricReport {
    let entry = Catalogue.metric(named: name)!
    return MetricReport(
      name: name, title: entry.title, unit: entry.unit, kind: entry.kind, weight: entry.weight, source: .metricKit,
      n: 8204, payloads: 8204, value: Estimate(value: value, low: bounds?.0, high: bounds?.1))
  }
}
