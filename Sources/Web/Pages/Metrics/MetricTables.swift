import Analysis
import Core

/// Tables of all metrics: distributions with percentiles, others with their number.
struct MetricTables: Markup {
  var report: HealthReport
  var links: Links

  func write(to html: inout HTMLWriter) {
    let metrics = report.metrics.filter { $0.label == nil && !isExit($0.name) }
    let distributions = metrics.filter { $0.kind == .distribution }
    let others = metrics.filter { $0.kind != .distribution }
    guard !metrics.isEmpty else { return }
    if !distributions.isEmpty { self.distributions(distributions, &html) }
    if !others.isEmpty { self.others(others, &html) }
  }

  /// Whether a metric is shown on the page of exits instead.
  private func isExit(_ name: String) -> Bool {
    name.utf8.starts(with: "exits.foreground.".utf8) || name.utf8.starts(with: "exits.background.".utf8)
  }

  private func distributions(_ metrics: [MetricReport], _ html: inout HTMLWriter) {
    html.write(
      Table(
        "Percentiles with their 95 % intervals",
        ["Metric", .number("p50"), .number("p90"), .number("p95"), .number("n"), "Source"]
      ) { html in
        for metric in metrics {
          html.row { html in
            head(metric, &html)
            for rank in [50, 90, 95] {
              let estimate = metric.percentiles[rank]
              html.estimateCell(estimate, metric.unit)
            }
            tail(metric, &html)
          }
        }
      })
  }

  private func others(_ metrics: [MetricReport], _ html: inout HTMLWriter) {
    html.write(
      Table(
        "Shares, rates and sums over the window",
        ["Metric", .number("Value and interval"), .number("Payloads"), .number("n"), "Source"]
      ) { html in
        for metric in metrics {
          html.row { html in
            head(metric, &html)
            html.estimateCell(metric.value, metric.unit)
            html.countCell(metric.payloads)
            tail(metric, &html)
          }
        }
      })
  }

  private func head(_ metric: MetricReport, _ html: inout HTMLWriter) {
    html.rowHead { html in
      html.element("a", .href(links.href(.metric(app: report.app, name: metric.name)))) { $0.write(Name(metric.title)) }
    }
  }

  private func tail(_ metric: MetricReport, _ html: inout HTMLWriter) {
    html.countCell(metric.n)
    html.element("td", text: metric.source.title)
  }
}
