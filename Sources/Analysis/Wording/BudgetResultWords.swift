import Core
package import Storage

package extension BudgetResult {
  /// Why there are too few data for a verdict, and how many more are needed; nil with a verdict.
  var explanation: String? {
    guard verdict == .notEnoughData else { return nil }
    if let reasonText { return reasonText }
    let events = EventNoun.plural(of: metric)
    switch (reason, needed) {
    case (.noGoal, _):
      return "No goal of Apple's for \(budget.split(separator: "<").first ?? "it")was imported; "
        + "`plumb import --app-store-connect` fetches it."
    case (.unmatched, _): return "No data for \(parts.joined(separator: " · "))."
    case (.count, _):
      return "A plain count grows with use and cannot be judged; use a rate or a percentile."
    case (.few, let needed?):
      let (total, overflow) = n.addingReportingOverflow(needed)
      let least = Decimal.grouped(overflow ? Int.max : total)
      return "\(EventNoun.count(n, of: metric)); at least \(least) are needed."
    case (.few, nil) where basis == .events && n > 0:
      return "\(EventNoun.count(n, of: metric)) of fewer than 10 \(groups): too few to estimate how much they vary."
    case (.few, nil): return "\(EventNoun.count(n, of: metric)): too few for a verdict."
    case (.close, let needed?):
      return "\(closeness); about \(EventNoun.more(needed, of: metric)) needed."
    case (.coarse, _):
      return
        "\(closeness): the source's buckets are too wide around the budget; more \(events) will not help."
    case (.close, nil): return "\(closeness): too close to the budget for a verdict."
    case (nil, _): return n == 0 ? "No data." : "\(EventNoun.count(n, of: metric)): no verdict."
    }
  }

  /// The bound that decided the verdict, `at least 6.7 %, 95 % sure`; nil if no bound did.
  var boundText: String? {
    guard let bound, verdict != .notEnoughData else { return nil }
    let isLower = (verdict == .within) == (direction == .higher)
    return
      "at \(isLower ? "least" : "most") \(Quantity.text(bound, like: estimate, unit)), \(Quantity.limit(confidence, .ratio)) sure"
  }

  private var groups: String {
    metric.hasPrefix("sessions.") || metric.hasPrefix("users.") ? "user-days" : "payloads"
  }

  private var closeness: String {
    let number = Quantity.text(estimate, unit)
    func text(_ bound: Double) -> String { Quantity.text(bound, like: estimate, unit) }
    switch (low, high) {
    case (let low?, let high?) where text(low) == text(high):
      return "\(number), to within the resolution of 1.09\u{A0}%"
    case (let low?, let high?):
      return "\(number), between \(text(low)) and \(text(high))"
    case (_?, nil) where isAtLeast: return number
    case (let low?, nil): return "\(number), at least \(text(low))"
    case (nil, let high?): return "\(number), at most \(text(high))"
    case (nil, nil): return number
    }
  }

  /// The slice that the budget was evaluated on, such as `4.3.0 · iOS 17.4.1`, without the parts that the budget's text
  /// already names; nil if nothing is left.
  var scope: String? {
    let named = parts.filter { !isNamed($0) }
    return named.isEmpty ? nil : named.joined(separator: " · ")
  }

  /// The slice that the budget was evaluated on, without the parts that the page's slice or the budget's text already
  /// names; nil if nothing is left.
  func scope(beside shown: Slice) -> String? {
    let known = [
      shown.release, shown.os, shown.device, shown.deviceClass, shown.label, shown.environment, shown.attribute?.text,
    ]
    let named = parts.filter { !known.contains($0) && !isNamed($0) }
    return named.isEmpty ? nil : named.joined(separator: " · ")
  }

  /// The limit with its sign, and the warning level if the verdict is a warning: `≤ 2 s`, `≤ 10 ms/s, warn at 5 ms/s`.
  var limitText: String {
    let limit = (direction == .lower ? "≤ " : "≥ ") + targetText
    guard verdict == .warning, let warnTarget else { return limit }
    return limit + ", warn at " + Quantity.limit(warnTarget, unit)
  }

  /// The whole slice that the budget was evaluated on, for lines that do not quote the budget.
  var fullScope: String? { parts.isEmpty ? nil : parts.joined(separator: " · ") }

  /// Whether the budget's text contains a part of the slice, with or without spaces around its sign.
  private func isNamed(_ part: String) -> Bool {
    budget.contains(part) || slice.attribute.map { part == $0.text && budget.contains(" where \($0.name)") } ?? false
  }

  private var parts: [String] {
    [
      slice.release, slice.os, slice.device, slice.deviceClass, slice.label, slice.attribute?.text,
      slice.environment == "production" ? nil : slice.environment,
    ].compactMap { $0 }.filter { !$0.isEmpty }
  }
}

extension BudgetResult {
  /// The limit with its origin: `2 s`, `1.2 s (Apple's goal, 2026-11-20)`; `Apple's goal` while it is unknown.
  package var targetText: String {
    guard let target else { return "Apple's goal" }
    let text = Quantity.limit(target, unit)
    guard case .imported(let day) = appleGoal else { return text }
    return "\(text) (Apple's goal, \(day.iso))"
  }

  /// The day on which Apple's goal was imported; nil for other budgets, and while it is unknown.
  var goalDay: CalendarDay? { if case .imported(let day) = appleGoal { day } else { nil } }

  /// A budget in words in which Apple's goal has its value.
  package func withGoal(_ words: String) -> String {
    appleGoal == nil ? words : words.replacing(AppleGoal.word, with: targetText)
  }
}
