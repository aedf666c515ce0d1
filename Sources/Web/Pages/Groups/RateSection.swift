import Analysis
import Core

/// A group's rate per 1,000 sessions of each release, as a table with bars.
struct RateSection: Markup {
  var model: GroupDetail

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Rate by release")
      guard !model.rates.isEmpty else {
        return html.element("p", .class("meta"), text: "No release has sessions in this period, so there are no rates.")
      }
      let highest = model.rates.compactMap(\.rate.estimate.value).max() ?? 0
      html.write(
        Table.cards(
          "\(caption) of each release in this period, with 95 % intervals", of: model.rates, isShort: true
        ) {
          Column.head("Release") { $1.write(Name($0.release)) }
          Column.number("Per 1,000 sessions") { row, html in
            html.write(RateText(rate: row.rate, namesReports: isOfSessions))
            html.write(ShareBar(highest > 0 ? (row.rate.estimate.value ?? 0) / highest : 0))
          }
          Column.count(counted, \.rate.count)
          Column.count("Sessions", \.rate.sessions)
        })
    }
  }

  private var isOfSessions: Bool { model.rates.contains { $0.rate.counted == .sessions } }

  private var counted: String { isOfSessions ? "Sessions affected" : "Reports" }

  private var caption: String { isOfSessions ? "Sessions affected per 1,000 sessions" : "Reports per 1,000 sessions" }
}
