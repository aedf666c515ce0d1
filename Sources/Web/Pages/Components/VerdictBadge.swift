import Analysis
import Core

/// A verdict as a word with a symbol.
struct VerdictBadge: Markup {
  var verdict: Verdict?

  init(_ verdict: Verdict?) { self.verdict = verdict }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      html.text(" " + verdict.word)
    }
  }
}
