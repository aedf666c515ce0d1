import HTML
import Health
import Telemetry
import Wording

/// Which groups a release's crashes are, and what it would be without each.
struct ImpactSection: Markup {
  var app: String
  var impact: GroupImpact?
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let impact, !impact.parts.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "What crashes")
      html.element("p", text: ImpactWords.sentence(impact))
      html.write(
        Table(
          impact.basis == .sessions
            ? "Groups of crashes of \(PlainName.text(impact.release)); crash-free sessions with 95 % intervals"
            : "Groups of crashes of \(PlainName.text(impact.release)); clients named no sessions, so that shares are of crashes",
          ["Group", .number("Crashes"), .number("Share"), .number("Crash-free without it")]
        ) { html in
          for part in impact.parts { html.row { row(part, &$0) } }
        })
    }
  }

  private func row(_ part: GroupImpact.Part, _ html: inout HTMLWriter) {
    html.rowHead { html in
      html.element("a", .href(links.href(.group(app: app, id: part.group.id)))) { $0.write(Name(part.group.title)) }
      html.text(" ")
      html.write(GroupBadge(status: part.group.status, isNew: part.isNew))
    }
    html.countCell(impact?.basis == .sessions ? part.group.sessions : part.group.diagnostics)
    html.element("td", .class("n"), text: Quantity.text(part.share, .ratio))
    html.estimateCell(part.without.estimate, .ratio)
  }
}

/// "Crash-free sessions fell from 99.7 to 99.2 %: these 3 groups account for 84 % of the crashed sessions of 4.2.0."
enum ImpactWords {
  /// The sentence, which claims no more than is known.
  static func sentence(_ impact: GroupImpact) -> String {
    let count = impact.parts.count
    let groups = count == 1 ? "this group accounts" : "these \(count) groups account"
    let what = impact.basis == .sessions ? "crashed sessions" : "crashes"
    let release = PlainName.text(impact.release)
    let claim =
      "\(groups) for \(Quantity.text(impact.together, .ratio)) of the \(Decimal.grouped(impact.crashed)) \(what) of \(release)."
    guard let now = impact.crashFree.estimate.value, impact.basis == .sessions else { return claim.capitalizedFirst }
    guard let before = impact.previousCrashFree.estimate.value, let previous = impact.previous else {
      return "\(Quantity.text(now, .ratio)) of the sessions of \(release) were crash-free: \(claim)"
    }
    let course =
      now < before ? "fell from" : now > before ? "rose from" : "stayed the same since \(PlainName.text(previous)):"
    let both =
      now == before
      ? Quantity.text(now, .ratio)
      : "\(Quantity.text(before, .ratio)) in \(PlainName.text(previous)) to \(Quantity.text(now, .ratio))"
    return "Crash-free sessions \(course) \(both): \(claim)"
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
