internal import Core

/// A metric of a `MetricReport`, by its JSON key. Apple documents the structs but not their JSON, so case is ignored
/// (`cpuTimeMetric`, `CPUTimeMetric`).
struct MetricReportField {
  /// The form of the metric's value, and of the measurement it becomes.
  enum Shape {
    /// A histogram in `histogram.buckets[]`, stored as spans.
    case histogram
    /// One number per day, stored as a sample. It is the member with this name, or `value` if the name is empty.
    case sample(StaticString)
    /// A sum over the day, stored as a counter.
    case counter
    /// An object with one number per metric, by key.
    case parts([String: String])
    case foregroundExits, backgroundExits
    case signpost
    case frameRate
  }

  let name: String
  let shape: Shape

  private init(_ name: String, _ shape: Shape) {
    self.name = name
    self.shape = shape
  }

  /// The metric with this key; nil outside the catalogue.
  static func named(_ key: BorrowedJSONString) -> MetricReportField? {
    key.count <= 64 ? table[key.string.lowercased()] : nil
  }

  private static let table: [String: MetricReportField] = [
    "timetofirstdrawmetric": .init("launch.first_draw", .histogram),
    "optimizedtimetofirstdrawmetric": .init("launch.first_draw_prewarmed", .histogram),
    "applicationresumetimemetric": .init("launch.resume", .histogram),
    "extendedlaunchmetric": .init("launch.extended", .histogram),
    "hangtimemetric": .init("hang.duration", .histogram),
    "cellularconditiontimemetric": .init("cellular.bars", .histogram),
    "hitchtimemetric": .init("ui.hitch_ratio", .sample("ratio")),
    "scrollhitchtimemetric": .init("ui.scroll_hitch_ratio", .sample("ratio")),
    "peakmemorymetric": .init("memory.peak", .sample("")),
    "suspendedmemorymetric": .init("memory.suspended", .sample("")),
    "pixelluminancemetric": .init("display.luminance", .sample("")),
    "logicaldiskwritesmetric": .init("disk.writes", .sample("")),
    "totalfilecountmetric": .init("disk.files", .sample("dataFileCount")),
    "totaldiskspaceusedmetric": .init("disk.space_used", .sample("")),
    "metalframeratemetric": .init("ui.frame_rate", .frameRate),
    "cputimemetric": .init("cpu.time", .counter),
    "cpuinstructionscountmetric": .init("cpu.instructions", .counter),
    "gputimemetric": .init("gpu.time", .counter),
    "totalwifiuploadmetric": .init("network.wifi_up", .counter),
    "totalwifidownloadmetric": .init("network.wifi_down", .counter),
    "totalcellularuploadmetric": .init("network.cellular_up", .counter),
    "totalcellulardownloadmetric": .init("network.cellular_down", .counter),
    "totalforegroundtimemetric": .init("time.foreground", .counter),
    "totalbackgroundtimemetric": .init("time.background", .counter),
    "totalbackgroundaudiotimemetric": .init("time.background_audio", .counter),
    "totalbackgroundlocationtimemetric": .init("time.background_location", .counter),
    "locationactivitytimemetric": .init("", .parts(locations)),
    "foregroundterminationmetric": .init("exits.foreground.", .foregroundExits),
    "backgroundterminationmetric": .init("exits.background.", .backgroundExits),
    "signpostintervalmetric": .init("", .signpost),
  ]

  private static let locations = [
    "bestAccuracyForNavigation": "location.best_navigation", "bestAccuracy": "location.best",
    "tenMeters": "location.10m", "oneHundredMeter": "location.100m", "oneHundredMeters": "location.100m",
    "oneKilometer": "location.1km", "threeKilometers": "location.3km",
  ]
}

extension ExitReason {
  /// The reason in a key of iOS 27's termination metrics, such as `memoryResourceLimit` or `normalAppExitCount`; nil
  /// for a reason that older payloads do not have.
  init?(reportKey key: String) {
    let key = key.lowercased()
    let words: [(String, ExitReason)] = [
      ("memorypressure", .memoryPressure), ("memory", .memoryLimit), ("watchdog", .watchdog),
      ("badaccess", .badAccess), ("illegalinstruction", .illegalInstruction), ("abnormal", .abnormal),
      ("normal", .normal), ("lock", .suspendedWithLockedFile), ("urlsession", .backgroundURLSessionTimeout),
      ("fetch", .backgroundFetchTimeout), ("task", .backgroundTaskTimeout), ("cpu", .cpuLimit),
    ]
    guard let reason = words.first(where: { key.contains($0.0) })?.1 else { return nil }
    self = reason
  }
}
