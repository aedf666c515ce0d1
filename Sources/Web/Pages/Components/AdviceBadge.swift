import Analysis
import Core
import Storage

/// The advice on a release as a word with a symbol.
struct AdviceBadge: Markup {
  var judgement: Judgement

  init(_ judgement: Judgement) { self.judgement = judgement }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", judgement.advice.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: judgement.advice.symbol)
      html.text(" " + judgement.word)
    }
  }
}
