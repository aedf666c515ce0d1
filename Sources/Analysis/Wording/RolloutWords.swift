import Core
import Statistics

extension RolloutVerdict {
  /// The verdict as a word: `Halt`.
  package var word: String {
    switch self {
    case .continue: "Continue"
    case .extend: "Extend"
    case .halt: "Halt"
    }
  }
}

extension RolloutReport {
  /// The reason for the verdict, in one sentence.
  package var sentence: String {
    if vitals.isEmpty { return "No vital with a budget has data of both \(release) and \(base) yet." }
    switch verdict {
    case .halt:
      let others = worse.dropFirst().map { EventNoun.withinSentence($0.plainTitle) }
      let rest = others.isEmpty ? "" : " Also worse: \(others.joined(separator: ", "))."
      return (worse.first.map { "\($0.finding(base: base)). \($0.oddsText)" } ?? "") + rest
    case .extend:
      let doubtful = vitals.filter { $0.state == .suspicious }
      if let first = doubtful.first {
        return "\(first.plainTitle) may be worse than on \(base), but the evidence is not yet enough to halt."
      }
      let unknown = vitals.filter { $0.state == .unknown }.map { EventNoun.withinSentence($0.plainTitle) }
      return "Too few data to exclude that \(release) is twice as bad as \(base): \(Self.list(unknown))."
    case .continue:
      // Only those whose first session is worse than the base's have a cause.
      let first = vitals.filter { $0.state == .afterUpdate && $0.causes != nil }.map(\.plainTitle)
      guard first.isEmpty else {
        return "\(Self.list(first)) of \(release) \(first.count == 1 ? "is" : "are") worse than on \(base) only in the "
          + "first session after the update."
      }
      let updated = vitals.filter { $0.state == .afterUpdate }.map { EventNoun.withinSentence($0.plainTitle) }
      guard updated.isEmpty else {
        return "No vital of \(release) is worse than \(base) was right after its own update; on the same days, "
          + "\(updated.joined(separator: ", ")) \(updated.count == 1 ? "looks" : "look") worse."
      }
      return "No vital of \(release) is worse than on \(base), and none is twice as bad."
    }
  }
}

extension RolloutReport {
  /// The first three names, and the number of the others.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(3).joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }
}

extension RolloutCostForecast {
  /// The forecast as a sentence.
  package var sentence: String {
    let value = Quantity.text(crashFree, .ratio)
    let share = Quantity.limit(adoption, .ratio)
    return "At \(share) adoption, \(value) of a day's sessions will be free of crashes "
      + "(\(Quantity.interval(crashFree, .ratio)))\(usersText)."
  }

  private var usersText: String {
    guard let moreUsers, let value = moreUsers.value, let low = moreUsers.low, let high = moreUsers.high else {
      return ""
    }
    func count(_ value: Double) -> String { Decimal.grouped(Int(saturating: value.magnitude.rounded())) }
    func signed(_ value: Double) -> String { value < 0 ? "\(count(value)) fewer" : "\(count(value)) more" }
    return
      "; \(count(value)) \(value < 0 ? "fewer" : "more") users a day would crash (\(signed(low)) to \(signed(high)))"
  }
}

