import Analysis
import Core

/// A table with one row per budget and one column per part of the data.
struct BudgetMatrix: Markup {
  var heading: String
  var dimension: String
  var page: BudgetsModel
  var links: Links

  static let parts = [
    (heading: "By release", dimension: "release"), (heading: "By devices", dimension: "device_class"),
    (heading: "By system", dimension: "os"),
  ]

  /// The most columns that fit a page.
  private static let shown = 6

  func write(to html: inout HTMLWriter) {
    let keys = self.keys
    guard !keys.isEmpty else { return }
    let rows = page.rows.filter { $0.slices.contains { $0.dimension == dimension } }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table("Verdicts \(heading.lowercased())", of: rows) {
          Column.head("Budget") { row, html in
            html.write(Name(row.title))
            html.text(" ")
            html.element("small") { $0.element("code") { $0.write(Name(row.result.budget)) } }
          }
          for key in keys { Column(PlainName.text(key)) { verdict($0, key, &$1) } }
        })
    }
  }

  /// The parts to show: the newest releases; of other dimensions the parts with the most events.
  private var keys: [String] {
    var weights: [String: Int] = [:]
    for slice in page.rows.flatMap(\.slices) where slice.dimension == dimension {
      let (sum, overflow) = weights[slice.key, default: 0].addingReportingOverflow(slice.result.n)
      weights[slice.key] = overflow ? .max : sum
    }
    let largest = weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.shown).map(\.key)
    return dimension == "release" ? largest.sorted { VersionOrder.precedes($1, $0) } : largest
  }

  private func verdict(_ row: BudgetRow, _ key: String, _ html: inout HTMLWriter) {
    guard let slice = row.slices.first(where: { $0.dimension == dimension && $0.key == key }) else {
      return html.text(Quantity.unknown)
    }
    html.write(VerdictBadge(slice.result.verdict))
    html.element("p", .class("reading")) { html in
      html.number(slice.result.estimate, slice.result.unit)
      html.text(" · n\u{A0}\(Decimal.grouped(slice.result.n))")
    }
  }
}
