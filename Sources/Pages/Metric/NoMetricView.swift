import HTML
import Health
public import Telemetry

/// A metric of the catalogue that has no data, or none with these filters.
public enum NoMetricView {
  /// The page as UTF-8.
  public static func render(app: String, metric name: String, asOf: Timestamp, _ context: PageContext) -> [UInt8] {
    let metric = Catalogue.metric(named: name)
    let isNarrowed = FilterPart.allCases.contains { context.filter[$0] != nil }
    let page = Page.metric(app: app, name: name)
    let title = metric?.title ?? name
    let layout = Layout(
      page: page, title: "\(PlainName.text(title)) · \(PlainName.text(app))", context: context,
      asOf: asOf)
    return layout.render { html in
      html.element("h1") { $0.write(Name(title)) }
      html.element("p", .class("meta")) { html in html.element("code") { $0.write(Name(name)) } }
      html.element("p", .class("summary")) { html in
        html.text(isNarrowed ? "No data with these filters." : "No data of this metric in these days.")
      }
      html.write(EmptyState(what: source(metric), app: app, links: layout.links))
      html.write(
        AdviceLine(lead: "When it breaks: ", advice: metric?.advice, guide: metric?.guide, links: layout.links))
    }
  }

  private static func source(_ metric: Metric?) -> String {
    guard let metric else { return "Nobody sent it in these days." }
    guard let key = metric.metricKit else {
      return
        "MetricKit does not report it: the app measures it itself and sends it as native JSON or over OpenTelemetry."
    }
    return "MetricKit reports it as \(key), in its daily payloads."
  }
}
