import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Budgets as people read them")
struct BudgetWordsTests {
  @Test(
    "a budget line names the metric by its title and its limit with ≤ or ≥",
    arguments: [
      ("p90 launch.first_draw <= 2 s", "p90 launch to first draw ≤ 2 s"),
      ("sessions.crash_free >= 99.5 %", "crash-free sessions ≥ 99.5 %"),
      ("p99 swiftui.body <= 1000 µs, warn at 500 µs", "p99 SwiftUI body ≤ 1000 µs, warn at 500 µs"),
      ("mean cart.total >= 3", "mean cart.total ≥ 3"),
      ("p90 \"a <= b\" <= 2 s, label \"<=\"", "p90 a <= b ≤ 2 s, label \"<=\""),
      ("p9x <= 1", "p9x ≤ 1"), ("launch.first_draw", "launch.first_draw"), ("", ""), ("a < b", "a < b"),
    ])
  func lines(line: String, expected: String) { #expect(BudgetWords.line(line) == expected) }

  @Test(
    "next to the metric's name, the limit is alone with every clause",
    arguments: [
      ("p90 launch.first_draw <= 2 s, on iPhone12,*, over 7 d", "p90 ≤ 2 s, on iPhone12,*, over 7 d"),
      ("sessions.crash_free >= 99.5%, with adoption > 10 %", "≥ 99.5%, with adoption > 10 %"),
      // As the catalogue has its defaults.
      ("p90 <= 2 s", "p90 ≤ 2 s"), ("<= 5 s/h, warn at 1 s/h", "≤ 5 s/h, warn at 1 s/h"), ("none", "none"),
    ])
  func limits(line: String, expected: String) { #expect(BudgetWords.limit(line) == expected) }

  @Test("an incident's budget is worded on pages and unchanged in messages, as are other subjects")
  func incidents() {
    let key = BreachKey(.warning, "p90 launch.first_draw <= 2 s")
    #expect(key.title == "p90 launch.first_draw <= 2 s (warning level)")
    var breach = Breach(
      key: key, severity: .warning, since: .init(milliseconds: 0), opened: .init(milliseconds: 0),
      evidence: .init(summary: "p90 is 2.10 s, budget <= 2 s"))
    #expect(breach.readableSummary == "p90 is 2.10 s, budget ≤ 2 s")
    breach.key = BreachKey(.newGroup, "1f")
    #expect(breach.readableSummary == "p90 is 2.10 s, budget <= 2 s")
    #expect(BreachKey(.newGroup, "1f Shop.<= (a:b:)").title == "new group 1f Shop.<= (a:b:)")
  }
}
