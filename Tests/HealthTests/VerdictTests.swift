import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// The table of verdicts of the specification, on sessions and values that took the whole road.
struct VerdictTests {
  private static let crashFree = "sessions.crash_free >= 99.5%"

  private static func crashFree(_ crashed: Int, of count: Int, budget: String = crashFree) throws -> BudgetResult {
    let scene = try Scene()
    try scene.receive(Scene.sessions(count, crashed: crashed))
    return try #require(try scene.report(budgets: budget).budgets.first)
  }

  @Test("20 crashes in 20,000 sessions are within a budget of 99.5 %")
  func within() throws {
    let result = try Self.crashFree(20, of: 20_000)
    #expect(result.verdict == .within)
    #expect(result.reason == nil)
    #expect(result.value == 0.999)
    #expect(result.n == 20_000)
    #expect(result.confidence == 0.95)
    // Clopper–Pearson: two-sided scipy.stats.beta.ppf(0.975, 21, 19980) = 0.0015440…, one-sided 95 % ppf(0.95, …) = 0.0014518…
    #expect(abs((try #require(result.low)) - (1 - 0.001_544)) < 5e-6)
    #expect(abs((try #require(result.bound)) - (1 - 0.001_453)) < 5e-6)
  }

  @Test("1 crash in 40 sessions is too few to judge, because 598 sessions are needed")
  func few() throws {
    let result = try Self.crashFree(1, of: 40)
    #expect(result.verdict == .notEnoughData)
    #expect(result.reason == .few)
    #expect(result.needed == 598 - 40)
  }

  @Test("5 crashes in 1,000 sessions are too close to judge, and the number still needed is stated")
  func close() throws {
    let result = try Self.crashFree(5, of: 1000)
    #expect(result.verdict == .notEnoughData)
    #expect(result.reason == .close)
    // Clopper–Pearson, two-sided 95 %: scipy.stats.beta.ppf([0.025, 0.975], [5, 6], [996, 995]).
    #expect(abs(1 - (try #require(result.high)) - 0.001_625) < 1e-5)
    #expect(abs(1 - (try #require(result.low)) - 0.011_629) < 1e-5)
    #expect(result.bound == nil)
  }

  @Test("10 crashes in 1,000 sessions break a budget of 99.5 %")
  func broken() throws {
    #expect(try Self.crashFree(10, of: 1000).verdict == .broken)
  }

  @Test("two bad events break no budget, however small the sample")
  func twoCrashes() throws {
    #expect(try Self.crashFree(2, of: 2).verdict == .notEnoughData)
    #expect(try Self.crashFree(2, of: 12).verdict == .notEnoughData)
    #expect(try Self.crashFree(3, of: 12).verdict == .broken)
  }

  @Test("fewer than ten sessions, each of another user, are not judged however many crash")
  func fewerThanTen() throws {
    let result = try Self.crashFree(9, of: 9)
    #expect(result.verdict == .notEnoughData && result.reason == .few && result.value == 0 && result.high == nil)
    #expect(try Self.crashFree(10, of: 10).verdict == .broken)
  }

  @Test("a budget of 100 % can be broken but never proven, and requests no number of sessions")
  func hundredPercent() throws {
    let result = try Self.crashFree(0, of: 500, budget: "sessions.crash_free >= 100%")
    #expect(result.verdict == .notEnoughData)
    #expect(result.needed == nil)
    #expect(try Self.crashFree(5, of: 500, budget: "sessions.crash_free >= 100%").verdict == .broken)
  }

