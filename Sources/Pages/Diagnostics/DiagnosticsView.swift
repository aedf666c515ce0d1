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

/// A table with one row for each diagnostic and a link to its original JSON.
struct DiagnosticTable: Markup {
  var list: DiagnosticList
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !list.diagnostics.isEmpty else { return }
    html.write(
      Table(
        "Times are UTC; a day where a client does not say when",
        ["What", "When", .number("How much"), "Exception", "Release", "System", "Device", "Environment"]
      ) { html in
        for diagnostic in list.diagnostics { html.row { row(diagnostic, &$0) } }
      })
  }

  private func row(_ diagnostic: StoredDiagnostic, _ html: inout HTMLWriter) {
    html.rowHead { html in
      let body = Page.diagnosticBody(app: list.app, number: diagnostic.number)
      if links.style == .served, diagnostic.isKept {
        html.element("a", .href(links.href(body)), text: Self.title(diagnostic.kind))
      } else {
        html.text(Self.title(diagnostic.kind))
        if !diagnostic.isKept {
          html.text(" ")
          html.element("small", text: "counted, not kept")
        }
      }
    }
    html.element("td", text: diagnostic.time?.iso ?? diagnostic.day.iso)
    html.element("td", .class("n")) { html in
      html.number(diagnostic.quantity, diagnostic.kind.quantityUnit ?? .count)
    }
    let exception = diagnostic.exception
    let texts = [
      exception.name ?? exception.termination ?? Quantity.unknown, diagnostic.release.title, diagnostic.os,
      diagnostic.model, diagnostic.environment,
    ]
    for text in texts { html.element("td") { $0.write(Name(text)) } }
  }

  static func title(_ kind: DiagnosticKind) -> String {
    switch kind {
    case .crash: "Crash"
    case .hang: "Hang"
    case .cpuException: "CPU exception"
    case .diskWriteException: "Disk-write exception"
    case .launchFailure: "Slow launch"
    case .memoryException: "Memory exception"
    case .error: "Error"
    }
  }
}
