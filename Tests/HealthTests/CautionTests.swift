import Health
import Storage
import Telemetry
import Testing

@testable import Pages

/// A bad verdict on so few devices that one of them may be all it shows is read with care.
@Suite("The caution of a verdict")
struct CautionTests {
  private func result(_ verdict: Verdict, _ basis: Basis) -> BudgetResult {
    BudgetResult(
      budget: "p90 screen.load <= 1 s", metric: "screen.load", unit: .milliseconds, statistic: "p90", verdict: verdict,
      target: 1000, direction: .lower, basis: basis, slice: Slice(), window: Window(days: 28, endingOn: Scene.today))
  }

  @Test("stands beside what is broken or warns on events alone, and nowhere else")
  func table() {
    #expect(result(.broken, .events).caution?.contains("fewer than ten devices") == true)
    #expect(result(.warning, .events).caution?.contains("fewer than ten devices") == true)
    for verdict in [Verdict.within, .notEnoughData] { #expect(result(verdict, .events).caution == nil) }
    for verdict in Verdict.allCases { #expect(result(verdict, .clusters).caution == nil) }
  }
}
