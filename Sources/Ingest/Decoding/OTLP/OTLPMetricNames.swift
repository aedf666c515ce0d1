internal import Core

/// Maps the metric names of OpenTelemetry's MetricKit instrumentation to catalogue metrics. Averages of histograms are
/// not mapped and keep their own names, so that no average becomes part of a percentile.
///
/// Source: opentelemetry-swift, instrumentation "MetricKit"
enum OTLPMetricNames {
  /// The catalogue's name for an instrumentation's name; nil if it has none.
  static func catalogued(_ name: String) -> String? {
    let prefix = "metrickit."
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    return table[spelled(name.dropFirst(prefix.utf8.count))]
  }

  /// The name of a custom metric, cut to the longest allowed length. `_` replaces bytes that are not allowed.
  static func allowed(_ name: String) -> String {
    let isStep = MetricNameRule.isStep(name.utf8)
    let bytes = name.utf8.prefix(DecodingLimits.metricNameBytes).map { byte in
      MetricNameRule.allows(byte) && !isStep ? byte : UInt8(ascii: "_")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name with doubled dots and hyphens corrected. Some releases wrote `foreground..bad_access_exit-count`.
  private static func spelled(_ name: Substring) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      if byte == UInt8(ascii: "."), bytes.last == byte { continue }
      bytes.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let table: [String: String] = {
    var table = plain
    for (key, reason) in exits {
      table["app_exit.foreground.\(key)_exit_count"] = "exits.foreground.\(reason.name)"
      table["app_exit.background.\(key)_exit_count"] = "exits.background.\(reason.name)"
    }
    return table
  }()

  private static let plain = [
    "cpu.cpu_time": "cpu.time", "cpu.instruction_count": "cpu.instructions", "gpu.time": "gpu.time",
    "app_time.foreground_time": "time.foreground", "app_time.background_time": "time.background",
    "app_time.background_audio_time": "time.background_audio",
    "app_time.background_location_time": "time.background_location",
    "location_activity.best_accuracy_time": "location.best",
    "location_activity.best_accuracy_for_nav_time": "location.best_navigation",
    "location_activity.accuracy_10m_time": "location.10m", "location_activity.accuracy_100m_time": "location.100m",
    "location_activity.accuracy_1km_time": "location.1km", "location_activity.accuracy_3km_time": "location.3km",
    "network_transfer.wifi_upload": "network.wifi_up", "network_transfer.wifi_download": "network.wifi_down",
    "network_transfer.cellular_upload": "network.cellular_up",
    "network_transfer.cellular_download": "network.cellular_down", "diskio.logical_write_count": "disk.writes",
    "memory.peak_memory_usage": "memory.peak", "memory.suspended_memory_average": "memory.suspended",
    "display.pixel_luminance_average": "display.luminance",
    "animation.scroll_hitch_time_ratio": "ui.scroll_hitch_ratio",
  ]

  private static let exits: [String: ExitReason] = [
    "normal_app": .normal, "memory_resource_limit": .memoryLimit, "bad_access": .badAccess, "abnormal": .abnormal,
    "illegal_instruction": .illegalInstruction, "app_watchdog": .watchdog, "cpu_resource_limit": .cpuLimit,
    "memory_pressure": .memoryPressure, "suspended_with_locked_file": .suspendedWithLockedFile,
    "background_task_assertion_timeout": .backgroundTaskTimeout,
  ]
}
