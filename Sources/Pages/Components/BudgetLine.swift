import HTML
import Health
import Storage
import Telemetry
import Wording

/// The budget as the team wrote it, what it is about, and why it cannot be judged when it cannot.
struct BudgetLine: Markup {
  var result: BudgetResult
  /// The window of the page: a budget with another one says so.
  var window: Window

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("budget")) { html in
      html.element("code") { $0.write(Name(result.budget)) }
      if let scope = result.scope {
        html.text(" for ")
        html.write(Name(scope))
      }
      if result.window != window {
        html.text(" \(result.window.from.iso) to \(result.window.to.iso)")
      }
    }
    if let explanation = result.explanation {
      html.element("p", .class("why")) { html in
        html.text(explanation)
        if result.requiresData { html.text(" The budget requires data.") }
      }
    }
  }
}
