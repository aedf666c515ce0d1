import Core
package import Storage

package extension BudgetResult {
  /// Why there are too few data for a verdict, and how many would be enough; nil with a verdict.
  var explanation: String? {
    guard verdict == .notEnoughData else { return nil }
    if let reasonText { return reasonText }
    let events = EventNoun.plural(of: metric)
    switch (reason, needed) {
    case (.unmatched, _): return "Nothing was received for \(parts.joined(separator: " · "))."
    case (.count, _):
      return "A plain count grows with use, so no limit on it can be judged; name a rate or a percentile."
    case (.few, let needed?):
      let (total, overflow) = n.addingReportingOverflow(needed)
      let least = Decimal.grouped(overflow ? Int.max : total)
      return "\(EventNoun.count(n, of: metric)); at least \(least) are needed."
    case (.few, nil) where basis == .events && n > 0:
      return "\(EventNoun.count(n, of: metric)) of fewer than 10 \(groups): too few to tell how much they vary."
    case (.few, nil): return "\(EventNoun.count(n, of: metric)): too few to tell."
    case (.close, let needed?):
      return "\(closeness); about \(EventNoun.more(needed, of: metric)) needed."
    case (.coarse, _):
      return
        "\(closeness): the source's buckets are too coarse around the budget to tell; more \(events) will not help."
    case (.close, nil): return "\(closeness): too close to the budget to tell."
    case (nil, _): return n == 0 ? "Nothing was received." : "\(EventNoun.count(n, of: metric)) do not tell."
    }
  }

  /// `at least 6.7 %, 95 % sure`: the bound that decided the verdict; nil where none did.
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
      return "\(number), to within the 1.09\u{A0}% in which values are distinguished"
    case (let low?, let high?):
      return "\(number), between \(text(low)) and \(text(high))"
    case (_?, nil) where isAtLeast: return number
    case (let low?, nil): return "\(number), at least \(text(low))"
    case (nil, let high?): return "\(number), at most \(text(high))"
    case (nil, nil): return number
    }
  }

  /// The part of the data that the budget was evaluated on, such as `4.3.0 · iOS 17.4.1`, without what the budget's own
  /// text contains; nil if nothing is left.
  var scope: String? {
    let named = parts.filter { !isNamed($0) }
    return named.isEmpty ? nil : named.joined(separator: " · ")
  }

  /// The part of the data that the budget was evaluated on, without what a page's slice or the budget's text contains; nil
  /// if nothing is left.
  func scope(beside shown: Slice) -> String? {
    let known = [
      shown.release, shown.os, shown.device, shown.deviceClass, shown.label, shown.environment, shown.attribute?.text,
    ]
    let named = parts.filter { !known.contains($0) && !isNamed($0) }
    return named.isEmpty ? nil : named.joined(separator: " · ")
  }

  /// The limit with its sign, and the warning level if that is exceeded: `≤ 2 s`, `≤ 10 ms/s, warn at 5 ms/s`.
  var limitText: String {
    let limit = (direction == .lower ? "≤ " : "≥ ") + Quantity.limit(target, unit)
    guard verdict == .warning, let warnTarget else { return limit }
    return limit + ", warn at " + Quantity.limit(warnTarget, unit)
  }

  /// The part of the data that the budget was evaluated on, complete, for lines that do not quote the budget.
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
