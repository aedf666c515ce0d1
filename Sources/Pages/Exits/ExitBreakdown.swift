import HTML
import Health
import Telemetry

/// Each reason, in the foreground and in the background.
struct ExitBreakdown: Markup {
  var page: ExitsModel

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Why")
      html.write(
        Table(
          "In the foreground somebody was looking; in the background nobody was. Rates are per 1,000 launches and "
            + "resumes of the same payloads",
          [
            "Reason", .number("Foreground"), .number("per 1,000"), .number("Background"), .number("per 1,000"),
            "What it means",
          ]
        ) { html in
          for row in shown { html.row { self.row(row, &$0) } }
        })
      if shown.count < page.rows.count {
        html.element("p", .class("meta"), text: "Not seen: \(unseen).")
      }
    }
  }

  private func happened(_ row: ExitRow) -> Bool {
    row.reason == .normal || (row.foreground ?? 0) + (row.background ?? 0) > 0
  }

  /// Normal exits, and each other reason that happened, the most frequent in the foreground first.
  private var shown: [ExitRow] {
    page.rows.filter(happened).sorted { left, right in
      let counts = (left.foreground ?? 0, right.foreground ?? 0)
      if left.reason == .normal || right.reason == .normal { return left.reason == .normal && right.reason != .normal }
      return counts.0 == counts.1 ? (left.background ?? 0) > (right.background ?? 0) : counts.0 > counts.1
    }
  }

  private var unseen: String {
    Summary.list(page.rows.filter { !happened($0) }.map(\.reason.title))
  }

  private func row(_ row: ExitRow, _ html: inout HTMLWriter) {
    html.rowHead(text: Summary.capitalized(row.reason.title))
    html.countCell(row.foreground)
    html.element("td", .class("n")) { $0.number(row.foregroundRate, .count) }
    html.countCell(row.background)
    html.element("td", .class("n")) { $0.number(row.backgroundRate, .count) }
    html.element("td", text: row.reason.meaning)
  }
}
