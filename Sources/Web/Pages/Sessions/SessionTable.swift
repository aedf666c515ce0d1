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
        Table("\(Decimal.grouped(sessions.total)) sessions by outcome", of: SessionOutcome.allCases) {
          Column.head("Outcome") { Summary.capitalized($0.name) }
          Column.count("Sessions", count)
          Column.number("Share") { $1.number(Double(count($0)) / Double(sessions.total), .ratio) }
        })
      crashFree(&html)
    }
  }

  private func count(_ outcome: SessionOutcome) -> Int { sessions.counts[outcome, default: 0] }

  private func crashFree(_ html: inout HTMLWriter) {
    let rows = [
      ("Crash-free sessions", sessions.crashFree), ("Crash-free user-days", users.crashFreeDaily),
      ("Crash-free users", users.crashFree), ("Hang-free sessions", sessions.hangFree),
    ]
    html.write(
      Table("Shares without a crash or a hang", of: rows.filter { $0.1.n > 0 }) {
        Column.head("Share", text: \.0)
        Column.estimate("Value and interval", { _ in .ratio }, \.1.estimate)
        Column.count("n", \.1.n)
      })
  }
}