  @Test("the warning level can be broken while the budget is not")
  func warning() throws {
    #expect(
      try Self.crashFree(10, of: 1000, budget: "sessions.crash_free >= 98%, warn at 99.5%").verdict == .warning)
    #expect(try Self.crashFree(40, of: 1000, budget: "sessions.crash_free >= 98%, warn at 99.5%").verdict == .broken)
  }

  @Test("missing data is reported for a budget that the team wrote, as not enough data")
  func nothing() throws {
    let scene = try Scene()
    try scene.receive(Scene.sessions(10, crashed: 0))
    let result = try #require(try scene.report(budgets: "p90 memory.peak <= 300 MB, require data").budgets.first)
    #expect(result.verdict == .notEnoughData)
    #expect(result.n == 0)
    #expect(result.value == nil)
    #expect(result.requiresData)
  }

  private static func values(_ metric: String, _ unit: String, _ values: [Double], _ budget: String) throws -> Verdict {
    let scene = try Scene()
    // Payloads of ten values each.
    let parts = stride(from: 0, to: values.count, by: 10).map { Array(values[$0..<min($0 + 10, values.count)]) }
    try scene.receive(Scene.samples(metric, unit, parts))
    return try #require(try scene.report(budgets: budget).budgets.first).verdict
  }

  @Test("values exactly at a budget of 5 or 16.67 ms meet it, and values 3 % above break it")
  func exactlyAtBudget() throws {
    for limit in [5, 16.67] {
      let budget = "p95 ui.frame_time <= \(limit) ms"
      #expect(try Self.values("ui.frame_time", "ms", [Double](repeating: limit, count: 200), budget) == .within)
      #expect(try Self.values("ui.frame_time", "ms", [Double](repeating: limit * 1.03, count: 200), budget) == .broken)
    }
  }

  /// A bin reaches from 2^(i/64) to 2^((i+1)/64) milliseconds: that of 5 ms ends at 2^(149/64) = 5.0217 ms.
  @Test("values in the bin of a budget meet it, and values in the next bin break it")
  func binOfBudget() throws {
    for (value, verdict) in [(5.015, Verdict.within), (5.03, .broken)] {
      #expect(
        try Self.values("ui.frame_time", "ms", [Double](repeating: value, count: 200), "p95 ui.frame_time <= 5 ms")
          == verdict)
    }
  }

  @Test("if more is better, values exactly at the budget also meet it, and lower ones break it")
  func atLeast() throws {
    let budget = "p10 ui.frame_rate >= 58 fps"
    #expect(try Self.values("ui.frame_rate", "fps", [Double](repeating: 58, count: 200), budget) == .within)
    #expect(try Self.values("ui.frame_rate", "fps", [Double](repeating: 50, count: 200), budget) == .broken)
    // One frame rate in a hundred below the budget is allowed.
    let few = [Double](repeating: 60, count: 298) + [30, 30]
    #expect(try Self.values("ui.frame_rate", "fps", few, budget) == .within)
  }

  @Test("whole numbers are compared exactly: five evaluations meet a budget of five, and six do not")
  func wholeNumbers() throws {
    let budget = "p95 swiftui.body_evaluations <= 5"
    #expect(
      try Self.values("swiftui.body_evaluations", "count", [Double](repeating: 5, count: 200), budget) == .within)
    #expect(
      try Self.values("swiftui.body_evaluations", "count", [Double](repeating: 6, count: 200), budget) == .broken)
  }

  @Test("a budget is judged on its device, in its environment and over its own days")
  func clauses() throws {
    let scene = try Scene()
    func values(_ value: Double, model: String = "iPhone15,2", environment: String = "production", day: Int = 20)
      -> [String]
    {
      (0..<40).map { _ in
        Scene.native(
          model: model, environment: environment,
          #""measurements": [{"metric": "screen.load", "value": \#(value), "unit": "ms", "at": "2026-11-\#(day)T10:00:00Z"}]"#
        )
      }
    }
    try scene.receive(
      values(100) + values(5000, model: "iPhone12,1") + values(9000, environment: "testflight")
        + values(7000, model: "iPhone14,2", day: 10))
    let results = try scene.report(
      budgets: "p50 screen.load <= 1 s, on iPhone15,*", "p50 screen.load <= 1 s, on iPhone12,*",
      "p50 screen.load <= 1 s, in testflight", "p50 screen.load <= 1 s, over 2 d"
    ).budgets
    #expect(results.map(\.verdict) == [.within, .broken, .broken, .notEnoughData])
    #expect(results.map(\.n) == [40, 40, 40, 80])
    #expect(results[2].slice.environment == "testflight")
    #expect(results[3].window == Window(days: 2, endingOn: Scene.today))
  }

  @Test("a device budget on a release older than 35 days is judged on the available days")
  func oldRelease() throws {
    let scene = try Scene()
    for (day, month) in [(20, 9), (5, 11), (20, 11)] {
      let sent = Timestamp(iso: "2026-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T10:00:00Z")
      let received = try #require(sent)
      try scene.receive(
        Scene.sessions(20, crashed: 0, prefix: "d\(month)-\(day)-", started: received.iso)
          + (0..<20).map { _ in
            Scene.native(
              #""measurements": [{"metric": "screen.load", "value": 100, "unit": "ms", "at": "\#(received.iso)"}]"#)
          }, at: received)
    }
    let reader = try scene.reader("p50 screen.load <= 1 s, on iPhone15,*")
    let results = try reader.check(Scene.app, now: Scene.now)
    #expect(results.count == 1)
    #expect(results[0].slice.release == "4.2.0")
    #expect(results[0].n == 40)
    #expect(results[0].window.from == Scene.today - 34)
  }
}
