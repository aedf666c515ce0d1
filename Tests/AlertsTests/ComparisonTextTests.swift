import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("A comparison as text")
struct ComparisonTextTests {
  private func metric(
    _ verdict: ComparisonVerdict, title: String = "Launch to first draw", high: Double = 0.16, budget: Bool = true
  ) -> MetricComparison {
    MetricComparison(
      name: "launch.first_draw", title: title, unit: .milliseconds, kind: .distribution, statistic: "p90",
      budget: budget ? "p90 launch.first_draw <= 2 s" : nil, direction: .lower, source: .metricKit, days: 7,
      base: ComparedValue(estimate: Estimate(value: 1390, low: 1331, high: 1452), n: 2011),
      head: ComparedValue(estimate: Estimate(value: 1529, low: 1471, high: 1590), n: 2044),
      difference: ComparedDifference(value: 0.098, low: 0.041, high: high, pValue: 0.0002, strata: 3),
      rawDifference: 0.1, isRelative: true, margin: 0.1, verdict: verdict,
      reason: verdict == .notEnoughData ? .close : nil, needed: verdict == .notEnoughData ? 850 : nil)
  }

  private func comparison(_ metrics: MetricComparison...) -> ReleaseComparison {
    ReleaseComparison(
      app: "com.example.shop", base: "4.1.0", head: "4.2.0",
      window: Window(days: 7, endingOn: CalendarDay(number: 20_777)), environment: "production", metrics: metrics,
      digestedThrough: 1, asOf: Timestamp(milliseconds: 0))
  }

  private func text(_ comparison: ReleaseComparison, _ format: OutputFormat) -> String {
    String(decoding: ComparisonFormatter.text(comparison, format), as: UTF8.self)
      .replacingOccurrences(of: "\u{A0}", with: " ")
  }

  @Test("a comparison in Markdown begins with the result, and shows what is worse in bold")
  func markdown() {
    let lines = text(comparison(metric(.worse), metric(.notEnoughData)), .markdown).split(separator: "\n")
    #expect(
      lines.first == "4.2.0 against 4.1.0: worse in Launch to first draw (p90); not enough data in 1.")
    #expect(lines[1] == "| Metric | 4.1.0 | 4.2.0 | Difference | 95 % | All devices | Verdict |")
    #expect(
      lines[3] == "| **Launch to first draw (p90)** | **1.39 s (1.33–1.45 s), n 2,011** | "
        + "**1.53 s (1.47–1.59 s), n 2,044** | **+10 %** | **+4 to +16 %** | **+10 %** | **worse** |")
    #expect(lines[4].hasSuffix("| not enough data, about 850 more launches of 4.2.0 needed |"))
  }

  @Test("a name from a device cannot become markup, a mention or a table cell")
  func hostile() {
    let name = "<img src=x>|@team **b** [a](http://x) `c`\n# d\u{202E}"
    let found = text(comparison(metric(.worse, title: name)), .markdown)
    let plain = text(comparison(metric(.worse)), .markdown)
    #expect(found.split(separator: "\n").count == plain.split(separator: "\n").count)
    #expect(!found.contains("<img") && !found.contains("@team") && !found.contains("\u{202E}"))
    #expect(found.contains("\\|") && found.contains("\\[a\\]") && found.contains("\\`c\\`"))
  }

  @Test("JUnit and annotations list what stops a release, and what a person should check")
  func buildServers() {
    let found = comparison(
      metric(.worse), metric(.worse, title: "A \"<b>\"\n::error::x", budget: false), metric(.notEnoughData),
      metric(.better))
    let junit = text(found, .junit)
    #expect(junit.contains("tests=\"4\" failures=\"1\" skipped=\"1\""))
    #expect(junit.contains("<failure message=\"worse: Launch to first draw (p90), 4.1.0 1.39 s"))
    #expect(junit.contains("name=\"A &quot;&lt;b&gt;&quot;::error::x (p90)\"><system-out>"))
    let lines = text(found, .github).split(separator: "\n")
    #expect(lines.map { $0.prefix { $0 != " " } } == ["::error", "::warning", "::warning"])
    #expect(text(comparison(metric(.better)), .github).hasPrefix("::notice title=4.2.0 against 4.1.0::"))
  }

  @Test("the columns of a comparison's text are aligned")
  func aligned() {
    let lines = text(comparison(metric(.worse), metric(.better, title: "A")), .text).split(separator: "\n")
    let verdicts = lines.suffix(3).map { line in
      ["verdict", "worse", "better"].compactMap { line.range(of: $0, options: .backwards)?.lowerBound }
        .map { line[..<$0].unicodeScalars.count }.first
    }
    #expect(Set(verdicts).count == 1 && verdicts.first != nil)
  }

  @Test("a gate stops a release if a metric with a budget is worse by more than the margin")
  func outcome() {
    #expect(comparison(metric(.worse)).outcome == .worse)
    #expect(comparison(metric(.worse, high: 0.09)).outcome == .warning)
    #expect(comparison(metric(.worse, budget: false)).outcome == .warning)
    #expect(comparison(metric(.notEnoughData)).outcome == .warning)
    #expect(comparison(metric(.notEnoughData), metric(.noDifferenceShown)).outcome == .passed)
    #expect(comparison(metric(.better)).outcome == .passed)
  }
}
