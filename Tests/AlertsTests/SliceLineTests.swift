import Alerts
import Foundation
import Health
import Storage
import Telemetry
import Testing

struct SliceLineTests {
  private static func line(_ budget: String, _ slice: Slice, reasonText: String? = nil) -> String {
    var result = BudgetResult(
      budget: budget, metric: "screen.load", unit: .milliseconds, statistic: "p90", verdict: .notEnoughData,
      reason: .unmatched, target: 1000, direction: .lower, slice: slice,
      window: Window(days: 28, endingOn: CalendarDay(number: 20_777)), requiresData: true)
    result.reasonText = reasonText
    return VerdictFormatter.line(result, app: "a.b").replacingOccurrences(of: "\u{A0}", with: " ")
  }

  @Test("a line names everything that narrows what was judged, and why nothing was")
  func narrow() {
    let line = Self.line(
      "p90 screen.load <= 1 s, on iOS <17, on iPhone12,*, label CartView",
      Slice(os: "iOS <17", device: "iPhone12,*", label: "CartView"))
    #expect(line.contains("[production, iOS <17 · iPhone12,* · CartView, 2026-10-24 to 2026-11-20]"), "\(line)")
    #expect(line.hasSuffix(" Nothing was received for iOS <17 · iPhone12,* · CartView."), "\(line)")
  }

  @Test("where no release matches, the line says which were looked for")
  func releases() {
    let line = Self.line(
      "p90 screen.load <= 1 s, with adoption > 90 %", Slice(), reasonText: "No release has adoption > 90 %.")
    #expect(line.hasSuffix("[production, 2026-10-24 to 2026-11-20] No release has adoption > 90 %."), "\(line)")
  }
}
