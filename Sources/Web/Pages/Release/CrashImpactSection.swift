import Analysis
import Core

/// The section about the groups behind a release's crashes, and the crash-free rate without each.
struct CrashImpactSection: Markup {
  var app: String
  var impact: TopCrashGroups?
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let impact, !impact.parts.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Top crashes")
      html.element("p", text: ImpactWords.sentence(impact))
      html.write(
        Table(
          isMixed
            ? "Crash groups of \(ShortenedName.text(impact.release)). Shares are of crashed sessions or, for groups "
              + "without session IDs, of all crash reports. Crash-free sessions have 95 % intervals"
            : impact.basis == .sessions
              ? "Crash groups of \(ShortenedName.text(impact.release)); crash-free sessions with 95 % intervals"
              : "Crash groups of \(ShortenedName.text(impact.release)); shares are of all crashes (no session IDs)",
          of: impact.parts
        ) {
          Column.head("Group") { part, html in
            html.element("a", .href(links.href(.group(app: app, id: part.group.id)))) {
              $0.write(CodeName(part.group.title))
            }
            html.text(" ")
            html.write(GroupBadge(status: part.group.status, isNew: part.isNew))
          }
          Column.count(counted(impact)) {
            isMixed || $0.basis == .diagnostics ? $0.group.diagnostics : $0.group.sessions
          }
          Column.number("Share") { part in
            Quantity.text(part.share, .ratio)
              + (isMixed ? part.basis == .sessions ? " of sessions" : " of reports" : "")
          }
          Column.estimate("Crash-free without it", { _ in .ratio }, \.without.estimate)
        })
    }
  }

  /// Whether some, but not all, crash reports name their session.
  private var isMixed: Bool { impact.map { $0.basis == .sessions && $0.withoutSession > 0 } ?? false }

  /// The heading of the first column: what is counted.
  private func counted(_ impact: TopCrashGroups) -> String {
    isMixed ? "Reports" : impact.basis == .sessions ? "Crashed sessions" : "Crashes"
  }
}

/// "Crash-free sessions fell from 99.7 to 99.2 %: these 3 groups account for 84 % of the crashed sessions of 4.2.0."
enum ImpactWords {
  /// The sentence, limited to what the data show.
  static func sentence(_ impact: TopCrashGroups) -> String { main(impact) + others(impact) }

  /// A sentence about groups whose reports have no session IDs, in addition to those that do.
  private static func others(_ impact: TopCrashGroups) -> String {
    let count = impact.parts.count { $0.basis == .diagnostics }
    guard impact.basis == .sessions, impact.withoutSession > 0 else { return "" }
    guard count > 0 else { return " Reports without a session ID are not counted in this share." }
    let which =
      count == 1 ? "1 group without session IDs accounts for" : "\(count) groups without session IDs account for"
    return " \(which) \(Quantity.text(impact.together(.diagnostics), .ratio)) of the "
      + "\(Decimal.grouped(impact.diagnostics)) crash reports of \(ShortenedName.text(impact.release)); the share of "
      + "crashed sessions is unknown."
  }

  private static func main(_ impact: TopCrashGroups) -> String {
    let count = impact.parts.count { $0.basis == impact.basis }
    let verb = count == 1 ? "this group accounts" : "these \(count) groups account"
    let isKnown = impact.basis == .diagnostics || impact.withoutSession == 0
    let names = count == 1 ? "1 group with session IDs accounts" : "\(count) groups with session IDs account"
    let groups = isKnown ? verb : names
    let least = isKnown ? "" : "at least "
    let what = impact.basis == .sessions ? "crashed sessions" : "crashes"
    let release = ShortenedName.text(impact.release)
    let all = impact.crashed == 1 ? "the one \(what.dropLast())" : "the \(Decimal.grouped(impact.crashed)) \(what)"
    let claim = "\(groups) for \(least)\(Quantity.text(impact.together, .ratio)) of \(all) of \(release)."
    guard let now = impact.crashFree.estimate.value, impact.basis == .sessions else { return claim.capitalizedFirst }
    guard let before = impact.previousCrashFree.estimate.value, let previous = impact.previous else {
      return "\(Quantity.text(now, .ratio)) of the sessions of \(release) were crash-free: \(claim)"
    }
    guard isApart(impact.crashFree.estimate, impact.previousCrashFree.estimate) else {
      return "Over the whole window, \(Quantity.text(now, .ratio)) of the sessions of \(release) were crash-free, and "
        + "\(Quantity.text(before, .ratio)) of those of \(ShortenedName.text(previous)). The difference may be chance. "
        + claim.capitalizedFirst
    }
    let both = "\(Quantity.text(before, .ratio)) in \(ShortenedName.text(previous)) to \(Quantity.text(now, .ratio))"
    return "Over the whole window, crash-free sessions \(now < before ? "fell" : "rose") from \(both): \(claim)"
  }

  /// Whether the intervals of two numbers do not overlap.
  private static func isApart(_ one: Estimate, _ other: Estimate) -> Bool {
    func isBelow(_ low: Estimate, _ high: Estimate) -> Bool {
      guard let top = low.high, let bottom = high.low else { return false }
      return top < bottom
    }
    return isBelow(one, other) || isBelow(other, one)
  }
}
