import Analysis
import Core

/// The page of one metric: numbers, budgets, trend, distribution and breakdowns.
enum MetricView {
  /// The page as UTF-8. `unknownLabel`: a requested label that this metric does not have.
  static func render(_ page: MetricModel, unknownLabel: String? = nil, _ context: PageContext) -> [UInt8] {
    let report = page.report
    let layout = Layout(
      page: .metric(app: page.app, name: report.name),
      title: "\(ShortenedName.text(report.title)) · \(context.name(of: page.app))", context: context,
      asOf: page.asOf)
    return layout.render { html in
      html.write(MetricHeading(page: page, unknownLabel: unknownLabel, context: context))
      html.write(MetricFigures(page: page, links: layout.links))
      html.element("div", .class("charts")) { html in
        html.write(TrendSection(page: page, links: layout.links))
        html.write(DistributionSection(page: page, links: layout.links))
      }
      let causes = [
        page.causes.flatMap { !$0.causes.isEmpty || page.isBroken ? $0 : nil },
        page.causesOfLastWeek.flatMap { $0.isWorse && !$0.causes.isEmpty ? $0 : nil },
      ].compactMap { $0 }
      html.write(
        CausesSection(app: page.app, causes.map { (report.title, $0) }, slice: page.slice, links: layout.links))
      if let metric = page.metric { html.write(AppStoreSection(model: page.appStore, metric: metric)) }
      if let metric = page.metric {
        html.write(
          LabSection(
            model: page.lab, page: .metric(app: page.app, name: report.name), metric: metric, links: layout.links))
      }
      for part in MetricParts.all(page) {
        if part.part == .label, !part.rows.isEmpty { html.write(LabelChangesLink(page: page, links: layout.links)) }
        html.write(
          BreakdownTable(
            heading: part.heading, dimension: part.dimension, rows: part.rows, direction: page.direction,
            source: layout.links.origin, links: layout.links, part: part.part))
        html.write(
          SmallMultiples(
            heading: part.heading, rows: part.rows, direction: page.direction, budget: page.mainBudget,
            statistic: page.mainBudget?.statistic ?? (report.kind == .distribution ? "p50" : nil),
            source: layout.links.origin, links: layout.links))
      }
      html.write(MetricFacts(report: report))
    }
  }
}

extension MetricModel {
  /// Whether lower or higher values are better; lower for a metric that the catalogue does not have.
  var direction: Metric.Direction { metric?.direction ?? budgets.first?.direction ?? .lower }

  /// Whether a budget is broken or at warning level.
  var isBroken: Bool { budgets.contains { $0.verdict == .broken || $0.verdict == .warning } }

  /// The budget drawn in the charts: the first one.
  var mainBudget: BudgetResult? { budgets.first }
}

/// The page of a metric of the catalogue that has no data, or none with these filters.
enum NoMetricView {
  /// The page as UTF-8.
  static func render(
    app: String, metric name: String, _ appStore: AppStoreModel = AppStoreModel(), asOf: Timestamp,
    _ context: PageContext
  ) -> [UInt8] {
    let metric = Catalogue.metric(named: name)
    let isNarrowed = FilterPart.allCases.contains { context.filter[$0] != nil }
    let page = Page.metric(app: app, name: name)
    let title = metric?.title ?? name
    let layout = Layout(
      page: page, title: "\(ShortenedName.text(title)) · \(context.name(of: app))", context: context,
      asOf: asOf)
    return layout.render { html in
      html.element("h1") { $0.write(Name(title)) }
      html.element("p", .class("meta")) { html in html.element("code") { $0.write(Name(name)) } }
      html.element("p", .class("summary")) { html in
        html.text(isNarrowed ? "No data with these filters." : "No data for this metric in this period.")
      }
      html.write(EmptyState(what: source(metric), app: app, links: layout.links))
      if let metric { html.write(AppStoreSection(model: appStore, metric: metric)) }
      html.write(
        AdviceLine(lead: "If it breaks: ", advice: metric?.advice, guide: metric?.guide, links: layout.links))
    }
  }

  private static func source(_ metric: Metric?) -> String {
    guard let metric else { return "No client sent this metric in this period." }
    guard let key = metric.metricKit else {
      return
        "MetricKit does not report this metric. The app measures it and sends it as native JSON or over OpenTelemetry."
    }
    return "MetricKit reports it as \(key) in its daily payloads."
  }
}
