import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

struct SliceLineTests {
  private static func line(_ budget: String, _ slice: Slice, reasonText: String? = nil) -> String {
    var result = BudgetResult(
      budget: budget, metric: "screen.load", unit: .milliseconds, statistic: "p90", verdict: .notEnoughData,
      reason: .unmatched, target: 1000, direction: .lower, slice: slice,
      window: Window(days: 28, endingOn: CalendarDay(number: 20_777)), requiresData: true)
    result.reasonText = reasonText
    return VerdictFormatter.line(result, app: "a.b").replacingOccurrences(of: "\u{A0}", with: " ")
  }

  @Test("a line names every filter of the evaluated data, and the reason if nothing was evaluated")
  func narrow() {
    let line = Self.line(
      "p90 screen.load <= 1 s, on iOS <17, on iPhone12,*, label CartView",
      Slice(os: "iOS <17", device: "iPhone12,*", label: "CartView"))
    #expect(line.contains("[production, iOS <17 · iPhone12,* · CartView, 2026-10-24 to 2026-11-20]"), "\(line)")
    #expect(line.hasSuffix(" No data for iOS <17 · iPhone12,* · CartView."), "\(line)")
  }

  @Test("if no release matches, the line names the releases that were searched for")
  func releases() {
    let line = Self.line(
      "p90 screen.load <= 1 s, with adoption > 90 %", Slice(), reasonText: "No release has adoption > 90 %.")
    #expect(line.hasSuffix("[production, 2026-10-24 to 2026-11-20] No release has adoption > 90 %."), "\(line)")
  }

  @Test("a check prints unmatched budgets as one line, and all of them on request")
  func lines() {
    let window = Window(days: 28, endingOn: CalendarDay(number: 20_777))
    func result(_ text: String, _ verdict: Verdict, _ reason: BudgetResult.Reason? = nil) -> BudgetResult {
      BudgetResult(
        budget: text, metric: "hang.rate", unit: .secondsPerHour, statistic: nil, verdict: verdict, reason: reason,
        value: reason == nil ? 7 : nil, low: reason == nil ? 6 : nil, n: reason == nil ? 90 : 0, target: 5,
        direction: .lower, slice: Slice(release: "4.2.0"), window: window)
    }
    var broken = result("hang.rate <= 5 s/h, for last release", .broken)
    broken.isAtLeast = true
    var again = result("hang.rate <= 5 s/h, with adoption > 10 %", .broken)
    again.isAtLeast = true
    let unmatched = result("hang.rate <= 5 s/h, on iPhone99,1", .notEnoughData, .unmatched)
    let reports = [
      VerdictReport(app: "a.b", results: [broken, again, unmatched, result("hang.rate <= 9 s/h", .within)])
    ]
    func text(_ bytes: [UInt8]) -> [Substring] {
      String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\u{A0}", with: " ").split(separator: "\n")
    }
    let said = text(VerdictFormatter.text(reports, .text))
    #expect(said.count == 2 && said[0].hasPrefix("BROKEN a.b: hang.rate is ≥ 7.00 s/h"), "\(said)")
    #expect(said.last?.hasPrefix("NOT ENOUGH DATA a.b: hang.rate has no value") == true, "\(said)")
    let all = text(VerdictFormatter.everything(reports))
    #expect(all.count == 3 && all[2].hasPrefix("WITHIN a.b: hang.rate is 7.00 s/h"), "\(all)")
  }
}
