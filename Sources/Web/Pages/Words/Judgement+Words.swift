import Analysis
import Core
import Storage

extension Judgement {
  /// The advice as a word. For a whole app or a replaced release it is the verdict, because neither can be shipped.
  var word: String {
    guard advice == .ship || advice == .hold else { return advice.word }
    guard let release, release.stage != .replaced else { return Optional(verdict).word }
    return advice.word
  }

  /// The reason for the advice, in one sentence.
  var reason: String {
    let titles = SentenceWords.unique(
      broken.filter { $0.result.verdict == verdict }.map { ShortenedName.text($0.title) })
    let names = SentenceWords.list(SentenceWords.shortened(titles, most: 6))
    switch advice {
    case .hold: return "\(names) \(titles.count == 1 ? "is" : "are") broken."
    case .watch:
      return "Nothing is broken; \(EventNoun.withinSentence(names)) "
        + "\(titles.count == 1 ? "is" : "are") at warning level."
    case .ship:
      let within = counts[.within, default: 0]
      if within == budgets.count {
        if within == 1 { return "The only budget is met." }
        return "\(within == 2 ? "Both" : "All \(SentenceWords.number(within))") budgets are met."
      }
      let met = SentenceWords.capitalized(SentenceWords.number(within))
      return "\(met) of \(SentenceWords.number(budgets.count)) budgets are met and none is broken."
    case .wait: return waitReason
    }
  }

  private var waitReason: String {
    if slice.environment == "simulated" { return "Simulated payloads from Xcode are shown but not judged." }
    guard budgets.isEmpty else { return "Nothing is broken, but most budgets do not have enough data." }
    guard let release else { return "No budget has data in this period." }
    if release.sessions == 0, release.payloads == 0 {
      return "Only diagnostics such as crashes and hangs were received. Verdicts need sessions or metrics."
    }
    return (release.adoption ?? 0) < Self.leastAdoption
      ? "Too few users have this release." : "No budget has data for this release."
  }
}

extension Judgement.Advice {
  var word: String {
    switch self {
    case .hold: "Hold"
    case .watch: "Watch"
    case .ship: "Ship"
    case .wait: "Not enough data"
    }
  }

  var symbol: String { verdict.symbol }
  /// The CSS class that gives the colour.
  var style: StaticString { verdict.style }

  private var verdict: Verdict? {
    switch self {
    case .hold: .broken
    case .watch: .warning
    case .ship: .within
    case .wait: .notEnoughData
    }
  }
}
