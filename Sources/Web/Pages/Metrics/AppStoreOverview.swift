import Analysis
import Core

/// App Store Connect's metrics with the numbers of the newest version, also those that Plumb does not measure.
struct AppStoreOverview: Markup {
  var app: String
  var figures: [AppStoreFigure]
  var links: Links

  func write(to html: inout HTMLWriter) {
    let metrics = Self.metrics(figures)
    guard !metrics.isEmpty else { return }
    let percentiles = AppStoreModel(figures: figures).percentiles
    html.element("section") { html in
      html.element("h2", text: "App Store Connect")
      html.write(
        Table(
          "Apple's numbers of the newest version, of people who share analytics",
          ["Metric", "Devices", "Version"] + percentiles.map { Table.Column.number(PlainName.text($0)) }, style: "lines"
        ) { html in
          for metric in metrics { row(metric, percentiles, &html) }
        })
    }
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

  private func row(_ metric: AppStoreModel, _ percentiles: [String], _ html: inout HTMLWriter) {
    guard let first = metric.figures.first, let device = metric.devices.first, let version = metric.versions.last else {
      return
    }
    html.row { html in
      html.rowHead { html in
        if let name = first.key.counterpart {
          html.element("a", .href(links.href(.metric(app: app, name: name)))) { $0.write(Name(first.key.metric)) }
        } else {
          html.write(Name(first.key.metric))
        }
        html.literal(" ")
        html.element("small") { $0.write(Name("\(first.key.category), \(first.key.platform)")) }
      }
      html.element("td") { $0.write(Name(device.name)) }
      html.element("td") { $0.write(Name(version)) }
      for percentile in percentiles {
        html.element("td", .class("n"), Attribute("data-head", PlainName.text(percentile))) { html in
          html.write(Name(metric.figure(device, percentile, version)?.text ?? Quantity.unknown))
        }
      }
    }
  }
}
