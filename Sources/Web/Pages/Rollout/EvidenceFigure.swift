import Analysis
import Core
import Foundation
import Storage

/// The evidence against a release on each day of its rollout: a small chart for each vital, all with the same axes, and
/// their numbers as a table.
struct EvidenceFigure: Markup {
  var report: RolloutReport
  /// The page whose data contains these numbers.
  var page: Page
  var links: Links

  private var vitals: [RolloutVital] { report.vitals.filter { !$0.history.isEmpty } }

  func write(to html: inout HTMLWriter) {
    let vitals = self.vitals
    guard !vitals.isEmpty else { return }
    let axis = EvidenceAxis(vitals)
    html.element("section") { html in
      html.element("h2", text: "Evidence by day")
      html.element("ul", .class("multiples")) { html in
        for vital in vitals {
          html.element("li") { html in
            label(vital, &html)
            html.write(EvidenceChart(vital: vital, window: report.window, axis: axis))
          }
        }
      }
      html.element(
        "p", .class("meta"),
        text: "The evidence at the end of each day, on a logarithmic scale. Evidence of 1 says nothing; values below 1 "
          + "are drawn at 1. Dashed: the limit at which a vital halts the rollout.")
      table(vitals, &html)
    }
  }

  private func label(_ vital: RolloutVital, _ html: inout HTMLWriter) {
    html.element("p", .class("label")) { html in
      html.write(Name(vital.plainTitle))
      html.text(" ")
      html.element("span", .class("tone", vital.state.style)) { html in
        html.element("span", Attribute("aria-hidden", literal: "true"), text: vital.state.symbol)
        html.element("span", .class("unseen"), text: vital.state.badgeText)
      }
    }
  }

  private func table(_ vitals: [RolloutVital], _ html: inout HTMLWriter) {
    let days = Set(vitals.flatMap { $0.history.map(\.day) }).sorted(by: >)
    html.element("details") { html in
      html.element("summary", text: "Chart data as a table")
      html.write(
        Table("Evidence at the end of each day", of: days, style: "numbers") {
          Column.head("Day", text: \.iso)
          for vital in vitals {
            Column.number(ShortenedName.text(vital.plainTitle, limit: 24)) { day in
              vital.history.first { $0.day == day }.map { EvidenceText.text($0.evidence.value) } ?? Quantity.unknown
            }.unstyled.named(nil)
          }
        })
      html.write(ChartDataLinks(page: page, hasTable: false, links: links))
    }
  }
}

/// The vertical axis of evidence: powers of ten from 1 to at least the limit of every vital.
struct EvidenceAxis {
  /// The number of powers of ten above 1.
  let decades: Int

  init(_ vitals: [RolloutVital]) {
    let limits = vitals.map { Self.decades($0.limit) }.max() ?? 0
    let values = vitals.flatMap { $0.history.map { Self.decades($0.evidence.value) } }.max() ?? 0
    decades = max(1, limits, min(values, Self.mostDecades))
  }

  /// Evidence beyond this power of ten is drawn at the top. A clear difference soon has evidence of many powers of ten,
  /// beside which the limit would be indistinguishable from 1.
  private static let mostDecades = 4

  /// The number of powers of ten that reach a value.
  private static func decades(_ value: Double) -> Int {
    value.isFinite && value > 1 ? Int(log10(value).rounded(.up)) : 0
  }

  var ticks: [Double] { (0...decades).map { pow(10, Double($0)) } }

  /// The height of a value in a drawing.
  func y(_ value: Double, _ frame: ChartDimensions) -> Double {
    LinearScale(domain: (0, Double(decades)), range: (frame.plotBottom, frame.plotTop))(value > 1 ? log10(value) : 0)
  }
}

/// The evidence of one vital as a line over the days of a rollout, with the limit at which it halts.
struct EvidenceChart: Markup {
  var vital: RolloutVital
  var window: Window
  var axis: EvidenceAxis

  func write(to html: inout HTMLWriter) {
    let frame = ChartDimensions.small.fitting(axis.ticks.map(EvidenceText.text))
    html.element(
      "svg", .class("chart", "fluid"), Attribute("viewBox", "0 0 \(Int(frame.width)) \(Int(frame.height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: "Evidence on \(ShortenedName.text(vital.plainTitle)) by day")
      html.element("desc", text: description)
      html.write(Grid(heights: axis.ticks.map { axis.y($0, frame) }, frame: frame))
      for tick in axis.ticks {
        html.write(
          Label(EvidenceText.text(tick), at: Point(x: frame.plotLeft - 6, y: axis.y(tick, frame) + 4), anchor: "end"))
      }
      for (day, anchor) in labelledDays {
        let text = ChartDateLabel.text(day, besides: window.to.civil.year)
        html.write(Label(text, at: Point(x: x(day, frame), y: frame.height - 5), anchor: anchor))
      }
      html.write(
        LimitLine(label: "halts at \(EvidenceText.text(vital.limit))", y: axis.y(vital.limit, frame), frame: frame))
      line(frame, &html)
    }
  }

  private var labelledDays: [(CalendarDay, StaticString)] {
    guard window.from < window.to else { return [(window.from, "middle")] }
    return [(window.from, "start"), (window.to, "end")]
  }

  /// The line is not interrupted on a day without data: what was known before stays known.
  private func line(_ frame: ChartDimensions, _ html: inout HTMLWriter) {
    let points = vital.history.map { Point(x: x($0.day, frame), y: axis.y($0.evidence.value, frame)) }
    guard let first = points.first, let last = points.last else { return }
    if points.count > 1 {
      var path = Path()
      path.move(first)
      for point in points.dropFirst() { path.line(point) }
      html.leaf("path", .class("line", "first"), Attribute("d", path.text))
    }
    html.leaf("circle", .class("dot", "first"), Attribute("cx", last.x), Attribute("cy", last.y), Attribute("r", 3))
  }

  private func x(_ day: CalendarDay, _ frame: ChartDimensions) -> Double {
    LinearScale(
      domain: (Double(window.from.number), Double(window.to.number)),
      range: (frame.plotLeft + 4, frame.plotRight - 4))(Double(day.number))
  }

  /// The evidence in words, for readers who cannot see the chart.
  private var description: String {
    let values = vital.history.map(\.evidence.value)
    guard let most = values.max(), let last = vital.history.last else { return "No data." }
    let limit = "The limit at which it halts the rollout is \(EvidenceText.text(vital.limit))"
    let reached = vital.history.first { $0.evidence.value >= vital.limit }
    return "Evidence of \(EvidenceText.text(last.evidence.value)) on \(last.day.iso), at most "
      + "\(EvidenceText.text(most)) on any day. \(limit), \(reached.map { "first reached on \($0.day.iso)" } ?? "not reached")."
  }
}
