import Analysis
import Core

/// A table of every known number of a metric, for readers who want to check one.
struct MetricFacts: Markup {
  var report: MetricReport

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "All numbers")
      html.write(
        Table("The whole window", ["What", .number("Value"), .number("95 % interval")], style: "lines") { html in
          for rank in MetricReport.ranks where report.kind == .distribution {
            let estimate = report.percentiles[rank]
            row("p\(rank)", estimate?.value, report.unit, &html, estimate)
          }
          if report.kind != .distribution { row("Value", report.value.value, report.unit, &html, report.value) }
          others(&html)
        })
    }
  }

  private func others(_ html: inout HTMLWriter) {
    let about = report.isEstimated ? ", from buckets" : ""
    let numbers: [(String, Double?, MetricUnit)] = [
      ("Mean", report.mean, report.unit), ("Smallest\(about)", report.minimum, report.unit),
      ("Largest\(about)", report.maximum, report.unit), ("Sum\(about)", report.sum, report.unit),
      ("Numerator", report.numerator, .count), ("Denominator", report.denominator, .count),
      ("Relative error of a percentile", report.error, .ratio), ("Effective sample", report.nEffective, .count),
    ]
    for (name, value, unit) in numbers where value != nil { row(name, value, unit, &html) }
    row("n", Double(report.n), .count, &html)
    row("Payloads", Double(report.payloads), .count, &html)
  }

  private func row(
    _ name: String, _ value: Double?, _ unit: MetricUnit, _ html: inout HTMLWriter, _ estimate: Estimate? = nil
  ) {
    html.row { html in
      html.rowHead(text: name)
      html.element("td", .class("n", "answer")) { html in
        if let estimate { html.number(estimate, unit) } else { html.number(value, unit) }
      }
      html.element("td", .class("n"), text: estimate.map { Quantity.interval($0, unit) } ?? "")
    }
  }
}
