import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

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

  @Test("a budget with too few events states how many are enough")
  func few() {
    let text = result("sessions.crash_free", n: 40, .few, needed: 558).explanation
    #expect(text == "40 sessions; at least 598 are needed.")
    #expect(result("launch.first_draw", n: 1, .few, needed: 28).explanation == "1 launch; at least 29 are needed.")
    #expect(result("memory.peak", n: Int.max, .few, needed: 1).explanation?.hasPrefix("9,223") == true)
  }

  @Test("a value close to the budget states how close it is and how much more is needed")
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

  private func judgement(
    _ list: [(String, Verdict)], release: ReleaseReport? = Fleet.bad, environment: String = "production"
  ) -> Judgement {
    let budgets = list.map { title, verdict in
      var result = result("sessions.crash_free", n: 1, nil, needed: nil)
      result.verdict = verdict
      return JudgedBudget(title: title, result: result)
    }
    return Judgement(
      release: release, window: Fleet.window, slice: Slice(environment: environment), budgets: budgets)
  }

  @Test("a release is held for its broken budgets, in their order and each once")
  func hold() {
    #expect(judgement([("Hang rate", .broken), ("A", .within)]).reason == "Hang rate is broken.")
    #expect(
      judgement([("Hang rate", .broken), ("SwiftUI body", .broken), ("Screen load", .broken), ("Resume", .warning)])
        .reason == "Hang rate, SwiftUI body and screen load are broken.")
    #expect(judgement([("Hang rate", .broken), ("Hang rate", .broken)]).reason == "Hang rate is broken.")
    #expect(
      judgement((1...9).map { ("Metric \($0)", .broken) }).reason
        == "Metric 1, metric 2, metric 3, metric 4, metric 5, metric 6 and three more are broken.")
  }

  @Test("the reason of a judgement gives the warnings, the met budgets, or that most lack data")
  func otherReasons() {
    #expect(
      judgement([("Resume", .warning), ("A", .within)]).reason == "Nothing is broken; resume is at warning level.")
    #expect(
      judgement([("Resume", .warning), ("Hang rate", .warning)]).reason
        == "Nothing is broken; resume and hang rate are at warning level.")
    #expect(judgement([("A", .within)]).reason == "The only budget is met.")
    #expect(judgement([("A", .within), ("B", .within)]).reason == "Both budgets are met.")
    #expect(judgement([("A", .within), ("B", .within), ("C", .within)]).reason == "All three budgets are met.")
    #expect(
      judgement([("A", .within), ("B", .within), ("C", .notEnoughData)]).reason
        == "Two of three budgets are met and none is broken.")
    #expect(
      judgement([("A", .within), ("B", .notEnoughData)]).reason
        == "Nothing is broken, but most budgets do not have enough data.")
  }

  @Test("the reason of a judgement without a number states whether use, sessions or all data is missing")
  func waiting() {
    var release = Fleet.bad
    #expect(judgement([]).reason == "No budget has data for this release.")
    release.adoption = 0.049
    #expect(judgement([], release: release).reason == "Too few users have this release.")
    (release.sessions, release.payloads) = (0, 0)
    #expect(
      judgement([], release: release).reason
        == "Only diagnostics such as crashes and hangs were received. Verdicts need sessions or metrics.")
    #expect(judgement([], release: nil).reason == "No budget has data in this period.")
    let simulated = judgement([("A", .broken)], release: nil, environment: "simulated")
    #expect(simulated.advice == .wait && simulated.word == "Not enough data")
    #expect(simulated.reason == "Simulated payloads from Xcode are shown but not judged.")
  }

  @Test("only a release that is still offered is shipped or held")
  func word() {
    func words(_ release: ReleaseReport?) -> [String] {
      [Verdict.broken, .warning, .within, .notEnoughData].map { judgement([("A", $0)], release: release).word }
    }
    #expect(words(Fleet.bad) == ["Hold", "Watch", "Ship", "Not enough data"])
    var replaced = Fleet.bad
    replaced.stage = .replaced
    #expect(words(replaced) == ["Broken", "Watch", "Within budget", "Not enough data"])
    #expect(words(nil) == ["Broken", "Watch", "Within budget", "Not enough data"])
  }

  @Test("names without markup lose text direction characters")
  func plainNames() {
    #expect(ShortenedName.text("a\u{202E}b\u{2067}c") == "abc")
    #expect(ShortenedName.text(String(repeating: "x", count: 200)).unicodeScalars.count == 97)
    #expect(ShortenedName.text("שלום") == "\u{2068}שלום\u{2069}")
  }

  @Test("crash-free, launch, hang and memory come first, at most six, and the rest is in the table unless broken")
  func order() {
    let split = JudgedBudgetOrder.split(Fleet.budgets.reversed())
    #expect(
      split.cards.map(\.result.metric) == [
        "users.crash_free_daily", "sessions.crash_free", "launch.extended", "launch.resume", "launch.first_draw",
        "hang.rate",
      ])
    #expect(
      split.others.map(\.result.metric) == [
        "disk.writes", "network.request", "ui.frame_rate", "ui.scroll_hitch_ratio", "memory.suspended", "memory.peak",
      ])
    var unknown = Fleet.budgets[0]
    unknown.result.value = nil
    unknown.result.verdict = .notEnoughData
    #expect(JudgedBudgetOrder.split([unknown]).cards.isEmpty && JudgedBudgetOrder.split([unknown]).others.count == 1)
  }
}
