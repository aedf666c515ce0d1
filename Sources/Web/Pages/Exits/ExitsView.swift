import Analysis
import Core
import Storage

/// The exits page: exits that users noticed, and exits in the background.
enum ExitsView {
  /// The page as UTF-8.
  static func render(_ exits: ExitsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.exits(app: exits.app)
    let layout = Layout(
      page: page, title: "Exits of " + PlainName.text(exits.app), context: context,
      asOf: exits.asOf,
      footer: "Payloads up to number \(Decimal.grouped(Int(exits.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Exits")
      html.element("p", .class("summary"), text: sentence(exits))
      if let note = exits.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: exits.window, slice: exits.slice, context: context))
      guard !exits.rows.isEmpty else {
        return html.write(
          EmptyState(
            what: "Exits come with MetricKit’s daily payloads, from iOS 14 on.", app: exits.app, links: layout.links))
      }
      html.write(BudgetCards(heading: "Budgets", results: exits.budgets, window: exits.window))
      html.element("section") { html in
        html.element("h2", text: "Foreground terminations \(StepWords(exits.trend).by)")
        html.write(
          TrendFigure(
            title: "Foreground terminations per 1,000 launches and resumes, \(StepWords(exits.trend).by)",
            lines: [TrendChart.Line(name: "", style: "first", points: exits.trend)], unit: .perThousand,
            direction: .lower, markers: exits.releaseMarkers, source: page, table: .trend, links: layout.links))
      }
      html.write(ExitBreakdown(page: exits, links: layout.links))
      let attribute = MetricParts(exits.byAttribute)
      let parts: [(String, String, [Breakdown], FilterPart)] = [
        ("By release", "Release", exits.byRelease, .release),
        ("By devices", "Devices", exits.byDeviceClass, .deviceClass),
        (attribute.heading, attribute.dimension, attribute.rows, attribute.part),
      ]
      for (title, dimension, rows, part) in parts {
        html.write(
          BreakdownTable(
            heading: title, dimension: dimension, rows: rows, direction: .lower, noun: "Per 1,000 launches",
            source: page, links: layout.links, part: part))
      }
      html.write(
        AdviceLine(advice: "Look at the kind of exit that grew.", guide: "crash-free", links: layout.links))
    }
  }

  private static func sentence(_ page: ExitsModel) -> String {
    guard let terminations = page.terminations, terminations.value.value != nil else {
      return page.rows.isEmpty ? "No exits in these days." : "Exits were counted, but no launches to hold them against."
    }
    let low =
      terminations.value.low == nil && terminations.value.high == nil
      ? "" : " (\(Quantity.interval(terminations.value, .count)))"
    return
      "Of 1,000 launches and resumes, \(Quantity.text(terminations.value, .count)) were ended before people’s eyes\(low)."
  }
}
