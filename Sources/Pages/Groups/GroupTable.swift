import HTML
import Health
import Storage
import Telemetry
import Wording

/// A table with one row for each group and a link to its page.
struct GroupTable: Markup {
  var list: GroupList
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !list.groups.isEmpty else { return }
    html.write(
      Table(
        "Groups with the most diagnostics first; shares with 95 % intervals",
        [
          "Group", "Kind", .number("Diagnostics"), .number("Share"), .number("Users"), "Introduced in", "First seen",
          "Last seen", "Trend",
        ]
      ) { html in
        for group in list.groups { html.row { row(group, &$0) } }
      })
  }

  private func row(_ group: GroupSummary, _ html: inout HTMLWriter) {
    html.rowHead { html in
      html.element("a", .href(links.href(.group(app: list.app, id: group.id)))) { $0.write(Name(group.title)) }
      html.text(" ")
      html.write(GroupBadge(status: group.status, isNew: GroupWords.isNew(group, in: list.window)))
    }
    html.element("td", text: DiagnosticTable.title(group.kind))
    html.countCell(group.diagnostics)
    html.element("td", .class("n")) { html in
      html.number(group.share.estimate, .ratio)
      html.text(" ")
      html.interval(group.share.estimate, .ratio)
      if group.shareBasis == .diagnostics { html.element("small", text: " of diagnostics") }
    }
    html.countCell(group.users)
    html.element("td") { html in
      if let release = group.introduced { html.write(Name(release)) } else { html.text(Quantity.unknown) }
    }
    html.element("td", .class("date"), text: group.firstSeen.iso)
    html.element("td", .class("date"), text: group.lastSeen.iso)
    html.element("td") { $0.write(GroupTrend(days: group.days, window: list.window)) }
  }
}

/// A sparkline of the number of diagnostics per day.
struct GroupTrend: Markup {
  /// The number of diagnostics on each day of the window.
  var days: [Int]
  var window: Window

  func write(to html: inout HTMLWriter) {
    let points = window.steps(of: TrendStep.days(for: window)).map { step in
      let first = step.from.number - window.from.number
      let count = days.dropFirst(first).prefix(step.days).reduce(0, +)
      return TrendPoint(day: step.from, days: step.days, estimate: Estimate(value: Double(count)), n: count)
    }
    html.write(
      Sparkline(title: "Diagnostics \(StepWords(points).by)", points: points, unit: .count, direction: .lower))
  }
}

/// Sentences about groups.
enum GroupWords {
  /// A note that the samples ignore the filters, because there are few of them; empty without filters.
  static func ofWhole(_ slice: Slice) -> String {
    let isNarrow = [slice.release, slice.os, slice.device, slice.deviceClass].contains { $0 != nil }
    return isNarrow ? " Of the whole group, whatever is chosen above." : ""
  }

  /// Whether the group was first seen in the last quarter of the window.
  static func isNew(_ group: GroupSummary, in window: Window) -> Bool {
    group.firstSeen.number > window.to.number - max(1, window.days / 4)
  }

  static func share(_ group: GroupSummary) -> String {
    guard group.share.estimate.value != nil else { return "Its share cannot be told." }
    let interval = Quantity.interval(group.share.estimate, .ratio)
    let share = "\(Quantity.text(group.share.estimate, .ratio)) (\(interval))"
    switch group.shareBasis {
    case .sessions: return "\(share) of \(Decimal.grouped(group.share.n)) sessions."
    case .diagnostics:
      return "\(share) of \(Decimal.grouped(group.share.n)) diagnostics of this kind: no client named the sessions."
    }
  }
}

/// The state of a group as a word.
struct GroupBadge: Markup {
  var status: GroupStatus
  var isNew = false

  func write(to html: inout HTMLWriter) {
    switch status {
    case .open: if isNew { badge("badge broken", "new", &html) }
    case .regressed(let release): badge("badge broken", "regressed in \(PlainName.text(release))", &html)
    case .resolved(let release): badge("badge within", "resolved in \(PlainName.text(release))", &html)
    case .ignored: badge("badge", "ignored", &html)
    }
  }

  private func badge(_ style: StaticString, _ text: String, _ html: inout HTMLWriter) {
    html.element("span", .class(style), text: text)
  }
}
