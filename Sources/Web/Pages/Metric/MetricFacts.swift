internal import Analysis
import Core
import Storage

/// A table of every known number of a metric, for readers who want to check one.
struct MetricFacts: Markup {
  var report: MetricReport

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "All numbers")
      html.write(
        Table("The whole window", of: facts, style: "lines") {
          Column.head("Statistic", text: \.name)
          Column.number("Value") { fact, html in
            if let estimate = fact.estimate {
              html.number(estimate, fact.unit)
            } else {
              html.number(fact.value, fact.unit)
            }
          }.styled("n", "answer").named(nil)
          Column.number("95 % interval") { fact in
            fact.estimate.map { Quantity.interval($0, fact.unit) } ?? ""
          }.named(nil)
        })
    }
  }

  private typealias Fact = (name: String, value: Double?, unit: MetricUnit, estimate: Estimate?)

  private var facts: [Fact] {
    let own: [Fact] =
      report.kind == .distribution
      ? MetricReport.ranks.map { rank in
        ("p\(rank)", report.percentiles[rank]?.value, report.unit, report.percentiles[rank])
      } : [("Value", report.value.value, report.unit, report.value)]
    let about = report.isEstimated ? ", from buckets" : ""
    let others: [Fact] = [
      ("Mean", report.mean, report.unit, nil), ("Smallest\(about)", report.minimum, report.unit, nil),
      ("Largest\(about)", report.maximum, report.unit, nil), ("Sum\(about)", report.sum, report.unit, nil),
      ("Numerator", report.numerator, .count, nil), ("Denominator", report.denominator, .count, nil),
      ("Relative error of a percentile", report.error, .ratio, nil),
      ("Effective sample size", report.nEffective, .count, nil),
    ]
    return own + others.filter { $0.value != nil } + [
      ("n", Double(report.n), .count, nil), ("Payloads", Double(report.payloads), .count, nil),
    ]
  }
}
