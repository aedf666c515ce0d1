import Testing

@testable import Analysis
@testable import Core

@Suite("Default budgets")
struct DefaultBudgetTests {
  /// Written by hand from the catalogue's documentation: metric, statistic, comparison, target and warning level in the
  /// metric's unit.
  private static let expected: [String: (String?, Budget.Comparison, Double, Double?)] = [
    "sessions.crash_free": (nil, .atLeast, 0.995, nil), "users.crash_free_daily": (nil, .atLeast, 0.99, nil),
    "exits.foreground_limits": (nil, .atMost, 0.001, nil), "launch.first_draw": ("p90", .atMost, 2000, nil),
    "launch.first_draw_prewarmed": ("p90", .atMost, 1000, nil), "launch.resume": ("p90", .atMost, 1000, nil),
    "launch.extended": ("p90", .atMost, 2000, nil), "hang.rate": (nil, .atMost, 5, 1),
    "main_thread.block": ("p95", .atMost, 100, nil), "interaction.response": ("p95", .atMost, 100, nil),
    "screen.load": ("p90", .atMost, 1000, nil), "flow.duration": ("p90", .atMost, 1000, nil),
    "ui.scroll_hitch_ratio": ("p90", .atMost, 10, 5), "ui.hitch_ratio": ("p90", .atMost, 10, 5),
    "ui.frame_rate": ("p10", .atLeast, 58, nil), "ui.frame_time": ("p95", .atMost, 16.67, nil),
    "swiftui.body": ("p99", .atMost, 1000, 500), "swiftui.body_evaluations": ("p95", .atMost, 5, nil),
    "swiftui.view_creation": ("p95", .atMost, 16, nil), "list.rows_created": ("p95", .atMost, 50, nil),
    "image.decode": ("p95", .atMost, 16, nil), "image.cache_bytes": ("p99", .atMost, 50_000_000, nil),
    "memory.peak": ("p90", .atMost, 300_000_000, nil), "memory.suspended": ("mean", .atMost, 100_000_000, nil),
    "memory.screen": ("p90", .atMost, 100_000_000, nil), "memory.allocation": ("p99", .atMost, 10_000_000, nil),
    "network.request": ("p90", .atMost, 2000, nil), "network.response_bytes": ("p95", .atMost, 500_000, nil),
    "network.screen_bytes": ("p90", .atMost, 500_000, nil), "disk.writes": ("p90", .atMost, 1_000_000_000, nil),
  ]

  @Test("every default budget of the catalogue parses to its documented meaning")
  func all() throws {
    #expect(DefaultBudgets.all.count == Catalogue.metrics.filter { $0.budget != nil }.count)
    #expect(Set(DefaultBudgets.all.map(\.metric)) == Set(Self.expected.keys))
    for budget in DefaultBudgets.all {
      let (statistic, comparison, target, warning) = try #require(Self.expected[budget.metric])
      #expect(budget.statistic.name == statistic)
      #expect(budget.comparison == comparison)
      #expect(budget.target == target)
      #expect(budget.warnTarget == warning)
      #expect(budget.isDefault)
      #expect(budget.unit == Catalogue.metric(named: budget.metric)?.unit)
    }
  }

  @Test("a default budget reads like a team's own line")
  func text() throws {
    #expect(DefaultBudgets.all.contains { $0.text == "p90 launch.first_draw <= 2 s" })
    #expect(DefaultBudgets.all.contains { $0.text == "hang.rate <= 5 s/h, warn at 1 s/h" })
  }

  @Test("a team's line replaces the default of its metric and no other")
  func effective() throws {
    let yaml = """
      app: com.example.shop
      budgets:
        - sessions.crash_free >= 99.5%
        - p90 launch.first_draw <= 2 s
        - p95 interaction.response <= 100 ms, warn at 80 ms
        - p90 memory.peak <= 300 MB, on iPhone12,*
        - sessions.crash_free >= 99.8%, over 7 d, in production, require data
      """
    let file = try BudgetFile.parse(yaml, fileName: "budgets.yaml")
    #expect(file.app == "com.example.shop")
    #expect(file.budgets.map(\.target) == [0.995, 2000, 100, 300_000_000, 0.998])
    #expect(file.budgets.map(\.warnTarget) == [nil, nil, 80, nil, nil])
    #expect(file.budgets[4].days == 7)
    #expect(file.budgets[4].environment == "production")
    #expect(file.budgets.map(\.requiresData) == [false, false, false, false, true])

    let effective = Budget.effective(file: file)
    #expect(effective.prefix(5).map(\.text) == file.budgets.map(\.text))
    // The first two say what the defaults say.
    #expect(effective.prefix(5).map(\.isDefault) == [true, true, false, false, false])
    #expect(Array(effective[2..<5]) == Array(file.budgets[2..<5]))
    #expect(effective.count == 5 + Self.expected.count - 4)
    #expect(effective.filter { $0.metric == "memory.peak" }.count == 1)
    #expect(Set(Budget.effective(file: nil).map(\.metric)) == Set(Self.expected.keys))
    #expect(Budget.effective(file: nil).allSatisfy { $0.isDefault })
  }
}
