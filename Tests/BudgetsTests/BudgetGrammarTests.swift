import Testing

@testable import Analysis
@testable import Core

/// Reads one budget as the only line of a file.
func budget(_ line: String) throws -> Budget {
  let file = try BudgetFile.parse("budgets:\n  - \(line)\n", fileName: "budgets.yaml")
  return try #require(file.budgets.first)
}

@Suite("Grammar of budgets")
struct BudgetGrammarTests {
  @Test("a budget can be a percentile of a distribution in the catalogue's unit")
  func percentile() throws {
    let found = try budget("p90 launch.first_draw <= 2 s")
    #expect(
      found
        == Budget(
          text: "p90 launch.first_draw <= 2 s", statistic: .percentile(90), metric: "launch.first_draw",
          unit: .milliseconds, comparison: .atMost, target: 2000))
  }

  @Test("a budget's percentage is read exactly as its ratio")
  func ratio() throws {
    let found = try budget("sessions.crash_free >= 99.5%")
    #expect(
      found
        == Budget(
          text: "sessions.crash_free >= 99.5%", statistic: .value, metric: "sessions.crash_free", unit: .ratio,
          comparison: .atLeast, target: 0.995))
    #expect(try budget("sessions.crash_free >= 0.998").target == 0.998)
    #expect(try budget("exits.foreground_limits <= 0.1 %").target == 0.001)
  }

  @Test("a budget may have every clause at once, in any order")
  func clauses() throws {
    let line =
      "p95   interaction.response <= 100 ms, require data, over 7 d, in testflight, on iPhone12,*, warn at 80ms"
    let found = try budget(line)
    #expect(
      found
        == Budget(
          text:
            "p95 interaction.response <= 100 ms, require data, over 7 d, in testflight, on iPhone12,*, warn at 80ms",
          statistic: .percentile(95), metric: "interaction.response", unit: .milliseconds, comparison: .atMost,
          target: 100, warnTarget: 80, device: .pattern("iPhone12,*"), environment: "testflight", days: 7,
          requiresData: true))
  }

  @Test(
    "numbers of a budget are converted to the metric's unit",
    arguments: [
      ("p90 memory.peak <= 300 MB", 300_000_000.0), ("p90 memory.peak <= 1 KiB", 1024), ("p90 memory.peak <= 2GB", 2e9),
      ("p99 swiftui.body <= 1 ms", 1000), ("p99 swiftui.body <= 1000 µs", 1000), ("p99 swiftui.body <= 1000 us", 1000),
      ("p99 swiftui.body <= 250000 ns", 250), ("p90 launch.resume <= 0.5 min", 30_000),
      ("p90 launch.resume <= 1 h", 3_600_000), ("p95 ui.frame_time <= 16.67 ms", 16.67),
      ("hang.rate <= 5 s/h", 5), ("hang.rate <= 500 ms/h", 0.5), ("hang.frequency <= 3 hangs/hour", 3),
      ("exits.foreground_abnormal <= 2 per 1,000", 2), ("exits.foreground_abnormal <= 2 per 1000", 2),
      ("p90 ui.hitch_ratio <= 10 ms/s", 10), ("p10 ui.frame_rate >= 58 fps", 58), ("p90 disk.files <= 10", 10),
      ("p90 disk.files <= 10 count", 10), ("p95 swiftui.body_evaluations <= 5", 5), ("mean cellular.bars >= 2 bars", 2),
      ("hang.rate <= 90 s/h", 90), ("mean memory.suspended <= 100 MB", 1e8),
      ("p50 launch.first_draw<=2s", 2000), ("p50 launch.first_draw ≤ 2 s", 2000),
    ])
  func units(line: String, target: Double) throws {
    #expect(try budget(line).target == target)
  }

  @Test("a budget's devices are a pattern, a model or a class, with or without quotation marks")
  func devices() throws {
    let line = "p90 memory.peak <= 300 MB, on "
    #expect(try budget(line + "iPhone12,*").device == .pattern("iPhone12,*"))
    #expect(try budget(line + "iPad13,16, over 7 d").device == .pattern("iPad13,16"))
    #expect(try budget(line + "arm64").device == .pattern("arm64"))
    #expect(try budget(line + "iPhone 12 and older").device?.text == "iPhone 12 and older")
    #expect(try budget(line + "\"iPhone 12 and older\"").device?.text == "iPhone 12 and older")
    #expect(try budget(line + "mac intel, in production").device?.text == "Mac Intel")
  }

  @Test("a class and a pattern match the models that they name")
  func matching() throws {
    let older = try #require(try budget("p90 memory.peak <= 300 MB, on iPhone 12 and older").device)
    #expect(older.matches(model: "iPhone13,2"))
    #expect(!older.matches(model: "iPhone14,5"))
    let cases = [
      ("iPhone12,*", "iPhone12,1", true), ("iPhone12,*", "iPhone12,", true), ("iPhone12,*", "iPhone13,1", false),
      ("*", "", true), ("*,1", "iPhone12,1", true), ("*,1", "iPhone12,10", false), ("i*d*,*", "iPad13,4", true),
      ("iPhone12,1", "iPhone12,10", false), ("**1", "iPhone12,1", true), ("a*b*c", "abbcbc", true),
      ("a*b", "ac", false),
    ]
    for (pattern, model, expected) in cases {
      #expect(DeviceMatch.pattern(pattern).matches(model: model) == expected, "\(pattern) \(model)")
    }
  }

  @Test("a pattern with many stars does not take exponential time")
  func hostilePattern() {
    let pattern = DeviceMatch.pattern(String(repeating: "*a", count: 200) + "b")
    #expect(!pattern.matches(model: String(repeating: "a", count: 2000)))
  }

  @Test("custom metrics need no catalogue entry for a budget")
  func custom() throws {
    let rows = try budget("p90 checkout.time <= 3 s, warn at 1500 ms")
    #expect(rows.metric == "checkout.time")
    #expect(rows.unit == .seconds)
    #expect(rows.target == 3)
    #expect(rows.warnTarget == 1.5)
    #expect(try budget("carts.abandoned <= 7").unit == .count)
    #expect(try budget("cache.hits >= 90%").target == 90)
    #expect(try budget("p50 \"launch.first_drawn\" <= 1 s").metric == "launch.first_drawn")
    #expect(try budget("p50 \"signpost.Net.Load cart\" <= 1 s").metric == "signpost.Net.Load cart")
  }

  @Test("a budget in seconds can limit a metric that is sent in milliseconds")
  func conversion() throws {
    let seconds = try budget("p90 checkout.time <= 3 s, warn at 1 s")
    let milliseconds = try #require(seconds.converted(to: .milliseconds))
    #expect(milliseconds.target == 3000)
    #expect(milliseconds.warnTarget == 1000)
    #expect(milliseconds.unit == .milliseconds)
    #expect(seconds.converted(to: .bytes) == nil)
  }
}
