import Analysis
import Core
import Storage

/// The page that compares two releases or groups.
enum CompareView {
  /// The page as UTF-8. `code`: what changed in the code. `focus`: the id of a function to draw at full width. `address`: its address; nil for the one that names both releases.
  static func render(
    _ comparison: ReleaseComparison, code: [CodeChanges] = [], focus: String? = nil, _ context: PageContext,
    at address: Page? = nil
  ) -> [UInt8] {
    let page = address ?? .compare(app: comparison.app, base: comparison.base, head: comparison.head)
    let layout = Layout(
      page: page, title: heading(comparison), context: context, asOf: comparison.asOf)
    return layout.render { html in
      html.element("h1") { html in
        if let attribute = comparison.groups?.head.name {
          html.write(Name(attribute))
          html.text(": ")
        }
        html.write(Name(comparison.names.head))
        html.text(" against ")
        html.write(Name(comparison.names.base))
      }
      html.element("p", .class("summary")) { answer(comparison, &$0) }
      if let warning = comparison.sampleRatio?.warning { html.write(Banner(text: warning, isWarning: true)) }
      if let note = comparison.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      var filters = FilterBar(page: page, window: comparison.window, slice: comparison.slice, context: context)
      // The filter that differs between the two sides does not apply to both.
      filters.hidden = [comparison.groups == nil ? .release : .attribute]
      html.write(filters)
      html.write(CompareForm(app: comparison.app, base: comparison.base, head: comparison.head, context: context))
      html.write(
        ForestFigure(
          title: title(comparison),
          metrics: comparison.metrics))
      html.write(ComparisonTable(comparison: comparison, links: layout.links))
      html.write(CausesSection(comparison, links: layout.links))
      html.element("p", .class("meta"), text: method(comparison))
      for section in LabelChangesSection.sections(of: comparison, layout.links) { html.write(section) }
      for changes in code {
        var section = FlameDifferenceSection(changes, focus: focus, links: layout.links) { node in
          let (base, head) = (comparison.base, comparison.head)
          return node.map { .compareFocus(app: comparison.app, base: base, head: head, node: $0) }
            ?? .compare(app: comparison.app, base: base, head: head)
        }
        section.heading = "What changed in the code: \(DiagnosticKindWords.tab(changes.kind))"
        html.write(section)
      }
    }
  }

  /// The title of the page: what is compared, as in its heading.
  private static func heading(_ comparison: ReleaseComparison) -> String {
    let (base, head) = (ShortenedName.text(comparison.names.base), ShortenedName.text(comparison.names.head))
    return (comparison.groups.map { ShortenedName.text($0.head.name) + ": " } ?? "") + "\(head) against \(base)"
  }

  private static func answer(_ comparison: ReleaseComparison, _ html: inout HTMLWriter) {
    if let worst = comparison.metrics.first?.severity {
      html.element(
        "span", .class("tone", worst.style), Attribute("aria-hidden", literal: "true"), text: worst.symbol)
      html.text(" ")
    }
    html.text(ComparisonSummary.sentence(comparison))
  }

  private static func title(_ comparison: ReleaseComparison) -> String {
    let (base, head) = (ShortenedName.text(comparison.names.base), ShortenedName.text(comparison.names.head))
    return comparison.groups == nil
      ? "What changed from \(base) to \(head)" : "What differs between \(head) and \(base)"
  }

  private static func method(_ comparison: ReleaseComparison) -> String {
    let (sides, reason) =
      comparison.groups == nil
      ? ("releases", "because early adopters own newer phones")
      : ("groups", "because their devices may differ")
    return
      "Only days on which both \(sides) have data are compared. Differences are computed within device classes and "
      + "days and averaged with the same weights for both \(sides), \(reason). “All devices” is the difference without "
      + "these weights. At most about 5 % of the metrics called better or worse differ by chance alone."
  }
}

/// Summarizes a comparison in one sentence.
enum ComparisonSummary {
  static func sentence(_ comparison: ReleaseComparison) -> String {
    if comparison.metrics.isEmpty, let label = comparison.slice.label {
      return "No metric has values of \(ShortenedName.text(label)) on both sides."
    }
    let counts = ComparisonSeverity.allCases.map { severity in
      (severity, comparison.metrics.count { $0.severity == severity })
    }.filter { $0.1 > 0 }
    guard !counts.isEmpty else { return "There is nothing to compare." }
    let total = comparison.metrics.count
    // Numbers in one sentence are all in words or all in digits.
    let number = total > 10 ? { Decimal.grouped($0) } : SentenceWords.number
    let parts = counts.map { "\($0.0.word) in \(number($0.1))" }
    let metrics = total == 1 ? "metric" : "metrics"
    return SentenceWords.capitalized(parts.joined(separator: ", ")) + " of \(number(total)) \(metrics)."
  }
}

/// The page shown instead of a comparison if there are not two releases to compare.
enum ImpossibleComparisonView {
  /// The page as UTF-8. `why`: the reason as a sentence; `base` and `head`: the requested releases.
  static func render(
    app: String, why: String, base: String? = nil, head: String? = nil, asOf: Timestamp, _ context: PageContext
  ) -> [UInt8] {
    let page = Page.newest(app: app)
    let layout = Layout(
      page: page, title: "Compare releases of " + context.name(of: app), context: context,
      asOf: asOf)
    return layout.render { html in
      html.element("h1", text: "Compare releases")
      html.element("p", .class("summary")) { $0.element("bdi", text: SentenceWords.capitalized(why)) }
      html.write(CompareForm(app: app, base: base, head: head, context: context))
      html.element("p") { html in
        html.element("a", .href(layout.links.href(.app(app))), text: "Back to the vitals")
      }
    }
  }
}
