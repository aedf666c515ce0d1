import Analysis
import Core
import Storage

/// The number of budgets with each verdict: `✕ 2 broken · ✓ 7 within budget`.
struct VerdictCounts: Markup {
  var counts: [Verdict: Int]

  func write(to html: inout HTMLWriter) {
    let present = Verdict.allCases.filter { counts[$0, default: 0] > 0 }.map(Optional.some)
      .sorted { $0.severity < $1.severity }
    guard !present.isEmpty else { return html.text("none") }
    html.element("ul", .class("counts")) { html in
      for verdict in present {
        html.element("li", .class("tone", verdict.style)) { html in
          html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
          html.text(" \(verdict.flatMap { counts[$0] } ?? 0) \(verdict.word.lowercased())")
        }
      }
    }
  }
}
