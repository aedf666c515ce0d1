import HTML
import Health
import Storage
import Telemetry
import Wording

/// A row for each diagnostic, with the way to its whole JSON.
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
