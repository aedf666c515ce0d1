import HTML
public import Health
import Storage
import Telemetry
import Wording

/// An app's crashes, hangs and other diagnostics by what caused them.
public enum GroupsView {
  /// The page as UTF-8.
  public static func render(_ list: GroupList, _ context: PageContext) -> [UInt8] {
    let page = Page.groups(app: list.app, kind: list.kind?.name)
    let layout = Layout(
      page: page, title: "Crashes and hangs of " + PlainName.text(list.app), context: context,
      asOf: list.asOf)
    return layout.render { html in
      html.element("h1", text: "Crashes and hangs")
      html.element("p", .class("summary"), text: sentence(list))
      if let note = list.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: list.window, slice: list.slice, context: context))
      html.element("ul", .class("slice")) { html in
        if layout.links.style == .served { kinds(list, layout.links, &html) }
        html.element("li") { html in
          html.element(
            "a", .href(layout.links.href(.diagnostics(app: list.app))), text: "Every diagnostic, one by one")
        }
      }
      html.write(GroupTable(list: list, links: layout.links))
    }
  }

  private static func kinds(_ list: GroupList, _ links: Links, _ html: inout HTMLWriter) {
    for kind in [DiagnosticKind?.none] + DiagnosticKind.allCases.map(Optional.some) {
      html.element("li") { html in
        html.element(
          "a", .href(links.href(.groups(app: list.app, kind: kind?.name))),
          kind == list.kind ? Attribute("aria-current", literal: "true") : Attribute("aria-current", nil),
          text: kind.map { DiagnosticTable.title($0) } ?? "All kinds")
      }
    }
  }

  private static func sentence(_ list: GroupList) -> String {
    guard list.total > 0 else { return "No crash, hang or other diagnostic in these days." }
    let groups = list.total == 1 ? "1 group" : "\(Decimal.grouped(list.total)) groups"
    let open = list.groups.count { $0.status.isOpen }
    let shown = list.groups.count < list.total ? "The largest \(list.groups.count) are shown. " : ""
    return "\(Decimal.grouped(list.diagnostics)) diagnostics in \(groups). \(shown)\(open) of them "
      + "\(open == 1 ? "is" : "are") open."
  }
}
