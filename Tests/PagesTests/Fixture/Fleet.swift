@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// A made-up app over 28 days: a day without data, a bad release 4.3.0, its repair 4.3.1, and every verdict.
enum Fleet {
  static let app = "com.example.shop"
  static let asOf = Timestamp(iso: "2026-11-21T09:00:00Z")!
  static let lastDay = CalendarDay(iso: "2026-11-20")!
  static let window = Window(days: 28, endingOn: lastDay)
  static let slice = Slice()
  static let missingDay = CalendarDay(iso: "2026-11-03")!
  static let markers = [
    ReleaseMarker(day: CalendarDay(iso: "2026-10-27")!, version: "4.2.0"),
    ReleaseMarker(day: badFrom, version: "4.3.0"), ReleaseMarker(day: repairedFrom, version: "4.3.1"),
  ]
  static let badFrom = CalendarDay(iso: "2026-11-09")!
  static let repairedFrom = CalendarDay(iso: "2026-11-17")!

  /// `base` with a daily wobble, `bump` higher while 4.3.0 is out, with nothing on the missing day.
  static func trend(
    _ base: Double, wobble: Double, bump: Double = 0, width: Double = 0.04, n: Int = 1800, ceiling: Double = .infinity,
    seed: UInt64
  ) -> [TrendPoint] {
    var noise = Noise(seed: seed)
    return window.allDays.map { day in
      let step = noise.next()
      guard day != missingDay else { return TrendPoint(day: day, estimate: .unknown, n: 0) }
      let ramp = min(1, max(0, Double(day.number - badFrom.number + 1) / 4))
      let isBad = day >= badFrom && day < repairedFrom
      let value = min(ceiling, base + wobble * step + (isBad ? bump * ramp : 0))
      let half = ceiling.isFinite ? (ceiling - value) * 0.35 + width : value * width * (1.5 + step / 2)
      return TrendPoint(
        day: day, estimate: Estimate(value: value, low: value - half, high: min(ceiling, value + half)),
        n: n + Int(Double(n) * 0.12 * step))
    }
  }

  static func ratio(_ value: Double, _ low: Double, _ high: Double, n: Int) -> RatioEstimate {
    RatioEstimate(
      estimate: Estimate(value: value, low: low, high: high), n: n, nEffective: Double(n) / 1.1, basis: .clusters)
  }

  static let releases = [
    release("4.3.1", "1302", 9120, 0.031, "2026-11-17", ratio(0.99671, 0.99530, 0.99778, n: 9120), .low),
    release("4.3.0", "1298", 16_840, 0.412, "2026-11-09", ratio(0.98712, 0.98552, 0.98859, n: 16_840), .adopted),
    release("4.2.0", "1251", 21_060, 0.518, "2026-10-27", ratio(0.99724, 0.99640, 0.99790, n: 21_060), .adopted),
    release("4.1.2", "1190", 1190, 0.039, "2026-10-24", ratio(0.99580, 0.99021, 0.99863, n: 1190), .replaced),
  ]

  private static func release(
    _ version: String, _ build: String, _ sessions: Int, _ adoption: Double, _ first: String,
    _ crashFree: RatioEstimate,
    _ stage: ReleaseStage = .adopted
  ) -> ReleaseReport {
    ReleaseReport(
      release: Release(version: version, build: build), sessions: sessions, payloads: sessions / 4, adoption: adoption,
      adoptionDevices: adoption * 1.06, stage: stage, shareOfRelease: 1,
      firstSeen: CalendarDay(iso: first)!, lastSeen: lastDay, crashFree: crashFree)
  }

  static let overview = OverviewModel(
    apps: [
      summary(
        "com.example.reader", release("2.8.1", "311", 20_980, 0.936, "2026-10-30", crashFree(0.9991, n: 20_980)),
        [.within: 12], trend(0.9991, wobble: 0.0004, width: 0.0002, ceiling: 1, seed: 5)),
      AppSummary(id: app, status: appPage),
      summary("com.example.watchface", nil, [.notEnoughData: 3], [], staleDays: 6),
      summary(
        "com.example.mail", release("7.0.3", "88", 9900, 0.871, "2026-11-02", crashFree(0.9978, n: 9900)),
        [.warning: 1, .within: 8], trend(0.9976, wobble: 0.0007, width: 0.0004, ceiling: 1, seed: 11)),
      AppSummary(id: "com.example.fresh"),
    ], asOf: asOf)

  private static func crashFree(_ value: Double, n: Int) -> RatioEstimate {
    ratio(value, value - 0.0005, value + 0.0004, n: n)
  }

  /// An app with as many budgets of each verdict as asked for, the first of them on crash-free sessions.
  static func summary(
    _ id: String, _ release: ReleaseReport?, _ counts: [Verdict: Int], _ trend: [TrendPoint] = [], staleDays: Int = 1
  ) -> AppSummary {
    let slice = Slice(release: release?.release.title)
    let verdicts = Verdict.allCases.flatMap { Array(repeating: $0, count: counts[$0, default: 0]) }
    let budgets = verdicts.enumerated().map { index, verdict in
      let text = "sessions.crash_free >= \(index) %"
      guard let estimate = release?.crashFree.estimate else {
        return judged(
          budget(
            "sessions.crash_free", text, nil, verdict, 0.975, (nil, nil), n: 40, target: 0.995, reason: .few,
            slice: slice),
          trend)
      }
      return judged(
        budget(
          "sessions.crash_free", text, nil, verdict, estimate.value, (estimate.low, estimate.high),
          n: release?.sessions ?? 0, target: 0.995, slice: slice), trend)
    }
    return AppSummary(
      id: id,
      status: AppStatus(
        app: id, judgement: Judgement(release: release, window: window, slice: slice, budgets: budgets), window: window,
        releases: release.map { [$0] } ?? [], staleDays: staleDays, asOf: asOf))
  }
}
