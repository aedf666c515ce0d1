import HTML
import Health
import Storage
import Telemetry
import Wording

/// An app's diagnostics, the newest first.
public enum DiagnosticsView {
  /// The page as UTF-8.
  public static func render(_ list: DiagnosticList, _ context: PageContext) -> [UInt8] {
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
