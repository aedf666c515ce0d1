import HTML
import Health
import Wording

/// What changed against the release before.
struct WhatChanged: Markup {
  var release: ReleaseModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2") { html in
        html.text("What changed")
        guard let previous = release.previous else { return }
        html.text(" against ")
        html.write(Name(previous))
      }
      if let note = release.comparisonNote {
        html.element("p") { $0.element("bdi", text: Summary.capitalized(note)) }
      }
      guard let comparison = release.comparison else { return }
      html.element("p") { $0.text(ComparisonWords.sentence(comparison)) }
      html.write(ComparisonTable(comparison: worstFirst(comparison), links: links))
      guard links.style == .served, let previous = release.previous else { return }
      html.element("p") { html in
        html.element(
          "a", .href(links.href(.compare(app: release.app, base: previous, head: release.name))),
          text: "The comparison with its method")
      }
    }
  }

  private func worstFirst(_ comparison: ReleaseComparison) -> ReleaseComparison {
    let order = { (metric: MetricComparison) in ComparisonVerdict.changedFirst.firstIndex(of: metric.verdict) ?? 0 }
    var sorted = comparison
    sorted.metrics = comparison.metrics.enumerated()
      .sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }.map(\.element)
    return sorted
  }
}
