import Analysis
import Core

/// The section with a metric's trend over the window, drawn twice for wide and narrow screens.
struct TrendSection: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    let lines = self.lines
    guard lines.contains(where: { $0.points.contains { $0.estimate.value != nil } }) else { return }
    html.element("section") { html in
      html.element("h2", text: words(lines).heading)
      html.element("figure", .class("card")) { html in
        html.write(chart(lines, .wide, "wide"))
        html.write(chart(lines, .narrow, "narrow"))
        html.element("figcaption", text: caption(lines))
        html.write(
          TrendTable(
            caption: title(lines), lines: lines, unit: page.report.unit, markers: page.releaseMarkers,
            source: links.origin,
            links: links))
      }
    }
  }

  private func words(_ lines: [TrendChart.Line]) -> TimeStepWords { TimeStepWords(lines.first?.points ?? []) }

  private func title(_ lines: [TrendChart.Line]) -> String {
    "\(ShortenedName.text(page.report.title)) \(words(lines).by)"
  }

  private var lines: [TrendChart.Line] {
    let styles: [StaticString] = ["first", "second", "third"]
    let all = TrendChart.Line(name: "all", style: "before", points: page.trendOfAll)
    let ranks = page.trends.keys.filter { page.trends[$0]?.isEmpty == false }.sorted()
    let own = zip(ranks, styles).map { rank, style in
      TrendChart.Line(name: rank == 0 ? "" : "p\(rank)", style: style, points: page.trends[rank] ?? [])
    }
    return page.trendOfAll.isEmpty ? own : [all] + own
  }

  private func chart(_ lines: [TrendChart.Line], _ frame: ChartDimensions, _ style: StaticString) -> TrendChart {
    TrendChart(
      title: title(lines), lines: lines, unit: page.report.unit, direction: page.direction,
      target: page.mainBudget?.target,
      warnTarget: page.mainBudget?.warnTarget, markers: page.releaseMarkers, frame: frame, style: style,
      isDetailed: frame.isWide)
  }

  private func caption(_ lines: [TrendChart.Line]) -> String {
    var text = "Shaded: 95 % intervals. \(words(lines).gap)"
    if let open = TrendWords.open(lines) { text += " \(open)" }
    if let budget = page.mainBudget, budget.target != nil { text += " Dashed: budget \(budget.targetText)." }
    if !page.trendOfAll.isEmpty {
      text += " Grey: all releases together\(page.mainBudget?.statistic.map { ", " + $0 } ?? "")."
    }
    if !page.releaseMarkers.isEmpty { text += " Dotted: first day of a release." }
    return text
  }
}

/// The section with the distribution of the window's values.
struct DistributionSection: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !page.distribution.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Distribution")
      html.element("figure", .class("card")) { html in
        html.write(chart(.wide, "wide"))
        html.write(chart(.narrow, "narrow"))
        html.element(
          "figcaption",
          text: "Share of \(EventNoun.plural(of: page.report.name, weight: page.report.weight)) in each bucket."
            + (page.mainBudget?.target == nil ? "" : " Outlined: beyond the budget."))
        html.write(
          DistributionTable(
            caption: title, bars: page.distribution, unit: page.report.unit, source: links.origin, links: links))
      }
    }
  }

  private var title: String { "Distribution of \(ShortenedName.text(page.report.title))" }

  private func chart(_ frame: ChartDimensions, _ style: StaticString) -> DistributionChart {
    DistributionChart(
      title: title, bars: page.distribution, unit: page.report.unit, direction: page.direction,
      target: page.mainBudget?.target, frame: frame, style: style)
  }
}
