import Testing

@testable import Analysis
@testable import Core
@testable import Statistics
@testable import Storage

@Suite("Arrival windows, adoption days and the order of bounds")
struct ArrivalWindowTests {
  @Test("more crashes than sessions are a share of all sessions")
  func cap() {
    let now = Timestamp(milliseconds: 60_000_000)
    let arrivals = [Arrival(start: 995, seen: 10, crashed: 25, users: UserSet())]
    let window = ArrivalWindow(minutes: 60, before: now, in: arrivals)
    #expect(window.rate(target: 0.9).map { abs($0 - 10) < 1e-9 } == true)
    #expect(ArrivalWindow(minutes: 60, before: now, in: []).rate(target: 0.9) == nil)
  }

  @Test("the 24 hours up to midnight are one day, and a minute later two")
  func midnight() {
    let midnight = 20_778 * 1440
    #expect(
      DeviceAdoption.days(before: midnight)
        == Window(from: CalendarDay(number: 20_777), to: CalendarDay(number: 20_777)))
    #expect(
      DeviceAdoption.days(before: midnight + 1)
        == Window(from: CalendarDay(number: 20_777), to: CalendarDay(number: 20_778)))
  }

  @Test("a budget's bounds are written as low and high")
  func bounds() throws {
    let result = BudgetResult(
      budget: "p90 launch.first_draw <= 2 s", metric: "launch.first_draw", unit: .milliseconds, statistic: "p90",
      verdict: .within, value: 2, low: 1, high: 3, target: 4, direction: .lower, slice: Slice(),
      window: Window(from: CalendarDay(number: 1), to: CalendarDay(number: 2)))
    let bytes = BudgetList(app: "a.b", results: [result], incidents: []).json()
    let parser = JSONParser()
    try bytes.withUnsafeBytes { buffer in
      try parser.withDocument(buffer) { root in
        let budget = try #require(try root.object()["budgets"]?.array().first { _ in true }?.object())
        #expect(try budget["low"]?.number() == 1)
        #expect(try budget["value"]?.number() == 2)
        #expect(try budget["high"]?.number() == 3)
        #expect(try budget["target"]?.number() == 4)
      }
    }
  }
}