extension RolloutDay {
  /// What has arrived of a day that is not complete: `82 % of the sessions and 61 % of the crashes`; nil if nothing is
  /// known to be missing.
  package var arrivedText: String? {
    let parts = [(arrived.sessions, "sessions"), (arrived.crashes, "crashes"), (arrived.payloads, "payloads")]
      .compactMap { share, name in share.map { "\(max(1, Int(($0 * 100).rounded()))) % of the \(name)" } }
    guard let last = parts.last else { return nil }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension RolloutReport {
  /// What the last days lack, newest first; nil if nothing is known to be missing.
  package var arrivedSentence: String? {
    let parts = days.reversed().compactMap { day in day.arrivedText.map { "\($0) of \(day.day.iso)" } }
    guard !parts.isEmpty else { return nil }
    return "Arrived so far, judging by older days: \(parts.prefix(4).joined(separator: "; "))."
  }
}

extension RolloutVital {
  /// The metric and its statistic: `Launch to first draw (p90)`.
  package var plainTitle: String { statistic.map { "\(title) (\($0))" } ?? title }

  /// The ratio with its interval: `1.9 times (1.4–2.6)`; an en dash if it is unknown.
  package var ratioText: String {
    func number(_ value: Double) -> String { Decimal.significant(value) }
    guard let value = ratio.value else {
      return ratio.high.map { "at most \(number($0)) times" } ?? Quantity.unknown
    }
    switch (ratio.low, ratio.high) {
    case (let low?, let high?): return "\(number(value)) times (\(number(low))–\(number(high)))"
    case (let low?, nil): return "\(number(value)) times (at least \(number(low)))"
    case (nil, let high?): return "\(number(value)) times (at most \(number(high)))"
    case (nil, nil): return "\(number(value)) times"
    }
  }

  /// The base at the same age of the update: `99.1 %`, `12 % above 1.42 s`; an en dash if it is unknown.
  package var sameAgeText: String {
    guard let sameAgeBase else { return Quantity.unknown }
    return threshold.map { "\(Quantity.text(sameAgeBase, .ratio)) above \(Quantity.text($0, unit))" }
      ?? Quantity.text(sameAgeBase, like: baseValue, unit)
  }

  /// What is counted: `crashed sessions`, `values above 1.42 s`.
  package var countedText: String {
    if let threshold { return "\(EventNoun.plural(of: name)) above \(Quantity.text(threshold, unit))" }
    switch name {
    case "sessions.crash_free": return "crashed sessions"
    case "sessions.hang_free": return "sessions with a hang"
    case "hang.rate": return "hang time"
    case "hang.frequency": return "hangs"
    default: return EventNoun.withinSentence(title)
    }
  }

  /// The difference: `4.2.0 has 1.9 times (1.4–2.6) the crashed sessions of 4.1.0` without the release's name.
  fileprivate func finding(base: String) -> String {
    "\(plainTitle): \(ratioText) the \(countedText) of \(base), for the same use"
  }

  /// The evidence in odds.
  fileprivate var oddsText: String {
    let odds = min(evidence.value, 1e6)
    let number = Decimal.grouped(Int(odds >= 1_000 ? (odds / 100).rounded(.down) * 100 : odds.rounded(.down)))
    let most = evidence.value > 1e6 ? "fewer than one in a million" : "at most 1 in \(number)"
    return "Of rollouts of a release that is no worse, \(most) ever show this."
  }

  /// The state with its reason, without the release's name.
  package func explanation(base: String) -> String {
    switch state {
    case .worse: "worse than on \(base)"
    case .afterUpdate where causes != nil:
      "worse in the first session after the update; later no worse than \(base) was at the same age"
    case .afterUpdate: "worse on the same days, but no worse than \(base) was right after its own update"
    case .suspicious where matchedShare < 0.5: "perhaps worse; the first days of \(base) are not known"
    case .suspicious where useRatio >= Self.tolerated:
      "perhaps worse; its users use the app \(Decimal.significant(useRatio)) times as much as those of \(base) did"
    case .suspicious: "perhaps worse; not enough evidence to halt"
    case .clear: "not twice as bad"
    case .unknown: wait.map { "too few data; \($0.text)" } ?? "too few data"
    }
  }
}

extension RolloutTimeToDecision {
  /// The time until enough is known: `about 3 days (2–6) at today's use`, `about 3 days (2–6), at 20 % on 2026-11-28`.
  package var text: String {
    guard likely <= Self.longest else { return "more than \(Self.longest) days at today's use" }
    let days = likely == 1 ? "1 day" : "\(likely) days"
    let most = high > Self.longest ? "more than \(Self.longest)" : "\(high)"
    let when = adoption.map { ", at \(Quantity.limit($0, .ratio)) on \(day.iso)" } ?? " at today's use"
    return "about \(days) (\(low == high ? most : "\(low)–\(most)"))\(when)"
  }
}
