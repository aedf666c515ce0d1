import HTML
import Storage
import Telemetry

/// Which days and which part of the data a page is about, with the way to other environments.
struct SliceLine: Markup {
  var page: Page
  var window: Window
  var slice: Slice
  var environments: [String] = []
  var links: Links
  /// The same numbers as JSON.
  var report: Page?
  /// Other pages about the same app, with the words that lead there.
  var others: [(title: String, page: Page)] = []

  func write(to html: inout HTMLWriter) {
    html.element("ul", .class("slice")) { html in
      html.element(
        "li", text: "\(window.from.iso) to \(window.to.iso), \(window.days) \(window.days == 1 ? "day" : "days")")
      for (name, value) in parts {
        html.element("li") { html in
          html.text(name + " ")
          html.write(Name(value))
        }
      }
      for other in environments where other != slice.environment {
        html.element("li") { environment(other, &$0) }
      }
      if let report {
        html.element("li") { $0.element("a", .href(links.href(report)), text: "These numbers as JSON") }
      }
      for other in others {
        html.element("li") { $0.element("a", .href(links.href(other.page)), text: other.title) }
      }
    }
  }

  private var parts: [(String, String)] {
    [
      ("environment", Optional(slice.environment)), ("release", slice.release), ("system", slice.os),
      ("device", slice.device), ("devices", slice.deviceClass), ("label", slice.label),
    ].compactMap { name, value in value.map { (name, $0) } }
  }

  private func environment(_ name: String, _ html: inout HTMLWriter) {
    guard let address = links.href(page, environment: name) else {
      html.text("also received: ")
      return html.write(Name(name))
    }
    html.element("a", .href(address)) { html in
      html.text("show ")
      html.write(Name(name))
    }
  }
}
