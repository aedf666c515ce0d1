import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

@Suite("A metric's page")
struct MetricViewTests {
  private func page(_ model: MetricModel = Fleet.metricPage, _ context: PageContext = PageContext()) throws -> Element {
    try HTMLPage.parse(MetricView.render(model, context))
  }

  @Test("a metric's page has the metric's title and name, below its app")
  func heading() throws {
    let page = try self.page()
    #expect(try page.one("h1").text == "Launch to first draw")
    #expect(try page.one("main > p.meta code").text == "launch.first_draw")
    #expect(page.texts("header nav li") == ["Apps", "com.example.shop", "Launch to first draw"])
    #expect(page.links("header nav a") == ["/", "/apps/com.example.shop"])
    #expect(page.texts("nav.pages a[aria-current=true]") == ["Vitals"] && !page.has("nav.pages a[aria-current=page]"))
  }

  @Test("the budget's verdict comes first, then percentiles with intervals and sample sizes")
  func headline() throws {
    let page = try self.page()
    let headline = try page.one("div.headline")
    #expect(
      try headline.one(".card.within").texts("p")
        == ["1.39 s p90", "1.33–1.45 s · 21,480 launches", "Budget: p90 launch to first draw ≤ 2 s"])
    #expect(headline.elements.map(\.name) == ["div", "dl"])
    #expect(headline.texts("dl.ranks dt") == ["p50", "p90", "p95"])
    #expect(
      headline.texts("dl.ranks dd") == [
        "812 ms", "801–824 ms", "1.39 s", "1.32–1.47 s", "1.76 s", "1.69–1.85 s",
      ])
    #expect(
      try page.one("p.basis").text
        == "21,480 launches from 8,204 payloads, effective sample size 15,310. Source: MetricKit, weighted by events.")
    #expect(try page.one("p.worst").text == "Worst labels, p90: after update 3.10 s, cold 1.72 s.")
    var rate = Fleet.metricPage
    rate.metric = Catalogue.metric(named: "ui.frame_rate")
    #expect(try self.page(rate).texts("dl.ranks dt") == ["p10", "p50", "p90"])
  }

  @Test("the checks for a metric are open once a budget is broken, and one line before that")
  func budget() throws {
    let calm = try self.page().one("main > details")
    #expect(calm["open"] == nil && calm.texts("summary") == ["If it breaks"])
    var model = Fleet.metricPage
    model.budgets = Fleet.judged(nil, [.broken, .within])
    let page = try self.page(model)
    #expect(page.all("div.headline div.card").prefix(2).map { $0["class"] } == ["card broken", "card within"])
    let broken = try page.one("main > details")
    #expect(broken["open"] != nil && broken.texts("summary") == ["What to check"])
    #expect(broken.all(".advice ol li").count == 3 && broken.links(".advice a").last == "/guides/launch")
    model.budgets = []
    #expect(try self.page(model).texts("main > p.meta").last == "No budget is set for this metric.")
  }

  @Test("a metric's page for one release shows the trend of all releases as a grey line")
  func trendOfAll() throws {
    var model = Fleet.smallMetricPage
    model.slice.release = "4.3.0"
    model.trendOfAll = Fleet.points([1250, 1260, 1270, 1255, 1240])
    let section = try self.page(model).section("By day")
    #expect(section.all("svg.wide path.before").count >= 1)
    #expect(try section.one("figcaption").text.contains("Grey: all releases together, p90."))
    #expect(try section.table("Launch to first draw by day").columns.prefix(3) == ["Day", "all", "Interval"])
    #expect(try !self.page(Fleet.smallMetricPage).has("svg.wide path.before"))
  }

  @Test("the trend is drawn for a screen and a phone, with its budget and releases, and listed by day")
  func trend() throws {
    let section = try self.page().section("By day")
    let charts = section.all("svg.chart")
    #expect(charts.map { $0["class"] } == ["chart wide", "chart narrow"])
    #expect(charts[0].texts("text.marker") == ["4.2.0", "4.3.0", "4.3.1"])
    #expect(charts[0].texts("text.budget") == ["budget 2 s"])
    // The lines, in a wide drawing, are named at their ends from the slowest down.
    #expect(
      charts[0].all("text").filter { ["first", "second", "third"].contains($0["class"] ?? "") }.map(\.text)
        == ["p95", "p90", "p50"])
    #expect(charts[0].texts("text[text-anchor=start]").contains("Oct 24"))
    #expect(charts[0].texts("text[text-anchor=end]").contains("Nov 20"))
    // A column for each day, and none in the small drawing.
    #expect(charts[0].all("rect.hover").count == 28 && !charts[1].has("rect.hover"))
    // The missing day cuts each of three lines in two.
    #expect(charts[0].all("path.line").count == 6 && charts[0].all("path.band").count == 6)
    #expect(
      try section.one("figcaption").text
        == "Shaded: 95 % intervals. Days without data are left out. Dashed: budget 2 s. Dotted: first day of a release."
    )
    let table = try section.table("Launch to first draw by day")
    #expect(table.columns == ["Day", "p50", "Interval", "p90", "Interval", "p95", "Interval", "n"])
    #expect(table.heads.count == 28 && table.heads.first == "2026-11-20" && table.heads.last == "2026-10-24")
    #expect(try table.row("2026-11-09").head == "2026-11-09 4.3.0")
    #expect(try table.row("2026-11-03").texts == ["2026-11-03", "–", "–", "–", "–", "–", "–", "0"])
    #expect(
      section.links("p.data a") == [
        "/api/v1/apps/com.example.shop/metrics/launch.first_draw",
        "/api/v1/apps/com.example.shop/metrics/launch.first_draw?format=csv",
      ])
  }

  @Test("hovering over a column of the chart shows its day's numbers")
  func hover() throws {
    let charts = try self.page(Fleet.smallMetricPage).all("svg.wide rect.hover title")
    let titles = charts.map { title in
      title.children.map { if case .text(let text) = $0 { text } else { "" } }.joined().replacing("\u{A0}", with: " ")
    }
    #expect(titles.first == "Nov 16: p50 800 ms (760–840 ms), p90 1.30 s (1.24–1.37 s), n 700")
    #expect(titles[2] == "Nov 18: p50 – (–), p90 – (–), n 0")
  }

  @Test("values are distributed over buckets, and those beyond the budget are outlined")
  func distribution() throws {
    let section = try self.page().section("Distribution")
    let chart = try section.one("svg.wide")
    #expect(chart.all("rect.column").count == 21)
    // 2,050 ms and above: 2,350, 2,700, 3,100 and the open end; the bucket from 1,800 reaches across.
    #expect(chart.all("rect.beyond").count == 5)
    #expect(try section.one("figcaption").text == "Share of launches in each bucket. Outlined: beyond the budget.")
    let table = try section.table("Distribution of Launch to first draw")
    #expect(table.heads.first == "180–240 ms" && table.heads.last == "≥ 9.00 s")
    // 40 of 21,480.
    #expect(table.rows.first?.texts == ["180–240 ms", "40", "0.19 %"])
    #expect(table.rows.count == 21)
  }

  @Test("parts have percentiles, verdicts and links, but those in parentheses have no link")
  func parts() throws {
    let page = try self.page()
    let releases = try page.table("By release")
    #expect(releases.columns == ["Release", "p50", "p90", "p95", "n", "Verdict"])
    #expect(
      releases.rows[1].texts == [
        "4.3.0 (1298)", "861 ms 835–895 ms", "1.50 s 1.45–1.56 s", "1.91 s 1.85–1.99 s", "7,240", "✓ Within budget",
      ])
    #expect(
      releases.rows.map { $0.element.links("th a").first } == [
        "?release=4.3.1%20%281302%29", "?release=4.3.0%20%281298%29", "?release=4.2.0%20%281251%29", nil,
      ])
    let models = try page.table("By model")
    #expect(
      models.heads == [
        "iPhone 16 Pro iPhone17,1", "iPhone 14 Pro iPhone15,2", "iPhone 12 iPhone13,2", "iPhone XR iPhone11,8",
        "iPhone99,9",
      ])
    #expect(
      models.column("Verdict") == [
        "✓ Within budget", "✓ Within budget", "▲ Warning", "✕ Broken", "○ Not enough data",
      ])
    #expect(models.rows[0].element.links("th a") == ["?device=iPhone17%2C1"])
    #expect(
      page.texts("h2") == [
        "By day", "Distribution", "By release", "By device class", "By label", "By model", "All numbers",
      ])
  }

  @Test("trends of the device classes are side by side on one axis")
  func multiples() throws {
    let list = try self.page().one("ul.multiples")
    #expect(list.texts("p.label") == ["iPhone 12 and older ✕Broken", "iPhone 14 ✓Within budget"])
    let axes = list.all("svg").map { $0.texts("text[text-anchor=end]").filter { $0.hasSuffix("s") } }
    #expect(axes.count == 2 && axes[0] == axes[1] && !axes[0].isEmpty)
  }

  @Test("the page of a metric lists every known number")
  func facts() throws {
    let table = try self.page().table("The whole window")
    #expect(
      table.rows.map(\.texts) == [
        ["p10", "492 ms", "480–503 ms"], ["p50", "812 ms", "801–824 ms"], ["p75", "1.088 s", "1.066–1.110 s"],
        ["p90", "1.39 s", "1.32–1.47 s"], ["p95", "1.76 s", "1.69–1.85 s"], ["p99", "3.1 s", "2.9–3.5 s"],
        ["Mean", "940 ms", ""], ["Smallest, from buckets", "180 ms", ""], ["Largest, from buckets", "9.40 s", ""],
        ["Sum, from buckets", "337 min", ""], ["Relative error of a percentile", "0.55 %", ""],
        ["Effective sample size", "15,310", ""], ["n", "21,480", ""], ["Payloads", "8,204", ""],
      ])
  }

  @Test("a metric of a single number has no percentiles and no distribution")
  func oneNumber() throws {
    var model = Fleet.metricPage
    model.report = Fleet.report.metrics[7]
    model.metric = Catalogue.metric(named: "hang.frequency")
    model.trends = [0: Fleet.points([3, 3.2, nil, 3.1, 3.1])]
    model.distribution = []
    model.byRelease = Fleet.shares
    model.budgets = []
    let page = try self.page(model)
    #expect(page.texts("dl.ranks dt") == ["Value"] && !page.texts("h2").contains("Distribution"))
    #expect(try page.table("By release, with").columns == ["Release", "Value", "n", "Verdict"])
    #expect(try page.table("The whole window").heads == ["Value", "n", "Payloads"])
  }

  @Test("every link to the app keeps the filters, and a row adds one")
  func filters() throws {
    let filter = ReportQuery(
      from: Fleet.window.from, release: "4.3.0", os: "iOS 26.1", device: "iPhone15,2", deviceClass: "iPhone 99",
      label: "cold")
    let page = try self.page(Fleet.metricPage, PageContext(filter: filter, choices: Fleet.choices))
    let query = "?from=2026-10-24&release=4.3.0&os=iOS%2026.1&device=iPhone15%2C2&device_class=iPhone%2099&label=cold"
    #expect(page.links("nav.pages a").allSatisfy { $0.hasSuffix(query) })
    #expect(
      try page.table("By model").rows[0].element.links("th a") == [
        query.replacing("iPhone15%2C2", with: "iPhone17%2C1")
      ])
  }

  @Test("a label of another metric is named, and the numbers are those of all labels")
  func unknownLabel() throws {
    let page = try HTMLPage.parse(MetricView.render(Fleet.metricPage, unknownLabel: "warm", PageContext()))
    #expect(page.texts("main > p.banner") == ["This metric has no label warm. The numbers cover all labels."])
  }

  @Test("a metric without data explains where it comes from, and offers to clear filters")
  func none() throws {
    func page(_ metric: String, _ filter: ReportQuery = .init()) throws -> Element {
      try HTMLPage.parse(
        NoMetricView.render(app: Fleet.app, metric: metric, asOf: Fleet.asOf, PageContext(filter: filter)))
    }
    let body = try page("swiftui.body")
    #expect(try body.one("h1").text == "SwiftUI body")
    #expect(try body.one("p.summary").text == "No data for this metric in this period.")
    #expect(
      body.texts("div.nothing p") == [
        "MetricKit does not report this metric. The app measures it and sends it as native JSON or over OpenTelemetry.",
        "How to send data",
      ])
    #expect(body.links("div.nothing a") == ["/apps/com.example.shop/setup"])
    #expect(body.links("p.advice a") == ["/guides/swiftui"])
    let launch = try page("launch.first_draw", ReportQuery(os: "iOS 26.1"))
    #expect(try launch.one("p.summary").text == "No data with these filters.")
    #expect(launch.texts("div.nothing p").first?.hasPrefix("MetricKit reports it as ") == true)
    #expect(launch.texts("div.nothing a") == ["How to send data", "Clear filters"])
    #expect(launch.links("div.nothing a").last == "/apps/com.example.shop/metrics/launch.first_draw")
    #expect(try page("cart.total").texts("div.nothing p")[0] == "No client sent this metric in this period.")
  }
}
