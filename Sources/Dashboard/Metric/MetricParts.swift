import Health
import Telemetry

/// One way to divide a metric.
struct MetricParts {
  var heading: String
  var dimension: String
  var rows: [Breakdown]

  static func all(_ page: MetricPage) -> [MetricParts] {
    let label = page.metric?.labelledBy ?? "label"
    return [
      MetricParts(heading: "By release", dimension: "Release", rows: page.byRelease),
      MetricParts(heading: "By devices", dimension: "Devices", rows: page.byDeviceClass),
      MetricParts(heading: "By system", dimension: "System", rows: page.bySystem),
      MetricParts(heading: "By \(label)", dimension: Summary.capitalized(label), rows: page.byLabel),
      MetricParts(heading: "By model", dimension: "Model", rows: page.byDevice),
    ]
  }
}
