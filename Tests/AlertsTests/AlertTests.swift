import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

struct AlertTests {
  private static let window = Window(days: 28, endingOn: CalendarDay(number: 20_777))

  private static func result(
    _ verdict: Verdict, statistic: String? = "p90", metric: String = "launch.first_draw", requiresData: Bool = false
  ) -> BudgetResult {
    BudgetResult(
      budget: "p90 launch.first_draw <= 2 s", metric: metric, unit: .milliseconds, statistic: statistic,
      verdict: verdict,
      value: 2310, low: 2280, high: 2350, n: 20_311, target: 2000, warnTarget: 1500, direction: .lower,
      basis: .clusters,
      slice: Slice(), window: window, requiresData: requiresData)
  }

  private static let few = BudgetResult(
    budget: "sessions.crash_free >= 99.5%", metric: "sessions.crash_free", unit: .ratio, statistic: nil,
    verdict: .notEnoughData, reason: .few, needed: 558, value: 0.975, low: 0.887, high: 0.9987, n: 40, target: 0.995,
    direction: .higher, slice: Slice(release: "4.3.0"), window: window, requiresData: true)

  private static func text(_ results: [BudgetResult], _ format: OutputFormat) -> String {
    let bytes = VerdictFormatter.text([VerdictReport(app: "com.example.shop", results: results)], format)
    // Numbers and their units are kept on one line by a space that does not break.
    return String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\u{A0}", with: " ")
  }

  private static let brokenLine =
    "BROKEN com.example.shop: p90 launch.first_draw is 2.31 s (2.28–2.35 s at 95 %, n 20,311), budget <= 2 s "
    + "[production, 2026-10-24 to 2026-11-20]"

  @Test("verdicts as text are empty if every budget is met")
  func silent() {
    #expect(Self.text([Self.result(.within), Self.result(.notEnoughData)], .text).isEmpty)
    #expect(Self.text([Self.result(.within)], .github).isEmpty)
  }

  @Test("text output has one line per finding, the worst first")
  func text() {
    let lines = Self.text([Self.few, Self.result(.within), Self.result(.warning), Self.result(.broken)], .text)
      .split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0] == Self.brokenLine)
    #expect(
      lines[1]
        == "WARNING com.example.shop: p90 launch.first_draw is 2.31 s (2.28–2.35 s at 95 %, n 20,311), "
        + "budget <= 2 s, warn at 1.50 s [production, 2026-10-24 to 2026-11-20]"
        || lines[1].hasSuffix("budget <= 2 s, warn at 1.5 s [production, 2026-10-24 to 2026-11-20]"))
    #expect(
      lines[2]
        == "NOT ENOUGH DATA com.example.shop: sessions.crash_free is 97.5 % (88.7–99.9 % at 95 %, n 40 of fewer than 10 "
        + "user-days), budget >= 99.5 % [production, 4.3.0, 2026-10-24 to 2026-11-20] 40 sessions; at least 598 are needed."
    )
  }

  @Test("GitHub's commands escape whatever would end a command, and nothing else")
  func github() {
    let text = Self.text([Self.result(.broken, metric: "custom.a:b,c%\nd")], .github)
    let line = Self.brokenLine.replacingOccurrences(of: "launch.first_draw", with: "custom.a:b,c%25%0Ad")
      .replacingOccurrences(of: "95 %,", with: "95 %25,")
    #expect(text == "::error title=p90 custom.a%3Ab%2Cc%25%0Ad::\(line)\n")
    #expect(Self.text([Self.result(.warning)], .github).hasPrefix("::warning title=p90 launch.first_draw::WARNING "))
  }

  @Test("JUnit has a case per budget: broken fails, not enough data is skipped, and hostile names stay text")
  func junit() throws {
    let hostile = Self.result(.within, metric: "x")
    var named = hostile
    named.budget = "p90 \"<&>\u{1}\u{FFFF}' <= 1"
    let text = Self.text([Self.result(.broken), Self.few, Self.result(.warning), named], .junit)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == #"<?xml version="1.0" encoding="UTF-8"?>"#)
    #expect(lines[2] == #"  <testsuite name="com.example.shop" tests="4" failures="1" skipped="1">"#)
    #expect(
      lines[3]
        == "    <testcase classname=\"com.example.shop\" name=\"p90 launch.first_draw &lt;= 2 s\"><failure message=\""
        + Self.brokenLine.replacingOccurrences(of: "<", with: "&lt;") + "\"/></testcase>")
    #expect(lines[4].contains("name=\"sessions.crash_free &gt;= 99.5% [4.3.0]\"><skipped message="))
    #expect(lines[5].contains("<system-out>WARNING "))
    #expect(lines[6] == "    <testcase classname=\"com.example.shop\" name=\"p90 &quot;&lt;&amp;&gt;' &lt;= 1\"/>")
    #expect(lines.last == "</testsuites>")
  }

  @Test("JSON contains every result, including those within budget")
  func json() throws {
    let bytes = VerdictFormatter.text(
      [VerdictReport(app: "com.example.shop", results: [Self.result(.within), Self.few])], .json)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(json["app"] as? String == "com.example.shop")
    let budgets = try #require(json["budgets"] as? [[String: Any]])
    #expect(budgets.map { $0["verdict"] as? String } == ["within", "not_enough_data"])
    #expect(budgets[0]["needed"] is NSNull)
    #expect(budgets[1]["needed"] as? Int == 558)
    #expect(budgets[1]["reason"] as? String == "few")
    #expect((budgets[1]["slice"] as? [String: String])?["release"] == "4.3.0")
  }

  @Test("the exit code is 2 for broken, 1 for a warning or missing required data, and otherwise 0")
  func exitStatus() {
    func status(_ results: BudgetResult...) -> Int32 { VerdictReport(app: "a", results: results).exitStatus }
    #expect(status() == 0)
    #expect(status(Self.result(.within), Self.result(.notEnoughData)) == 0)
    #expect(status(Self.result(.warning), Self.result(.within)) == 1)
    #expect(status(Self.result(.notEnoughData, requiresData: true)) == 1)
    #expect(status(Self.result(.warning), Self.result(.broken), Self.few) == 2)
  }

  @Test("an unknown number is shown as missing, never as 0")
  func unknown() {
    var empty = Self.few
    (empty.value, empty.low, empty.high, empty.n, empty.needed) = (nil, nil, nil, 0, nil)
    #expect(Self.text([empty], .text).contains("sessions.crash_free has no value, budget"))
  }
}
