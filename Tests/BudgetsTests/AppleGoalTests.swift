import Testing

@testable import Analysis
@testable import Core

@Suite("Apple's goal as the limit of a budget")
struct AppleGoalTests {
  private func goal(
    _ high: Double, _ device: String = "", _ percentile: String = "", name: String = "good", unit: String = "ms",
    metric: String = "launchTime", category: String = "LAUNCH", platform: String = "iOS"
  ) -> AppStoreGoal {
    var goal = AppStoreGoal(
      platform: platform, category: category, metric: metric, device: device, percentile: percentile, name: name,
      high: high, unit: unit)
    goal.imported = CalendarDay(iso: "2026-11-20")?.startUTC.milliseconds
    return goal
  }

  private func limit(_ text: String, _ goals: [AppStoreGoal]) throws -> Double? {
    let budget = try BudgetParser.parse(text).resolved(by: goals)
    return budget.hasLimit ? budget.target : nil
  }

  @Test("a budget's limit is Apple's goal for its percentile and devices, in the metric's unit")
  func resolving() throws {
    let goals = [
      goal(1.2, "all_iphones", "p90", name: "recommended", unit: "Seconds"),
      goal(700, "all_iphones", "p50", name: "recommended"), goal(1_900, "all_ipads", "p90", name: "recommended"),
      goal(900, "iPhone15,2", "p90", name: "recommended"), goal(800, "iPhone15,3", "p90", name: "recommended"),
      goal(2_000), goal(4_000, name: "fair"), goal(1, "all_iphones", "p90", name: "recommended", platform: "macOS"),
    ]
    let text = "p90 launch.first_draw <= apple.goal"
    #expect(try limit(text, goals) == 1_200)
    #expect(try limit("p50 launch.first_draw <= apple.goal", goals) == 700)
    #expect(try limit(text + ", on iPad M2", goals) == 1_900)
    #expect(try limit(text + ", on iPhone15,2", goals) == 900)
    #expect(try limit(text + ", on iPhone15,*", goals) == 800, "the strictest holds for all of them")
    #expect(try limit(text + ", on iPhone 12 and older", goals) == 1_200)
    #expect(try limit(text, goals.filter { $0.name != "recommended" }) == 2_000, "the class of good values")
    #expect(try limit(text, []) == nil && limit(text, [goal(5, unit: "parsecs")]) == nil)
    #expect(try limit(text, [goal(5, metric: "peakMemory", category: "MEMORY")]) == nil)
    let rate = [
      goal(9, "all_iphones", "p50", name: "recommended", unit: "seconds/hour", metric: "hangRate", category: "HANG"),
      goal(6, unit: "seconds/hour", metric: "hangRate", category: "HANG"),
    ]
    #expect(try limit("hang.rate <= apple.goal", rate) == 6 && limit("hang.rate <= apple.goal", [rate[0]]) == 9)
    #expect(
      try BudgetParser.parse(text).resolved(by: goals).appleGoal
        == CalendarDay(iso: "2026-11-20").map { AppleGoal.imported($0) }
    )
    #expect(try limit("p90 launch.first_draw <= 2 s", goals) == 2_000, "a number stays")
  }

  @Test("a budget with Apple's goal is written as it is read, and refused where Apple has no goal")
  func grammar() throws {
    for text in ["p90 launch.first_draw <= apple.goal, on iPhone12,*", "hang.rate <= apple.goal, over 7 d"] {
      let budget = try BudgetParser.parse(text)
      let again = try BudgetParser.parse(budget.line)
      #expect(budget.line == text && !budget.hasLimit && again == budget)
    }
    for (text, words) in [
      ("sessions.crash_free >= apple.goal", "Apple has goals only for"),
      ("p90 screen.load <= apple.goal", "Apple has goals only for"),
      ("p95 launch.first_draw <= apple.goal", "expected p50 or p90"),
      ("mean memory.peak <= apple.goal", "expected p50 or p90"),
      ("p90 launch.first_draw <= apple.goal, warn at 1 s", "expected no warning level"),
      ("p90 launch.first_draw <= apple.gaol", "expected a number"),
    ] {
      #expect { _ = try BudgetParser.parse(text) } throws: { ($0 as? GrammarError)?.message.contains(words) == true }
    }
  }
}
