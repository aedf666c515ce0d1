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
        CardTable(
          "\(caption) of each release, in the days of this page; intervals at 95 %",
          ["Release", .number("In 1,000 sessions"), .number(counted), .number("Sessions")],
          isShort: true
        ) { html in
          for row in model.rates { html.row { self.row(row, highest, &$0) } }
        })
    }
  }

  private var isOfSessions: Bool { model.rates.contains { $0.rate.counted == .sessions } }

  private var counted: String { isOfSessions ? "Affected" : "Reports" }

  private var caption: String { isOfSessions ? "Affected among 1,000 sessions" : "Reports for 1,000 sessions" }

  private func row(_ row: GroupDetail.ReleaseRate, _ highest: Double, _ html: inout HTMLWriter) {
    html.rowHead { $0.write(Name(row.release)) }
    html.card("In 1,000 sessions", isNumber: true) { html in
      html.write(RateText(rate: row.rate, namesReports: isOfSessions))
      html.write(ShareBar(highest > 0 ? (row.rate.estimate.value ?? 0) / highest : 0))
    }
    html.card(counted, isNumber: true, text: Decimal.grouped(row.rate.count))
    html.card("Sessions", isNumber: true, text: Decimal.grouped(row.rate.sessions))
  }
}
