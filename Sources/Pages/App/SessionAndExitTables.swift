import HTML
import Health
import Telemetry
import Wording

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
      ("Crash-free users", users.crashFree),
    ]
    html.write(
      Table("Shares without a crash", ["Share", .number("Value and interval"), .number("n")]) { html in
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

/// A table of the reasons for which iOS ended the app.
struct ExitTable: Markup {
  var exits: ExitReport

  func write(to html: inout HTMLWriter) {
    guard exits.foreground != nil || exits.background != nil else { return }
    html.element("section") { html in
      html.element("h2", text: "Exits")
      html.write(
        Table(
          "Why iOS ended the app, as MetricKit counts it",
          ["Reason", .number("Foreground"), .number("Background")]
        ) { html in
          for reason in reasons {
            html.row { html in
              html.rowHead(text: Summary.capitalized(reason.title))
              html.countCell(exits.foreground.map { $0[reason, default: 0] })
              html.countCell(exits.background.map { $0[reason, default: 0] })
            }
          }
        })
    }
  }

  /// Normal exits, and all other reasons that occurred.
  private var reasons: [ExitReason] {
    ExitReason.allCases.filter { reason in
      reason == .normal || (exits.foreground?[reason] ?? 0) + (exits.background?[reason] ?? 0) > 0
    }
  }
}
