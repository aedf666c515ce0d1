import Analysis
import Core
import Storage

/// An app's diagnostics, newest first.
enum DiagnosticsView {
  /// The page as UTF-8.
  static func render(_ list: DiagnosticList, _ context: PageContext) -> [UInt8] {
    let page = Page.diagnostics(app: list.app)
    let layout = Layout(
      page: page, title: "Diagnostics of " + ShortenedName.text(list.app), context: context)
    return layout.render { html in
      html.element("h1") { html in
        html.text("Diagnostics of ")
        html.write(Name(list.app))
      }
      html.element("p", .class("summary"), text: sentence(list))
      html.element("ul", .class("slice")) { html in
        html.write(DataLinks(page: page, links: layout.links))
        html.write(IdleFilters(page: page, filter: context.filter))
      }
      html.write(DiagnosticTable(list: list, links: layout.links))
    }
  }

  private static func sentence(_ list: DiagnosticList) -> String {
    if list.diagnostics.isEmpty { return "No crashes, hangs or other diagnostics received yet." }
    return list.next == nil
      ? "All diagnostics, newest first."
      : "The newest \(list.diagnostics.count) diagnostics. Older diagnostics are in the JSON."
  }
}

/// A table with one row for each diagnostic and a link to its original JSON.
struct DiagnosticTable: Markup {
  var list: DiagnosticList
  var links: Links
  /// Remarks on diagnostics, by their number: `oldest`.
  var marks: [Int64: String] = [:]

  func write(to html: inout HTMLWriter) {
    guard !list.diagnostics.isEmpty else { return }
    html.write(
      Table.cards(
        "Times are in UTC; only the day is shown if the client sent no time", of: list.diagnostics, isShort: true
      ) {
        Column.head("Kind", content: kind)
        Column("Time") { $0.time?.iso ?? $0.day.iso }.named(nil)
        if list.diagnostics.contains(where: { $0.quantity != nil }) {
          Column.number(quantity) { diagnostic, html in
            guard let unit = diagnostic.kind.quantityUnit else { return }
            html.number(diagnostic.quantity, unit)
          }.named(nil).absent { $0.quantity == nil }
        }
        if list.diagnostics.contains(where: { $0.hang != nil }) {
          Column("Class") { $0.hang?.hangClass.title ?? "" }.named(nil).absent { $0.hang == nil }
        }
        Column("Exception") { $1.write(CodeName($0.exception.name ?? $0.exception.termination ?? "")) }
          .named(nil).absent { ($0.exception.name ?? $0.exception.termination) == nil }
        Column("Release") { $1.write(Name($0.release.title)) }.named(nil)
        Column("OS version") { $1.write(Name($0.os)) }.named(nil)
        Column("Device") { diagnostic, html in
          let model = diagnostic.model
          html.element("span", .title(model)) { $0.write(Name(DeviceNames.marketingName(of: model) ?? model)) }
        }.named(nil)
        Column("Environment") { $1.write(Name($0.environment)) }.named(nil)
      })
  }

  /// The title of the column of durations, of bytes written, or of both.
  private var quantity: String {
    let units = list.diagnostics.filter { $0.quantity != nil }.compactMap(\.kind.quantityUnit)
    guard units.contains(.bytes) else { return "Duration" }
    return units.allSatisfy { $0 == .bytes } ? "Size" : "Duration or size"
  }

  private func kind(_ diagnostic: StoredDiagnostic, _ html: inout HTMLWriter) {
    defer { if let mark = marks[diagnostic.number] { html.element("small", text: " " + mark) } }
    let body = Page.diagnosticBody(app: list.app, number: diagnostic.number)
    guard links.style != .served || !diagnostic.isKept else {
      return html.element("a", .href(links.href(body)), text: DiagnosticKindWords.title(diagnostic.kind))
    }
    html.text(DiagnosticKindWords.title(diagnostic.kind))
    guard !diagnostic.isKept else { return }
    html.text(" ")
    html.element("small", text: "counted, no full sample")
  }
}
