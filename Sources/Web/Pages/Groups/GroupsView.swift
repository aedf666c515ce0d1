import Analysis
import Core
import Storage

/// An app's groups of one kind, and tabs to the other kinds.
enum GroupsView {
  /// The page as UTF-8. `page`: its address, by default that of the list's kind.
  static func render(_ list: GroupList, at page: Page? = nil, _ context: PageContext) -> [UInt8] {
    let page = page ?? Page.groups(app: list.app, kind: list.kind?.name)
    let layout = Layout(
      page: page, title: "Crashes and hangs of " + ShortenedName.text(list.app), context: context,
      asOf: list.asOf)
    return layout.render { html in
      html.element("h1", text: "Crashes and hangs")
      html.element("p", .class("summary"), text: sentence(list))
      if let note = list.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: list.window, slice: list.slice, context: context))
      html.write(KindTabs(list: list, links: layout.links))
      html.write(GroupTable(list: list, links: layout.links))
      html.element("p", .class("data")) { html in
        html.element("a", .href(layout.links.href(.diagnostics(app: list.app))), text: "All diagnostics, one by one")
      }
    }
  }

  private static func sentence(_ list: GroupList) -> String {
    guard list.total > 0 else {
      guard let kind = list.kind, !list.kinds.isEmpty else {
        return "No crashes, hangs or other diagnostics in this period."
      }
      return "No \(DiagnosticKindWords.report(kind))s in this period."
    }
    let groups = list.total == 1 ? "1 group" : "\(Decimal.grouped(list.total)) groups"
    let open = list.groups.count { $0.status.isOpen }
    let shown = list.groups.count < list.total ? "The largest \(list.groups.count) are shown. " : ""
    let noun = list.kind.map(DiagnosticKindWords.report) ?? "report"
    let count = "\(Decimal.grouped(list.diagnostics)) \(noun)\(list.diagnostics == 1 ? "" : "s")"
    return "\(count) in \(groups). \(shown)\(open) of them \(open == 1 ? "is" : "are") open."
  }
}

/// Links to the groups of each kind that occurs, with the number of groups.
struct KindTabs: Markup {
  var list: GroupList
  var links: Links

  func write(to html: inout HTMLWriter) {
    let shown = DiagnosticKind.allCases.filter { kind in
      kind == list.kind || list.kinds.contains { $0.kind == kind }
    }
    guard !shown.isEmpty else { return }
    html.element("nav", .class("tabs"), Attribute("aria-label", literal: "Kinds")) { html in
      html.element("ul") { html in
        for kind in shown {
          html.element("li") { html in
            html.element(
              "a", .href(links.href(.groups(app: list.app, kind: kind.name))),
              kind == list.kind ? Attribute("aria-current", literal: "page") : Attribute("aria-current", nil)
            ) { html in
              html.text(DiagnosticKindWords.tab(kind) + " ")
              let groups = list.kinds.first { $0.kind == kind }?.groups ?? 0
              html.element("small", text: Decimal.grouped(groups))
            }
          }
        }
      }
    }
  }
}
