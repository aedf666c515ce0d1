import Analysis
import Core
import Storage

/// A table with one row for each group of a kind, costliest first, and a link to its page.
struct GroupTable: Markup {
  var list: GroupList
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !list.groups.isEmpty else { return }
    html.write(
      Table.cards(
        "\(order). \(share.meaning)\(newest.map { " \($0.meaning)" } ?? "") Intervals are 95 %.",
        of: list.groups,
        rowStyle: { $0.hangs?.isOnlyAsleep ?? false ? .class("asleep") : Attribute("class", nil) }
      ) {
        Column.head("Group") { group, html in
          html.element("a", .href(links.href(.group(app: list.app, id: group.id)))) { $0.write(CodeName(group.title)) }
          html.text(" ")
          html.write(GroupBadge(status: group.status, isNew: GroupWords.isNew(group, in: list.window)))
          if let note = group.note { html.write(NoteLine(note: note)) }
        }
        if list.groups.contains(where: { $0.hangs != nil }) {
          Column("Class") { $0.hangs?.hangClass.title ?? "" }.absent { $0.hangs == nil }
        }
        Column.number(count, content: counted)
        Column.number(share.title) { $1.estimate($0.share.estimate, .ratio) }.named(share.head)
        if let newest {
          Column.number(newest.title) { group, html in
            guard let rate = list.newest?.rates[group.id] else { return }
            html.write(RateText(rate: rate, namesReports: isOfSessions))
          }.named(newest.head).absent { list.newest?.rates[$0.id] == nil }
        }
        Column.count("Users affected", \.users)
        if let costs = list.costs {
          Column.number(GroupWords.beyond(costs)) { group, html in
            guard let cost = group.cost, cost.isCertain else { return }
            html.text("\(GroupWords.signed(cost.beyondBase.value ?? 0)) \(GroupWords.noun(cost))")
            html.element("small", text: " \(GroupWords.signed(cost.atFullAdoption)) at full adoption")
          }.named("Beyond base").absent { !($0.cost?.isCertain ?? false) }
        }
        Column("Introduced in") { group, html in
          if let release = group.introduced { html.write(Name(release)) } else { html.text(Quantity.unknown) }
          html.element("small", .class("date"), text: " " + group.firstSeen.iso)
        }.named("Since")
        Column("Last seen") { $1.element("span", .class("date"), text: $0.lastSeen.iso) }
        Column("Trend") { $1.write(GroupTrend(days: $0.days, window: list.window)) }.named(nil)
      })
  }

  /// The order of the list, in the caption.
  private var order: String {
    let hasAsleep = list.groups.contains { $0.hangs?.isOnlyAsleep ?? false }
    let last = hasAsleep ? ", hangs that nobody felt last" : ""
    guard let base = list.costs?.base else { return "Most reports first\(last)" }
    return "Those that became worse than in \(ShortenedName.text(base)) first, then most reports\(last)"
  }

  /// A column whose title names the denominator of its numbers.
  private struct NumberColumn {
    var title: String
    /// The short title within a card; the caption has the rest.
    var head: String
    var meaning: String
  }

  private var isOfSessions: Bool { list.groups.first?.shareBasis == .sessions }

  private var count: String { isOfSessions ? "Sessions affected" : "Reports" }

  /// The share, which has the same denominator for all groups of the list.
  private var share: NumberColumn {
    let release = list.slice.release.map { " of \(ShortenedName.text($0))" } ?? ""
    if isOfSessions {
      let sessions = list.sessions == 1 ? "1 session" : "\(Decimal.grouped(list.sessions)) sessions"
      return NumberColumn(
        title: "Share of \(sessions)\(release)", head: "Share",
        meaning: "Share: sessions affected, of all \(sessions)\(release) in this period.")
    }
    let noun = list.kind.map(DiagnosticKindWords.report) ?? "report"
    let total = list.kinds.first { $0.kind == list.kind }?.diagnostics ?? list.diagnostics
    let reports = "\(Decimal.grouped(total)) \(total == 1 ? noun : noun + "s")"
    return NumberColumn(
      title: "Share of \(reports)\(release)", head: "Share",
      meaning: "Share: of all \(reports)\(release) in this period, because no report has a session ID.")
  }

  private var newest: NumberColumn? {
    guard let newest = list.newest else { return nil }
    let release = ShortenedName.text(newest.release)
    return NumberColumn(
      title: "\(isOfSessions ? "Per" : "Reports per") 1,000 sessions of \(release)", head: "Per 1,000 of \(release)",
      meaning: "The newest adopted release, \(release), has \(Decimal.grouped(newest.sessions)) sessions.")
  }

  private func counted(_ group: GroupSummary, _ html: inout HTMLWriter) {
    guard isOfSessions else { return html.text(Decimal.grouped(group.diagnostics)) }
    html.text(group.sessions.map(Decimal.grouped) ?? Quantity.unknown)
    guard group.withoutSession > 0 else { return }
    html.element("small", text: " + \(GroupWords.reports(group.withoutSession)) without a session ID")
  }
}

/// A rate per 1,000 sessions with its interval: of sessions affected, or of reports if their sessions are unknown.
struct RateText: Markup {
  var rate: GroupRate
  /// Whether to mark a rate of reports, because it is listed among rates of sessions.
  var namesReports = true

  func write(to html: inout HTMLWriter) {
    html.element("span", .title(Quantity.exact(rate.estimate.value, .count)), text: text(rate.estimate.value))
    html.literal(" ")
    if let low = rate.estimate.low, let high = rate.estimate.high {
      html.element("span", .class("ci"), text: "\(text(low))–\(text(high))")
    }
    if namesReports, rate.counted == .diagnostics { html.element("small", text: "reports") }
  }
}

extension RateText {
  /// The value, with the decimals that give the upper bound three significant digits.
  private func text(_ value: Double?) -> String {
    guard let value else { return Quantity.unknown }
    return Decimal.fixed(value, digits)
  }

  private var digits: Int { Decimal.decimals(rate.estimate.high ?? rate.estimate.value ?? 0) }
}
