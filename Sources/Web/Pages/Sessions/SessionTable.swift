import Analysis
import Core

/// A table of sessions by outcome, and of the users who crashed.
struct SessionTable: Markup {
  var sessions: SessionReport
  var users: UserReport

  func write(to html: inout HTMLWriter) {
    guard sessions.total > 0 else { return }
    html.element("section") { html in
      html.element("h2", text: "Sessions")
      html.write(
        Table(
          "\(Decimal.grouped(sessions.total)) sessions by outcome", ["Outcome", .number("Sessions"), .number("Share")]
        ) { html in
          for outcome in SessionOutcome.allCases { html.row { row(outcome, &$0) } }
        })
      crashFree(&html)
    }
  }

  private func row(_ outcome: SessionOutcome, _ html: inout HTMLWriter) {
    let count = sessions.counts[outcome, default: 0]
    let share = Double(count) / Double(sessions.total)
    html.rowHead(text: Summary.capitalized(outcome.name))
    html.countCell(count)
    html.element("td", .class("n")) { $0.number(share, .ratio) }
  }

  private func crashFree(_ html: inout HTMLWriter) {
    let rows = [
      ("Crash-free sessions", sessions.crashFree), ("Crash-free user-days", users.crashFreeDaily),
      ("Crash-free users", users.crashFree), ("Hang-free sessions", sessions.hangFree),
    ]
    html.write(
      Table("Shares without a crash or a hang", ["Share", .number("Value and interval"), .number("n")]) { html in
        for (title, ratio) in rows where ratio.n > 0 {
          html.row { html in
            html.rowHead(text: title)
            html.estimateCell(ratio.estimate, .ratio)
            html.countCell(ratio.n)
          }
        }
      })
  }
}
