import Foundation
import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// Trends of long windows: few points, each the number of its days together.
@Suite struct TrendStepTests {
  @Test(
    "a trend has few points, whatever its window",
    arguments: [
      (1, 1), (28, 1), (42, 1), (43, 7), (90, 7), (294, 7), (295, 14), (400, 14), (588, 14), (589, 28), (1176, 28),
      (1177, 56), (3660, 112),
    ])
  func lengths(days: Int, expected: Int) {
    let window = Window(days: days, endingOn: CalendarDay(iso: "2026-11-20")!)
    #expect(TrendStep.days(for: window) == expected)
    let steps = window.steps(of: expected)
    #expect(steps.count <= TrendStep.mostPoints)
    #expect(steps.flatMap(\.allDays) == window.allDays)
    #expect(steps.dropFirst().allSatisfy { $0.days == expected } && steps.last?.to == window.to)
  }

  @Test("the day since which a number exceeds its budget is exact")
  func since() throws {
    let scene = try Scene()
    let last = CalendarDay(iso: "2026-11-20")!
    for back in stride(from: 0, to: 90, by: 1) {
      let value = back < 53 ? 4000.0 : 300
      let at = "\((last - back).iso)T10:00:00Z"
      // So many releases that none has enough people to be judged by itself: only the days can tell.
      try scene.receive(
        (0..<30).map { number in
          Scene.native(
            version: "1.\(number)",
            "\"measurements\": [{\"metric\": \"screen.load\", \"value\": \(value), \"unit\": \"ms\", \"at\": \"\(at)\"}]"
          )
        })
    }
    let query = ReportQuery(from: last - 89, to: last)
    let page = try scene.reader("p90 screen.load <= 1 s").status(Scene.app, query, now: Scene.now)
    #expect(page.judgement.release == nil && page.judgement.budgets.first?.trend.count == 13)
    let broken = try #require(page.judgement.broken.first)
    #expect(broken.result.metric == "screen.load" && broken.since == last - 52)
  }
}
