import Analysis
import Core

/// App Store Connect's metrics with the numbers of the newest version, including metrics that Plumb does not measure.
struct AppStoreOverview: Markup {
  var app: String
  var figures: [AppStoreFigure]
  var notes = AppStorePerformance()
  var links: Links

  func write(to html: inout HTMLWriter) {
    let metrics = Self.metrics(figures)
    guard !metrics.isEmpty else { return }
    let percentiles = AppStoreModel(figures: figures).percentiles
    html.element("section") { html in
      html.element("h2", text: "App Store Connect")
      html.write(
        Table("Apple's numbers of the newest version, from users who share analytics", of: metrics, style: "lines") {
          Column.head("Metric", content: name)
          Column("Devices") { $1.write(Name($0.devices.first?.name ?? "")) }.named(nil)
          Column("Version") { $1.write(Name($0.versions.last ?? "")) }.named(nil)
          for percentile in percentiles {
            Column.number(ShortenedName.text(percentile)) { metric, html in
              let figure = metric.devices.first.flatMap { device in
                metric.versions.last.flatMap { metric.figure(device, percentile, $0) }
              }
              html.write(Name(figure?.text ?? Quantity.unknown))
            }
          }
        })
      // The others are on the page of their metric.
      html.write(AppStoreNotes(model: AppStoreModel(notes: otherInsights)))
    }
  }

  /// Apple's remarks on metrics that Plumb does not measure.
  private var otherInsights: AppStorePerformance {
    var other = AppStorePerformance()
    other.insights = notes.insights.filter { $0.counterpart == nil }
    return other
  }

  /// The numbers of each metric.
  private static func metrics(_ figures: [AppStoreFigure]) -> [AppStoreModel] {
    var order: [[String]] = []
    var parts: [[String]: [AppStoreFigure]] = [:]
    for figure in figures {
      let name = [figure.key.platform, figure.key.category, figure.key.metric]
      if parts[name] == nil { order.append(name) }
      parts[name, default: []].append(figure)
    }
    return order.map { AppStoreModel(figures: parts[$0] ?? []) }
  }

  private func name(_ metric: AppStoreModel, _ html: inout HTMLWriter) {
    guard let key = metric.figures.first?.key else { return }
    if let name = key.counterpart {
      html.element("a", .href(links.href(.metric(app: app, name: name)))) { $0.write(Name(key.metric)) }
    } else {
      html.write(Name(key.metric))
    }
    html.literal(" ")
    html.element("small") { $0.write(Name("\(key.category), \(key.platform)")) }
  }
}
