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
      Table("Percentiles with their 95 % intervals", of: metrics) {
        name
        for rank in [50, 90, 95] { Column.estimate("p\(rank)", \.unit) { $0.percentiles[rank] } }
        Column.count("n", \.n)
        Column("Source", text: \.source.title)
      })
  }

  private func others(_ metrics: [MetricReport], _ html: inout HTMLWriter) {
    html.write(
      Table("Shares, rates and sums over the window", of: metrics) {
        name
        Column.estimate("Value and interval", \.unit, \.value)
        Column.count("Payloads", \.payloads)
        Column.count("n", \.n)
        Column("Source", text: \.source.title)
      })
  }

  private var name: Column<MetricReport> {
    .head("Metric") { metric, html in
      html.element("a", .href(links.href(.metric(app: report.app, name: metric.name)))) { $0.write(Name(metric.title)) }
    }
  }
}
