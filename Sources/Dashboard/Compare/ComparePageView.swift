import HTML
public import Health
import Storage
import Telemetry
import Wording

/// Two releases side by side.
public enum ComparePageView {
  /// The page as UTF-8.
  public static func render(_ comparison: ReleaseComparison, _ context: PageContext) -> [UInt8] {
    let page = Page.compare(app: comparison.app, base: comparison.base, head: comparison.head)
    let layout = Layout(
      page: page, title: "\(PlainName.text(comparison.head)) against \(PlainName.text(comparison.base))",
      context: context, trail: [.overview, .app(comparison.app), page],
      footer: "Read \(comparison.asOf.iso), payloads up to number "
        + "\(Decimal.grouped(Int(comparison.digestedThrough))).")
    return layout.render { html in
      html.element("h1") { html in
        html.write(Name(comparison.head))
        html.text(" against ")
        html.write(Name(comparison.base))
      }
      html.element("p", .class("summary")) { answer(comparison, &$0) }
      if let note = comparison.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        SliceLine(
          page: page, window: comparison.window, slice: Slice(environment: comparison.environment),
          links: layout.links, report: report(comparison, layout.links)))
      html.write(ComparisonTable(comparison: comparison, links: layout.links))
      html.element("p", .class("meta"), text: method)
    }
  }

  /// A folder of files has no answer to a question.
  private static func report(_ comparison: ReleaseComparison, _ links: Links) -> Page? {
    links.style == .served
      ? .comparison(app: comparison.app, base: comparison.base, head: comparison.head) : nil
  }

  private static func answer(_ comparison: ReleaseComparison, _ html: inout HTMLWriter) {
    let counts = ComparisonVerdict.severest.map { verdict in
      (verdict, comparison.metrics.count { $0.verdict == verdict })
    }
    guard let worst = counts.first(where: { $0.1 > 0 })?.0 else {
      return html.text("There is nothing to compare.")
    }
    html.element(
      "span", .class("tone", worst.style), Attribute("aria-hidden", literal: "true"), text: worst.symbol)
    let parts = counts.filter { $0.1 > 0 }.map { "\($0.0.word) in \(Summary.number($0.1))" }
    html.text(" " + Summary.capitalized(parts.joined(separator: ", ")) + " of \(comparison.metrics.count) metrics.")
  }

  private static let method =
    "Days on which both releases have data. Differences are taken within classes of devices and averaged with the same "
    + "weights for both releases, because early adopters own newer phones; all devices together stand beside it. Of the "
    + "metrics called better or worse, about 5 % at most are so by chance."
}
