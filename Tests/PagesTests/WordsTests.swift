import Health
import Storage
import Telemetry
import Testing

@testable import Pages
@testable import Wording

@Suite struct WordsTests {
  private func result(
    _ metric: String, n: Int, _ reason: BudgetResult.Reason?, needed: Int?, _ value: Double? = nil,
    _ low: Double? = nil, _ high: Double? = nil
  ) -> BudgetResult {
    BudgetResult(
      budget: "x", metric: metric, unit: .ratio, statistic: nil, verdict: .notEnoughData, reason: reason,
      needed: needed, value: value, low: low, high: high, n: n, target: 0.995, direction: .higher, slice: Slice(),
      window: Fleet.window)
  }

  private func spaced(_ text: String?) -> String? { text.map { String($0.map { $0 == "\u{A0}" ? " " : $0 }) } }

  @Test("too few events say how many would do")
  func few() {
    let text = result("sessions.crash_free", n: 40, .few, needed: 558).explanation
    #expect(text == "40 sessions; at least 598 are needed.")
    #expect(result("launch.first_draw", n: 1, .few, needed: 28).explanation == "1 launch; at least 29 are needed.")
    #expect(result("memory.peak", n: Int.max, .few, needed: 1).explanation?.hasPrefix("9,223") == true)
  }

  @Test("a value close to the budget says how close and how much more is needed")
  func close() {
    let text = result("sessions.crash_free", n: 1000, .close, needed: 3000, 0.995, 0.9895, 0.998).explanation
    #expect(spaced(text) == "99.50 %, between 98.95 % and 99.80 %; about 3,000 more sessions are needed.")
  }

  @Test("a judged budget needs no explanation")
  func judged() {
    var judged = result("sessions.crash_free", n: 1000, nil, needed: nil)
    judged.verdict = .within
    #expect(judged.explanation == nil)
  }

  private func vitals(_ list: [(String, Verdict)]) -> [Vital] {
    list.map { title, verdict in
      var result = result("sessions.crash_free", n: 1, nil, needed: nil)
      result.verdict = verdict
      return Vital(title: title, result: result, trend: [], advice: nil)
    }
  }

  @Test("the summary says in one breath whether all is well, and what broke")
  func summary() {
    #expect(Summary.sentence([]) == "No budget has data yet.")
    #expect(Summary.sentence(vitals([("A", .within)])) == "The one budget is met.")
    #expect(Summary.sentence(vitals([("A", .within), ("B", .within)])) == "Both budgets are met.")
    #expect(
      Summary.sentence(vitals([("A", .within), ("B", .notEnoughData)]))
        == "No budget is broken: one of two is met, one lacks the data to tell.")
    #expect(
      Summary.sentence(vitals([("A", .notEnoughData)]))
        == "No budget is broken; there is not enough data yet to say that one is met.")
    #expect(
      Summary.sentence(
        vitals([("Hang rate", .broken), ("SwiftUI body", .broken), ("Screen load", .broken), ("Resume", .warning)]))
        == "Hang rate, SwiftUI body and screen load are broken. Resume warns.")
    #expect(
      Summary.sentence(vitals([("Hang rate", .broken), ("A", .within), ("B", .notEnoughData)]))
        == "Hang rate is broken. One is within budget, one lacks the data to tell.")
  }

  @Test("names without markup lose the characters that turn text around")
  func plainNames() {
    #expect(PlainName.text("a\u{202E}b\u{2067}c") == "abc")
    #expect(PlainName.text(String(repeating: "x", count: 200)).unicodeScalars.count == 97)
    #expect(PlainName.text("שלום") == "\u{2068}שלום\u{2069}")
  }

  @Test("crash-free, launch, hang and memory come first; the rest fits a table unless it breaks")
  func order() {
    let split = VitalOrder.split(Fleet.vitals.reversed())
    #expect(
      split.cards.map(\.result.metric) == [
        "users.crash_free_daily", "sessions.crash_free", "launch.extended", "launch.resume", "launch.first_draw",
        "hang.rate", "memory.suspended", "memory.peak", "screen.load",
      ])
    #expect(
      split.rest.map(\.result.metric) == ["disk.writes", "network.request", "ui.frame_rate", "ui.scroll_hitch_ratio"])
  }
}
