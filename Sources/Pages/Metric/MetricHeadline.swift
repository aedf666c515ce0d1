import HTML
import Health
import Telemetry
import Wording

/// The numbers of a metric, large: percentiles of a distribution, else its one number.
struct MetricHeadline: Markup {
  var report: MetricReport
  var direction: Metric.Direction

  func write(to html: inout HTMLWriter) {
    html.element("dl", .class("headline")) { html in
      for (name, estimate) in figures { figure(name, estimate, &html) }
    }
    html.element("p", .class("basis"), text: basis)
  }

  private var figures: [(String, Estimate)] {
    guard report.kind == .distribution else { return [("Value", report.value)] }
    return Ranks.shown(direction).map { ("p\($0)", report.percentiles[$0] ?? .unknown) }
  }

  private func figure(_ name: String, _ estimate: Estimate, _ html: inout HTMLWriter) {
    html.element("div", .class("card")) { html in
      html.element("dt", text: name)
      html.element("dd", .class("figure")) {
        $0.number(estimate.value, report.unit, isAtLeast: estimate.isAtLeast)
      }
      html.element("dd", .class("meta")) { html in
        html.element("span", .title("Two-sided 95 % interval"), text: Quantity.interval(estimate, report.unit))
      }
    }
  }

  /// `2,100 launches from 1,432 payloads, as good as 1,910 independent ones; MetricKit, weighted by events.`
  private var basis: String {
    var text = Noun.count(report.n, of: report.name, weight: report.weight)
    if report.payloads > 0 {
      text += " from \(Decimal.grouped(report.payloads)) \(report.payloads == 1 ? "payload" : "payloads")"
    }
    if let effective = report.nEffective, effective.isFinite {
      text += ", worth " + (effective < 1.5 ? "one independent one" : "\(Decimal.fixed(effective, 0)) independent ones")
    }
    return "\(text). \(source)."
  }

  private var source: String {
    guard report.kind == .distribution else { return "Source: \(report.source.title)" }
    let weight = report.weight == .deviceDay ? "one value per device and day" : "weighted by events"
    return "Source: \(report.source.title), \(weight)"
  }
}

/// Which percentiles a page shows first.
enum Ranks {
  /// The slow end for smaller-is-better, the poor end for larger-is-better.
  static func shown(_ direction: Metric.Direction) -> [Int] { direction == .lower ? [50, 90, 95] : [10, 50, 90] }
}
