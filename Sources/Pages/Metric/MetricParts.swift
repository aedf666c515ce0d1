import Health
import Telemetry

/// One way to divide a metric.
struct MetricParts {
  var heading: String
  var dimension: String
  var rows: [Breakdown]
  var part: FilterPart

  static func all(_ page: MetricModel) -> [MetricParts] {
    let label = page.metric?.labelledBy ?? "label"
    return [
      MetricParts(heading: "By release", dimension: "Release", rows: page.byRelease, part: .release),
      MetricParts(heading: "By devices", dimension: "Devices", rows: page.byDeviceClass, part: .deviceClass),
      MetricParts(heading: "By system", dimension: "System", rows: page.bySystem, part: .os),
      MetricParts(heading: "By \(label)", dimension: Summary.capitalized(label), rows: page.byLabel, part: .label),
      MetricParts(heading: "By model", dimension: "Model", rows: page.byDevice, part: .device),
    ]
  }
}
