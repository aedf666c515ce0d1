import Testing

@testable import Analysis
@testable import Core
@testable import Web

@Suite("The page of all metrics")
struct MetricsViewTests {
  private func page(_ report: HealthReport = Fleet.report, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(MetricsPage.view(.init(report: report, asOf: Fleet.asOf), context))
  }

  @Test("the page of all metrics lists distributions by percentiles and others by their number, each with a link")
  func tables() throws {
    let page = try self.page()
    let distributions = try page.table("Percentiles")
    #expect(distributions.columns == ["Metric", "p50", "p90", "p95", "n", "Source"])
    #expect(
      distributions.rows.first?.texts == [
        "Hang duration", "420 ms 407–437 ms", "1.90 s 1.84–1.98 s", "9.00 s ≥ 8.73 s", "1,204", "MetricKit",
      ])
    #expect(distributions.heads == ["Hang duration", "Image decode", "Cellular bars"])
    let others = try page.table("Shares, rates and sums")
    #expect(
      others.rows.last?.texts == [
        "Hangs per hour of use", "3.1 hangs/h 2.8–3.5 hangs/h", "8,204", "8,204", "MetricKit",
      ])
    #expect(
      others.heads == ["CPU time", "Cellular download", "CPU instructions", "Foreground time", "Hangs per hour of use"])
    #expect(distributions.rows[0].element.links("th a") == ["/apps/com.example.shop/metrics/hang.duration"])
  }

  @Test("the page of all metrics states that there is no data")
  func nothing() throws {
    var report = Fleet.report
    report.metrics = []
    let page = try self.page(report)
    #expect(page.texts("div.nothing p").first == "No metric has data in this period." && !page.has("table"))
  }
}
