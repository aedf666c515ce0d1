import Analysis
import Core
import Storage

/// How often a group occurs in 1,000 sessions of each release, as a table with bars.
struct RateSection: Markup {
  var model: GroupDetail

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "How often")
      guard !model.rates.isEmpty else {
        return html.element("p", .class("meta"), text: "No release has sessions in these days to hold it against.")
      }
      let highest = model.rates.compactMap(\.rate.estimate.value).max() ?? 0
      html.write(
        Table.cards(
          "\(caption) of each release, in the days of this page; intervals at 95 %", of: model.rates, isShort: true
        ) {
          Column.head("Release") { $1.write(Name($0.release)) }
          Column.number("In 1,000 sessions") { row, html in
            html.write(RateText(rate: row.rate, namesReports: isOfSessions))
            html.write(ShareBar(highest > 0 ? (row.rate.estimate.value ?? 0) / highest : 0))
          }
          Column.count(counted, \.rate.count)
          Column.count("Sessions", \.rate.sessions)
        })
    }
  }

  private var isOfSessions: Bool { model.rates.contains { $0.rate.counted == .sessions } }

  private var counted: String { isOfSessions ? "Affected" : "Reports" }

  private var caption: String { isOfSessions ? "Affected among 1,000 sessions" : "Reports for 1,000 sessions" }
}
