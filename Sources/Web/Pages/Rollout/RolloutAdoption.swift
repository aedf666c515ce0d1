import Analysis
import Core
import Storage

/// The section with the share of a release on each day of its rollout, beside the steps of a phased release.
struct RolloutAdoption: Markup {
  var report: RolloutReport
  /// The page whose data contains these numbers.
  var page: Page
  var links: Links

  private var title: String { "Adoption of \(ShortenedName.text(report.release)) by day" }
  private var hasFresh: Bool { report.days.contains { $0.fresh != nil } }

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Adoption")
      guard !report.days.isEmpty else {
        return html.element("p", text: "No sessions or payloads received since \(report.window.from.iso).")
      }
      html.element("figure", .class("card")) { html in
        html.write(chart(.wide, "wide"))
        html.write(chart(.narrow, "narrow"))
        html.element("figcaption", text: caption)
        if let arrived = report.arrivedSentence { html.element("p", .class("meta"), text: arrived) }
        table(&html)
      }
    }
  }

  private func chart(_ frame: ChartDimensions, _ style: StaticString) -> TrendChart {
    TrendChart(
      title: title, lines: lines, unit: .ratio, direction: .lower, frame: frame, style: style,
      isDetailed: frame.isWide)
  }

  private var caption: String {
    "Actual: the share of the release in each day's use. Planned: the share of users that the App Store offers the "
      + "update to on each day of a phased release."
      + (hasFresh ? " Updated: the part of the release's use by installations that updated on that day." : "")
  }

  /// The lines have a point for every day, because the chart shows the numbers of all lines at one day together.
  private var lines: [TrendChart.Line] {
    let known = Dictionary(report.days.map { ($0.day, $0) }, uniquingKeysWith: { first, _ in first })
    func line(
      _ name: String, _ style: StaticString, isMeasured: Bool = true, _ value: (CalendarDay) -> Double?
    ) -> TrendChart.Line {
      TrendChart.Line(
        name: name, style: style,
        points: report.window.allDays.map { day in
          TrendPoint(
            day: day, estimate: Estimate(value: value(day)), n: known[day]?.use ?? 0,
            arrived: isMeasured ? known[day]?.arrived.sessions : nil)
        })
    }
    return [line("actual", "first") { known[$0]?.share }, line("planned", "before", isMeasured: false, planned)]
      + (hasFresh ? [line("updated", "second") { known[$0]?.fresh }] : [])
  }

  /// The share that a phased release reaches on a day; all users after its last step.
  private func planned(_ day: CalendarDay) -> Double? {
    let steps = RolloutReport.phasedRelease
    let index = day.number - report.window.from.number
    return steps.indices.contains(index) ? steps[index] : index < 0 ? nil : steps.last
  }

  private func table(_ html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Chart data as a table")
      html.write(
        Table(title, of: report.days.reversed()) {
          Column.head("Day", text: \.day.iso)
          Column.number("Actual") { $1.number($0.share, .ratio) }
          Column.number("Planned") { $1.number(planned($0.day), .ratio) }
          Column.number("Updated") { $1.number($0.fresh, .ratio) }
          Column.count("n", \.use)
        })
      html.write(ChartDataLinks(page: page, hasTable: false, links: links))
    }
  }
}
