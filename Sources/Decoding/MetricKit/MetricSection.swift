internal import JSON

/// The sections of an `MXMetricPayload` whose members are metrics of the catalogue. Other sections are skipped: one of a
/// later iOS may repeat a member under another meaning.
enum MetricSection {
  static func isKnown(_ key: JSONText) -> Bool {
    switch key {
    case "applicationTimeMetrics", "applicationLaunchMetrics", "applicationResponsivenessMetrics", "memoryMetrics",
      "cpuMetrics", "gpuMetrics", "diskIOMetrics", "networkTransferMetrics", "displayMetrics",
      "cellularConditionMetrics", "locationActivityMetrics", "animationMetrics", "diskSpaceUsageMetrics":
      true
    default: false
    }
  }
}
