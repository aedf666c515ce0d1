import Analysis
import Core
import Storage

/// The verdicts on a metric's budgets, then its main numbers: percentiles of a distribution, else its one number.
struct MetricFigures: Markup {
  var page: MetricModel
  var links: Links

  private var report: MetricReport { page.report }

  func write(to html: inout HTMLWriter) {
    html.element("div", .class("headline")) { html in
      for result in page.budgets { html.write(BudgetCard(result: result, window: page.window, slice: page.slice)) }
      html.element("dl", .class("ranks")) { html in
        for (name, estimate) in figures { figure(name, estimate, &html) }
      }
    }
    html.element("p", .class("basis"), text: basis)
    html.write(WorstLabels(page: page, links: links))
    if page.budgets.isEmpty { html.element("p", .class("meta"), text: "No budget is set for this metric.") }
    let isBad = page.budgets.contains { $0.verdict == .broken || $0.verdict == .warning }
    html.element("details", isBad ? .flag("open") : Attribute("open", nil)) { html in
      html.element("summary", text: isBad ? "What to check" : "If it breaks")
      html.write(AdviceCard(advice: page.metric?.advice, guide: page.metric?.guide, links: links))
    }
  }

  private var figures: [(String, Estimate)] {
    guard report.kind == .distribution else {
      // A budget's card already shows the only number.
      return page.budgets.isEmpty ? [("Value", report.value)] : []
    }
    return Ranks.shown(page.direction).map { ("p\($0)", report.percentiles[$0] ?? .unknown) }
  }

  private func figure(_ name: String, _ estimate: Estimate, _ html: inout HTMLWriter) {
    html.element("div", .class("card")) { html in
      html.element("dt", text: name)
      html.element("dd", .class("figure")) {
        $0.number(estimate, report.unit)
      }
      html.element("dd", .class("meta")) { html in
        html.element("span", .title("Two-sided 95 % interval"), text: Quantity.interval(estimate, report.unit))
      }
    }
  }

  /// `2,100 launches from 1,432 payloads, effective sample size 1,910. Source: MetricKit, weighted by events.`
  private var basis: String {
    var text = EventNoun.count(report.n, of: report.name, weight: report.weight)
    if report.payloads > 0 {
      text += " from \(Decimal.grouped(report.payloads)) \(report.payloads == 1 ? "payload" : "payloads")"
    }
    if let effective = report.nEffective, effective.isFinite {
      text += ", effective sample size " + (effective < 1.5 ? "1" : Decimal.fixed(effective, 0))
    }
    return "\(text). \(source)."
  }

  private var source: String {
    guard report.kind == .distribution else { return "Source: \(report.source.title)" }
    let weight = report.weight == .deviceDay ? "one value per device and day" : "weighted by events"
    return "Source: \(report.source.title), \(weight)"
  }
}

/// The screens, hosts or other labels with the worst values, which could be hard to find in a long table.
private struct WorstLabels: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    let rows = worst
    guard page.slice.label == nil, rows.count > 1, let unit = rows.first?.row.report.unit else { return }
    html.element("p", .class("worst")) { html in
      html.text("Worst \(LabelChangesSection.noun(of: page.report.name))s\(rank.map { ", p\($0)" } ?? ""): ")
      for (index, (row, estimate)) in rows.prefix(3).enumerated() {
        if index > 0 { html.text(", ") }
        html.write(Name(row.title))
        html.text(" ")
        html.element("strong") { $0.number(estimate, unit) }
      }
      html.text(".")
    }
  }

  /// The percentile at the bad end; nil for a metric that has only one number.
  private var rank: Int? {
    page.report.kind == .distribution ? (page.direction == .lower ? 90 : 10) : nil
  }

  /// The labels with enough values for an interval, worst first.
  private var worst: [(row: Breakdown, estimate: Estimate)] {
    page.byLabel.compactMap { row -> (Breakdown, Estimate, Double)? in
      let estimate = rank.map { row.report.percentiles[$0] ?? .unknown } ?? row.report.value
      guard let value = estimate.value, estimate.low != nil, estimate.high != nil else { return nil }
      return (row, estimate, page.direction == .lower ? -value : value)
    }.sorted { ($0.2, $0.0.key) < ($1.2, $1.0.key) }.map { ($0.0, $0.1) }
  }
}

/// The percentiles that a page shows first.
enum Ranks {
  /// The ranks in percent: of the high end if lower is better, of the low end if higher is better.
  static func shown(_ direction: Metric.Direction) -> [Int] { direction == .lower ? [50, 90, 95] : [10, 50, 90] }
}

/// The top of a metric's page: its title and name, notes, and the filters.
struct MetricHeading: Markup {
  var page: MetricModel
  /// A requested label that this metric does not have; nil if it has the label or none is requested.
  var unknownLabel: String?
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    html.element("h1") { $0.write(Name(page.report.title)) }
    html.element("p", .class("meta")) { html in
      html.element("code") { $0.write(Name(page.report.name)) }
    }
    html.write(
      FilterBar(
        page: .metric(app: page.app, name: page.report.name), window: page.window, slice: page.slice, context: context,
        isWholeApp: page.slice.release == nil))
    if let note = page.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let unknownLabel {
      html.element("p", .class("banner")) { html in
        html.text("This metric has no label ")
        html.write(Name(unknownLabel))
        html.text(". The numbers cover all labels.")
      }
    }
  }
}
