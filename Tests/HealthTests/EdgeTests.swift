import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// Numbers at the ends of what a source can say.
struct EdgeTests {
  private static func hangs(_ counts: String) throws -> Scene {
    let scene = try Scene()
    for _ in 0..<12 {
      try scene.receive([
        """
        {"app": {"version": "1.0"}, "histograms": [{"metric": "hang.duration", "unit": "ms", "bounds": [250, 9000],
        "counts": \(counts), "at": "2026-11-20T10:00:00Z"}],
        "counters": [{"metric": "time.foreground", "value": 3600, "unit": "s", "at": "2026-11-20T10:00:00Z"}]}
        """
      ])
    }
    return scene
  }

  @Test("hangs in the open-ended bucket count with its start, and make the hang rate a lower bound")
  func censored() throws {
    let report = try Self.hangs("[0, 1, 9]").report(budgets: "hang.rate <= 5 s/h")
    let durations = try #require(report.metrics.first { $0.name == "hang.duration" })
    #expect(durations.percentiles[90]?.isAtLeast == true)
    #expect(durations.percentiles[90]?.value == 9000)
    #expect(report.metrics.first { $0.name == "hang.rate" }?.value.value != nil)
    let budget = try #require(report.budgets.first { $0.metric == "hang.rate" })
    #expect(budget.isAtLeast)
    let closed = try Self.hangs("[0, 10, 0]").report(budgets: "hang.rate <= 5 s/h")
    #expect(closed.metrics.first { $0.name == "hang.duration" }?.percentiles[90]?.isAtLeast == false)
    #expect(closed.budgets.first { $0.metric == "hang.rate" }?.isAtLeast == false)
  }

  @Test("a budget inside a bucket with the percentile is too coarse to judge, and more events are not requested")
  func coarse() throws {
    let scene = try Scene()
    for _ in 0..<40 {
      try scene.receive([
        """
        {"app": {"version": "1.0"}, "histograms": [{"metric": "flow.duration", "unit": "ms", "bounds": [1000, 5000],
        "counts": [0, 5, 0], "at": "2026-11-20T10:00:00Z"}]}
        """
      ])
    }
    let result = try #require(try scene.report(budgets: "p90 flow.duration <= 1 s").budgets.first)
    #expect(result.verdict == .notEnoughData)
    #expect(result.reason == .coarse)
    #expect(result.needed == nil)
  }

  @Test("a budget on a mean states how many more payloads judge it, and that number is enough")
  func neededForMean() throws {
    let scene = try Scene()
    func result(with payloads: Range<Int>) throws -> BudgetResult {
      try scene.receive(
        payloads.map {
          """
          {"app": {"version": "1.0"}, "measurements": [{"metric": "memory.suspended", "value": \($0 % 2 == 0 ? 60 : 130),
          "unit": "MB", "at": "2026-11-20T10:00:00Z"}]}
          """
        })
      return try #require(try scene.report(budgets: "mean memory.suspended <= 100 MB").budgets.first)
    }
    let few = try result(with: 0..<40)
    #expect(few.verdict == .notEnoughData && few.reason == .close)
    let needed = try #require(few.needed)
    let half = try result(with: 40..<40 + needed / 2)
    #expect(half.verdict == .notEnoughData, "of \(needed) more")
    #expect(try result(with: 40 + needed / 2..<44 + needed).verdict == .within)
  }

  @Test("two equal payloads give a mean and a rate no interval")
  func twoPayloads() throws {
    let scene = try Scene()
    for _ in 0..<2 {
      try scene.receive([
        """
        {"app": {"version": "1.0"}, "measurements": [{"metric": "memory.suspended", "value": 100, "unit": "MB",
        "at": "2026-11-20T10:00:00Z"}]}
        """
      ])
    }
    let result = try #require(try scene.report(budgets: "mean memory.suspended <= 100 MB").budgets.first)
    #expect(result.verdict == .notEnoughData)
    #expect(result.value == 100_000_000)
    #expect(result.high == nil)
  }

  @Test("a window of more than ten years is refused")
  func wideWindow() throws {
    let scene = try Scene()
    let from = CalendarDay(iso: "1990-01-01")
    #expect(throws: InvalidQuery.self) { try scene.report(ReportQuery(from: from, to: CalendarDay(iso: "2026-11-20"))) }
  }
}
