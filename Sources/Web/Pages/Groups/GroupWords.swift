import Analysis
import Core
import Storage

/// Sentences about groups.
enum GroupWords {
  /// A note that the samples ignore the filters, because there are few of them; empty without filters.
  static func ofWhole(_ slice: Slice) -> String {
    let isNarrow = [slice.release, slice.os, slice.device, slice.deviceClass, slice.attribute?.text].contains {
      $0 != nil
    }
    return isNarrow ? " The filters above do not apply here." : ""
  }

  /// Whether the group was first seen in the last quarter of the window.
  static func isNew(_ group: GroupSummary, in window: Window) -> Bool {
    group.firstSeen.number > window.to.number - max(1, window.days / 4)
  }

  /// What costs are compared with: `Beyond 4.1.0, in 4.2.0`.
  static func beyond(_ releases: CostReleases) -> String {
    let release = ShortenedName.text(releases.release)
    return releases.base.map { "Beyond \(ShortenedName.text($0)), in \(release)" } ?? "In \(release)"
  }

  /// The count beyond the base with its interval: `+120 users (80 to 160)`.
  static func cost(_ cost: GroupCost) -> String {
    let (low, high) = (cost.beyondBase.low ?? 0, cost.beyondBase.high ?? 0)
    let beyond = signed(cost.beyondBase.value ?? 0)
    return "\(beyond) \(noun(cost)) (\(signed(low)) to \(signed(high)))\(cost.isCertain ? "" : ", within chance")"
  }

  static func atFullAdoption(_ cost: GroupCost, _ window: Window) -> String {
    let days = window.days == 1 ? "1 day" : "\(window.days) days"
    return cost.isCertain ? "\(signed(cost.atFullAdoption)) \(noun(cost)) in \(days)" : "not more than by chance"
  }

  static func noun(_ cost: GroupCost) -> String {
    switch cost.unit {
    case .users: "users"
    case .sessions: "sessions"
    case .diagnostics: "reports"
    }
  }

  /// A rounded count with its sign.
  static func signed(_ value: Double) -> String {
    let count = Int(max(-1e15, min(1e15, value.rounded())))
    return count < 0 ? "−" + Decimal.grouped(-count) : count > 0 ? "+" + Decimal.grouped(count) : "0"
  }

  static func reports(_ count: Int) -> String { count == 1 ? "1 report" : "\(Decimal.grouped(count)) reports" }

  /// The share with its interval and what it is of.
  static func share(_ group: GroupSummary, _ slice: Slice) -> String {
    guard let value = group.share.estimate.value else {
      return group.shareBasis == .sessions ? "No report has a session ID." : "Its share is unknown."
    }
    let interval = Quantity.interval(group.share.estimate.low, group.share.estimate.high, .ratio)
    let share = "\(Quantity.text(value, .ratio)) (\(interval))"
    let release = slice.release.map { " of \(ShortenedName.text($0))" } ?? ""
    switch group.shareBasis {
    case .sessions: return "\(share) of \(Decimal.grouped(group.share.n)) sessions\(release)."
    case .diagnostics:
      let noun = DiagnosticKindWords.report(group.kind) + (group.share.n == 1 ? "" : "s")
      return "\(share) of \(Decimal.grouped(group.share.n)) \(noun)\(release); no report has a session ID."
    }
  }
}
