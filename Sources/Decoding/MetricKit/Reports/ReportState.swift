internal import JSON
internal import Telemetry

/// A state that an app reported: `premium` of the domain `com.example.feature`.
struct ReportState {
  private(set) var label = ""
  private var domain: [UInt8] = []

  init() {}

  init(_ state: JSONObject) throws {
    if let text = state["label"] { label = try text.text().kept }
    guard let text = try state["domain"]?.text() else { return }
    // What no metric name may hold becomes `_`, one for each scalar.
    for byte in text.bytes.prefix(4 * Limits.metricNameBytes) where byte & 0xC0 != 0x80 {
      domain.append(MetricName.allows(byte) ? byte : UInt8(ascii: "_"))
    }
  }

  /// `state.com.example.feature.cpu.time`, the domain cut where the name would become too long.
  func name(of metric: MetricReference) -> String {
    let free = Limits.metricNameBytes - "state..".utf8.count - metric.name.utf8.count
    let domain = String(decoding: domain.prefix(max(0, free)), as: UTF8.self)
    let name = domain.isEmpty ? "state.\(metric.name)" : "state.\(domain).\(metric.name)"
    return String(decoding: name.utf8.prefix(Limits.metricNameBytes), as: UTF8.self)
  }
}
