import Analysis
import Core

/// The trend charts of the sessions page.
struct SessionCharts: Markup {
  var page: SessionsModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Crash-free sessions \(words.by)")
      html.write(
        figure(
          "Crash-free sessions \(words.by)", [line("", "first") { $0.sessions.crashFree.estimate }], .ratio, .higher,
          page.budget))
    }
    html.element("section") { html in
      html.element("h2", text: "How many, \(words.by)")
      html.write(
        figure(
          "Sessions and users \(words.by)",
          [
            line("sessions", "first") { Estimate(value: $0.sessions.total > 0 ? Double($0.sessions.total) : nil) },
            line("users", "second") { Estimate(value: $0.users.total.map(Double.init)) },
          ].filter { $0.points.contains { $0.estimate.value != nil } }, .count, .lower))
    }
    html.element("section") { html in
      html.element("h2", text: "Sessions that went wrong, \(words.by)")
      html.write(
        figure(
          "Sessions that went wrong \(words.by)",
          [outcome(.crashed, "third"), outcome(.abnormal, "second"), outcome(.errored, "first")], .count, .lower))
    }
  }

  private var words: StepWords { StepWords(days: page.days.last?.days ?? 1) }

  private func outcome(_ outcome: SessionOutcome, _ style: StaticString) -> TrendChart.Line {
    line(outcome.name, style) { day in
      Estimate(value: day.sessions.total > 0 ? Double(day.sessions.counts[outcome, default: 0]) : nil)
    }
  }

  private func line(
    _ name: String, _ style: StaticString, _ number: (SessionDay) -> Estimate
  ) -> TrendChart.Line {
    TrendChart.Line(
      name: name, style: style,
      points: page.days.map { TrendPoint(day: $0.day, days: $0.days, estimate: number($0), n: $0.sessions.total) })
  }

  private func figure(
    _ title: String, _ lines: [TrendChart.Line], _ unit: MetricUnit, _ direction: Metric.Direction,
    _ budget: BudgetResult? = nil
  ) -> TrendFigure {
    TrendFigure(
      title: title, lines: lines, unit: unit, direction: direction, target: budget?.target,
      warnTarget: budget?.warnTarget, markers: page.releaseMarkers, source: links.origin, links: links)
  }
}
