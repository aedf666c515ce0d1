import Analysis
import Core

/// A metric's numbers from App Store Connect: a chart by version, and a table by Apple's device groups.
struct AppStoreSection: Markup {
  var model: AppStoreModel
  /// The metric of the catalogue that measures the same.
  var metric: Metric

  func write(to html: inout HTMLWriter) {
    let device = model.versions.isEmpty ? nil : model.devices.first
    guard device != nil || model.notes != AppStorePerformance() else { return }
    html.element("section", Attribute("id", literal: "app-store")) { html in
      html.element("h2", text: "App Store Connect")
      if let device { figure(device, &html) }
      html.write(AppStoreNotes(model: model))
      guard let device else { return }
      html.write(AppStoreTable(model: model, metric: metric))
      if !measuredRanks.isEmpty { html.write(MeasuredTable(model: model, device: device, ranks: measuredRanks)) }
    }
  }

  private func figure(_ device: AppStoreModel.Device, _ html: inout HTMLWriter) {
    let lines = self.lines(device)
    guard !lines.isEmpty else { return }
    html.element("figure", .class("card")) { html in
      html.write(chart(lines, .wide, "wide"))
      html.write(chart(lines, .narrow, "narrow"))
      html.element("figcaption") { html in
        html.text("Apple's numbers: ")
        html.write(Name(device.name))
        html.text(caption)
      }
    }
  }

  /// Apple's lines and Plumb's own; empty if Apple's unit cannot be drawn on the metric's axis.
  private func lines(_ device: AppStoreModel.Device) -> [VersionTrendChart.Line] {
    guard let factor = model.figures.first?.factor(into: metric.unit) else { return [] }
    let styles: [StaticString] = ["first", "second", "third"]
    let apple = zip(model.percentiles, styles).map { percentile, style in
      VersionTrendChart.Line(
        name: "Apple \(ShortenedName.text(percentile))", style: style,
        estimates: model.versions.map { model.figure(device, percentile, $0)?.estimate(times: factor) })
    }
    let measured = measuredRanks.map { rank in
      VersionTrendChart.Line(
        name: "p\(rank)", style: "before", estimates: model.versions.map { model.measured[$0]?.percentiles[rank] })
    }
    return measured + apple
  }

  /// Apple's percentiles that Plumb also has.
  private var measuredRanks: [Int] {
    [50, 90].filter { rank in
      model.percentiles.contains("p\(rank)") && model.measured.contains { $0.value.percentiles[rank]?.value != nil }
    }
  }

  private func chart(_ lines: [VersionTrendChart.Line], _ frame: ChartDimensions, _ style: StaticString)
    -> VersionTrendChart
  {
    var frame = frame
    frame.top = 16
    return VersionTrendChart(
      title: "\(ShortenedName.text(metric.title)) by version in App Store Connect", versions: model.versions,
      lines: lines,
      unit: metric.unit, direction: metric.direction, frame: frame, style: style)
  }

  private var caption: String {
    ", from users who share analytics, over the lifetime of a version."
      + (model.figures.contains { $0.errorMargin != nil } ? " Shaded: Apple's margin of error." : "")
      + (measuredRanks.isEmpty ? "" : " Grey: Plumb's numbers in this period.")
  }
}

/// Apple's numbers of the newest versions, one row per device group and version.
private struct AppStoreTable: Markup {
  var model: AppStoreModel
  var metric: Metric

  /// The maximum number of rows shown; the JSON has all.
  private static let most = 60

  func write(to html: inout HTMLWriter) {
    let rows = rows
    html.element("details", isDrawn ? Attribute("open", nil) : .flag("open")) { html in
      html.element("summary", text: "Apple's numbers")
      html.write(
        Table("App Store Connect, by device and version", of: rows.prefix(Self.most), style: "lines") {
          Column.head("Device") { $1.write(Name($0.device)) }
          Column("Version") { $1.write(Name($0.figures.first?.key.version ?? "")) }.named(nil)
          // The worst goal, because Apple rates each percentile separately.
          Column("Goal") { row in
            ["poor", "fair", "good"].first { goal in row.figures.contains { $0.goal == goal } } ?? ""
          }.named(nil)
          if model.figures.contains(where: { !$0.parts.isEmpty }) {
            Column("Parts") { $1.write(Name($0.figures.first { !$0.parts.isEmpty }?.partsText ?? "")) }.named(nil)
          }
          for percentile in model.percentiles {
            Column.number(ShortenedName.text(percentile)) { row, html in
              html.write(Name(row.figures.first { $0.key.percentile == percentile }?.text ?? Quantity.unknown))
            }
          }
        })
      if rows.count > Self.most {
        html.element("p", .class("data"), text: "\(rows.count - Self.most) more rows are in the JSON of this page.")
      }
    }
  }

  private var isDrawn: Bool { model.figures.first?.factor(into: metric.unit) != nil }

  private var rows: [(device: String, figures: [AppStoreFigure])] {
    model.devices.flatMap { device in
      model.versions.reversed().compactMap { version in
        let figures = model.percentiles.compactMap { model.figure(device, $0, version) }
        return figures.isEmpty ? nil : (device.name, figures)
      }
    }
  }
}

/// Apple's and Plumb's numbers of the same versions, as a table for keyboards and screen readers.
private struct MeasuredTable: Markup {
  var model: AppStoreModel
  var device: AppStoreModel.Device
  var ranks: [Int]

  func write(to html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Compared with Plumb's numbers")
      html.write(
        Table("Apple and Plumb measure different devices and days", of: model.versions.reversed()) {
          Column.head("Version") { $1.write(Name($0)) }
          for rank in ranks {
            Column.number("Apple p\(rank)") { version, html in
              html.write(Name(model.figure(device, "p\(rank)", version)?.text ?? Quantity.unknown))
            }
            Column.estimate("Plumb p\(rank)", { model.measured[$0]?.unit ?? .count }) {
              model.measured[$0]?.percentiles[rank]
            }
          }
          Column.count("n") { model.measured[$0]?.n }
        })
    }
  }
}
