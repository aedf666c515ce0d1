import Analysis
import Core
import Storage

/// An app's diagnostics, the newest first.
enum DiagnosticsView {
  /// The page as UTF-8.
  static func render(_ list: DiagnosticList, _ context: PageContext) -> [UInt8] {
    let page = Page.diagnostics(app: list.app)
    let layout = Layout(
      page: page, title: "Diagnostics of " + PlainName.text(list.app), context: context)
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
    if list.diagnostics.isEmpty { return "No crash, hang or other diagnostic was received yet." }
    return list.next == nil
      ? "All that were received, the newest first." : "The newest \(list.diagnostics.count); the JSON goes on."
  }
}

/// A table with one row for each diagnostic and a link to its original JSON.
struct DiagnosticTable: Markup {
  var list: DiagnosticList
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !list.diagnostics.isEmpty else { return }
    html.write(
      CardTable(
        "Times are UTC; a day where a client does not say when",
        ["What", "When", .number("How much"), "Exception", "Release", "System", "Device", "Environment"],
        isShort: true
      ) { html in
        for diagnostic in list.diagnostics { html.row { row(diagnostic, &$0) } }
      })
  }

  private func row(_ diagnostic: StoredDiagnostic, _ html: inout HTMLWriter) {
    html.rowHead { html in
      let body = Page.diagnosticBody(app: list.app, number: diagnostic.number)
      if links.style == .served, diagnostic.isKept {
        html.element("a", .href(links.href(body)), text: KindWords.title(diagnostic.kind))
      } else {
        html.text(KindWords.title(diagnostic.kind))
        if !diagnostic.isKept {
          html.text(" ")
          html.element("small", text: "counted, not kept")
        }
      }
    }
    html.card(text: diagnostic.time?.iso ?? diagnostic.day.iso)
    if let quantity = diagnostic.quantity {
      html.card(isNumber: true) { $0.number(quantity, diagnostic.kind.quantityUnit ?? .count) }
    } else {
      html.card(isNumber: true, text: nil)
    }
    if let name = diagnostic.exception.name ?? diagnostic.exception.termination {
      html.card { $0.write(CodeName(name)) }
    } else {
      html.card(text: nil)
    }
    let model = diagnostic.model
    let device = DeviceNames.marketingName(of: model) ?? model
    for text in [diagnostic.release.title, diagnostic.os] { html.card { $0.write(Name(text)) } }
    html.card { html in html.element("span", .title(model)) { $0.write(Name(device)) } }
    html.card { $0.write(Name(diagnostic.environment)) }
  }
}
