/// The metrics that Plumb defines. Decoding, budgets, pages, the API and `docs/metrics.md` all use this list.
///
/// Clients may send names outside the catalogue: they are stored and shown, without a default budget.
public enum Catalogue {
  /// Every catalogue metric, in the order pages list them.
  public static let metrics: [Metric] =
    stability + launches + responsiveness + rendering + memory + network + resources + exits + diagnostics

  /// The record number of the counter of received payloads.
  public static let payloads: UInt16 = 8
  /// The record number of sessions. Its rows hold session tallies instead of values.
  public static let sessions: UInt16 = 6
  /// The record number of users. Its rows hold tallies of user-days instead of values.
  public static let users: UInt16 = 7

  /// The metric with this name; nil when the catalogue has none.
  public static func metric(named name: String) -> Metric? { name.utf8.count > longestName ? nil : byName[name] }

  /// The metric whose record number is `number`; nil when the catalogue has none.
  public static func metric(number: UInt16) -> Metric? {
    Int(number) < byNumber.count ? byNumber[Int(number)] : nil
  }

  /// The kind of the metric with record number `number`; nil when the catalogue has none. Aggregation calls this about
  /// eighty times per payload, so it copies no strings.
  public static func kind(number: UInt16) -> Metric.Kind? {
    Int(number) < kinds.count ? kinds[Int(number)] : nil
  }

  private static let kinds = byNumber.map { $0?.kind }

  /// The name of the metric with record number `number`; nil when the catalogue has none. Pages compare names often.
  static func name(number: UInt16) -> String? {
    Int(number) < names.count ? names[Int(number)] : nil
  }

  private static let names = byNumber.map { $0?.name }

  /// In bytes. Longer names, which may have megabytes, are not hashed.
  private static let longestName = metrics.reduce(0) { max($0, $1.name.utf8.count) }

  private static let byName = Dictionary(metrics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// Metrics indexed by record number, because aggregation looks up about eighty of them per payload.
  private static let byNumber: [Metric?] = {
    var table = [Metric?](repeating: nil, count: Int(metrics.map(\.number).max() ?? 0) + 1)
    for metric in metrics { table[Int(metric.number)] = metric }
    return table
  }()
}

// Stored records contain these numbers. A new metric takes the next free number of its hundred; a retired one keeps its
// number. Default budgets follow published guidance for iOS teams where it exists (launch 2 s, tap 100 ms, 60 fps), and
// are our choice elsewhere.

extension Catalogue {
  static let stability: [Metric] = [
    Metric(
      1, "sessions.crash_free", "Crash-free sessions", .ratio, .ratio, direction: .higher, budget: ">= 99.5 %",
      advice: "Open the crash groups of the release.", guide: "crash-free"),
    Metric(
      2, "users.crash_free_daily", "Crash-free user-days", .ratio, .ratio, direction: .higher, budget: ">= 99 %",
      advice: "Open the crash groups of the release.", guide: "crash-free"),
    Metric(
      3, "users.crash_free", "Crash-free users", .ratio, .ratio, direction: .higher,
      advice: "Open the crash groups of the release.", guide: "crash-free"),
    Metric(
      9, "sessions.hang_free", "Hang-free sessions", .ratio, .ratio, direction: .higher,
      advice: "Open the hang groups of the release.", guide: "hangs"),
    Metric(
      4, "exits.foreground_abnormal", "Foreground terminations", .perThousand, .rate,
      metricKit: "foregroundExitData without normal exits ÷ launches and resumes",
      advice: "Look at the exit reason that grew.", guide: "crash-free"),
    Metric(
      5, "exits.foreground_limits", "Watchdog and memory-limit exits", .ratio, .ratio,
      metricKit: "watchdog + memory limit ÷ all foreground exits", budget: "<= 0.1 %",
      advice: "Look at the exit reason that grew.", guide: "crash-free"),
    Metric(sessions, "sessions", "Sessions", .count, .counter, direction: .higher),
    Metric(users, "users", "Users", .count, .counter, direction: .higher),
    Metric(payloads, "payloads", "Payloads", .count, .counter, direction: .higher),
  ]

  static let launches: [Metric] = [
    Metric(
      100, "launch.first_draw", "Launch to first draw", .milliseconds, metricKit: "histogrammedTimeToFirstDrawKey",
      budget: "p90 <= 2 s", advice: "Find work before the first frame with the App Launch template.", guide: "launch"),
    Metric(
      101, "launch.first_draw_prewarmed", "Prewarmed launch to first draw", .milliseconds,
      metricKit: "histogrammedOptimizedTimeToFirstDrawKey", budget: "p90 <= 1 s",
      advice: "Find work before the first frame with the App Launch template.", guide: "launch"),
    Metric(
      102, "launch.resume", "Resume", .milliseconds, metricKit: "histogrammedResumeTime", budget: "p90 <= 1 s",
      advice: "Find work that runs during scene activation.", guide: "launch"),
    Metric(
      103, "launch.extended", "Extended launch", .milliseconds, metricKit: "histogrammedExtendedLaunch",
      budget: "p90 <= 2 s", advice: "Shorten the extended-launch task.", guide: "launch"),
  ]

  static let responsiveness: [Metric] = [
    Metric(
      200, "hang.duration", "Hang duration", .milliseconds, metricKit: "histogrammedAppHangTime",
      advice: "Find main-thread work in Time Profiler with Hangs.", guide: "hangs"),
    Metric(
      201, "hang.frequency", "Hangs per hour of use", .hangsPerHour, .rate,
      metricKit: "hangs of 250 ms or more ÷ foreground time",
      advice: "Find main-thread work in Time Profiler with Hangs.", guide: "hangs"),
    Metric(
      202, "hang.rate", "Hang rate", .secondsPerHour, .rate, metricKit: "hang time ÷ foreground time",
      budget: "<= 5 s/h, warn at 1 s/h", advice: "Rank the hang groups by time lost.", guide: "hangs"),
    Metric(
      203, "main_thread.block", "Main-thread block", .milliseconds, budget: "p95 <= 100 ms",
      advice: "Find synchronous I/O and decoding on the main thread.", guide: "tap-to-response"),
    Metric(
      204, "interaction.response", "Tap to response", .milliseconds, by: "interaction", budget: "p95 <= 100 ms",
      advice: "Shorten the work that the tap starts.", guide: "tap-to-response"),
    Metric(
      205, "screen.load", "Screen load", .milliseconds, by: "screen", budget: "p90 <= 1 s",
      advice: "Check network requests and decoding on the slowest screen.", guide: "screen-load"),
    Metric(
      206, "flow.duration", "Flow duration", .milliseconds, by: "flow", budget: "p90 <= 1 s",
      advice: "Check the slowest interval of the flow.", guide: "screen-load"),
  ]

  static let rendering: [Metric] = [
    Metric(
      300, "ui.scroll_hitch_ratio", "Scroll hitch ratio", .millisecondsPerSecond, weight: .deviceDay,
      metricKit: "scrollHitchTimeRatio", budget: "p90 <= 10 ms/s, warn at 5 ms/s",
      advice: "Check commits and renders of the scrolling screen with Hitches.", guide: "scrolling"),
    Metric(
      301, "ui.hitch_ratio", "Hitch ratio", .millisecondsPerSecond, weight: .deviceDay, metricKit: "hitchTimeRatio",
      budget: "p90 <= 10 ms/s, warn at 5 ms/s", advice: "Check commits and renders of the busiest screen with Hitches.",
      guide: "scrolling"),
    Metric(
      302, "ui.frame_rate", "Frame rate", .framesPerSecond, direction: .higher, metricKit: "metalFrameRateMetric",
      budget: "p10 >= 58 fps", advice: "Check Core Animation commits.", guide: "scrolling"),
    Metric(
      303, "ui.frame_time", "Frame time", .milliseconds, budget: "p95 <= 16.67 ms",
      advice: "Check Core Animation commits.", guide: "scrolling"),
    Metric(
      304, "swiftui.body", "SwiftUI body", .microseconds, by: "view", budget: "p99 <= 1000 µs, warn at 500 µs",
      advice: "Find long view body updates with the SwiftUI template.", guide: "swiftui"),
    Metric(
      305, "swiftui.body_evaluations", "Body evaluations per appearance", .count, by: "view", budget: "p95 <= 5",
      advice: "Check what the view observes and whether its identity is stable.", guide: "swiftui"),
    Metric(
      306, "swiftui.view_creation", "View creation", .milliseconds, by: "view", budget: "p95 <= 16 ms",
      advice: "Find work in the initialisers and bodies of rows.", guide: "swiftui"),
    Metric(
      307, "list.rows_created", "Rows created on appearance", .count, by: "screen", budget: "p95 <= 50",
      advice: "Replace an eager stack with a lazy one.", guide: "scrolling"),
    Metric(
      308, "image.decode", "Image decode", .milliseconds, budget: "p95 <= 16 ms",
      advice: "Downsample to the displayed size and decode off the main thread.", guide: "images"),
    Metric(
      309, "display.luminance", "Pixel luminance", .averagePixelLuminance, weight: .deviceDay,
      metricKit: "averagePixelLuminance"),
  ]

  static let memory: [Metric] = [
    Metric(
      400, "memory.peak", "Peak memory", .bytes, weight: .deviceDay, metricKit: "peakMemoryUsage",
      budget: "p90 <= 300 MB", advice: "Compare generations in Allocations.", guide: "memory"),
    Metric(
      401, "memory.suspended", "Suspended memory", .bytes, weight: .deviceDay, metricKit: "averageSuspendedMemory",
      budget: "mean <= 100 MB", advice: "Check what stays in memory in the background.", guide: "memory"),
    Metric(
      402, "memory.screen", "Memory of a screen", .bytes, by: "screen", budget: "p90 <= 100 MB",
      advice: "Check Allocations and the memory graph of that screen.", guide: "memory"),
    Metric(
      403, "memory.allocation", "Single allocation", .bytes, budget: "p99 <= 10 MB",
      advice: "Find large single allocations.", guide: "memory"),
    Metric(
      404, "image.cache_bytes", "Image cache", .bytes, budget: "p99 <= 50 MB", advice: "Check the cache's cost limit.",
      guide: "images"),
  ]

  static let network: [Metric] = [
    Metric(
      500, "network.request", "Network request", .milliseconds, by: "host", budget: "p90 <= 2 s",
      advice: "Find slow or redundant requests.", guide: "network"),
    Metric(
      501, "network.response_bytes", "Response size", .bytes, by: "endpoint", budget: "p95 <= 500 KB",
      advice: "Request only the fields you need.", guide: "network"),
    Metric(
      502, "network.screen_bytes", "Bytes loaded by a screen", .bytes, by: "screen", budget: "p90 <= 500 KB",
      advice: "Check what that screen downloads.", guide: "network"),
    Metric(503, "network.wifi_up", "Wi-Fi upload", .bytes, .counter, metricKit: "cumulativeWifiUpload"),
    Metric(504, "network.wifi_down", "Wi-Fi download", .bytes, .counter, metricKit: "cumulativeWifiDownload"),
    Metric(505, "network.cellular_up", "Cellular upload", .bytes, .counter, metricKit: "cumulativeCellularUpload"),
    Metric(
      506, "network.cellular_down", "Cellular download", .bytes, .counter, metricKit: "cumulativeCellularDownload"),
    Metric(507, "cellular.bars", "Cellular bars", .bars, direction: .higher, metricKit: "cellConditionTime"),
  ]

  static let resources: [Metric] = [
    Metric(
      600, "cpu.time", "CPU time", .seconds, .counter, metricKit: "cumulativeCPUTime", advice: "Open Time Profiler.",
      guide: "energy"),
    Metric(
      601, "cpu.instructions", "CPU instructions", .count, .counter, metricKit: "cumulativeCPUInstructions",
      advice: "Open Time Profiler.", guide: "energy"),
    Metric(
      602, "gpu.time", "GPU time", .seconds, .counter, metricKit: "cumulativeGPUTime", advice: "Open Time Profiler.",
      guide: "energy"),
    Metric(
      603, "disk.writes", "Disk writes per device-day", .bytes, weight: .deviceDay,
      metricKit: "cumulativeLogicalWrites", budget: "p90 <= 1 GB", advice: "Open the disk-write diagnostics.",
      guide: "disk-writes"),
    Metric(
      604, "disk.space_used", "Disk space used", .bytes, weight: .deviceDay, metricKit: "totalDiskSpaceUsedSize"),
    Metric(605, "disk.files", "Files", .count, weight: .deviceDay, metricKit: "totalDataFileCount"),
    Metric(
      610, "time.foreground", "Foreground time", .seconds, .counter, direction: .higher,
      metricKit: "cumulativeForegroundTime"),
    Metric(
      611, "time.background", "Background time", .seconds, .counter, metricKit: "cumulativeBackgroundTime",
      advice: "Check background tasks.", guide: "energy"),
    Metric(
      612, "time.background_audio", "Background audio time", .seconds, .counter,
      metricKit: "cumulativeBackgroundAudioTime"),
    Metric(
      613, "time.background_location", "Background location time", .seconds, .counter,
      metricKit: "cumulativeBackgroundLocationTime", advice: "Request a coarser accuracy.", guide: "energy"),
    location(620, "best_navigation", "best for navigation", "cumulativeBestAccuracyForNavigationTime"),
    location(621, "best", "best", "cumulativeBestAccuracyTime"),
    location(622, "10m", "ten metres", "cumulativeNearestTenMetersAccuracyTime"),
    location(623, "100m", "hundred metres", "cumulativeHundredMetersAccuracyTime"),
    location(624, "1km", "kilometre", "cumulativeKilometerAccuracyTime"),
    location(625, "3km", "three kilometres", "cumulativeThreeKilometersAccuracyTime"),
  ]

  static let exits: [Metric] =
    ExitReason.allCases.flatMap { reason in
      [
        Metric(
          700 + reason.rawValue, "exits.foreground.\(reason.name)", "Foreground exits: \(reason.title)", .count,
          .counter, metricKit: reason.metricKit, guide: "crash-free"),
        Metric(
          750 + reason.rawValue, "exits.background.\(reason.name)", "Background exits: \(reason.title)", .count,
          .counter, metricKit: reason.metricKit, guide: "crash-free"),
      ]
    }

  static let diagnostics: [Metric] = [
    Metric(800, "crash.count", "Crash reports", .count, .counter, advice: "Open the group.", guide: "crash-free"),
    Metric(801, "hang.count", "Hang reports", .count, .counter, advice: "Open the group.", guide: "hangs"),
    Metric(
      802, "cpu_exception.count", "CPU exception reports", .count, .counter, advice: "Open the group.",
      guide: "energy"),
    Metric(
      803, "disk_write_exception.count", "Disk-write exception reports", .count, .counter, advice: "Open the group.",
      guide: "disk-writes"),
    Metric(
      804, "launch_failure.count", "Slow-launch reports", .count, .counter, advice: "Open the group.",
      guide: "launch"),
    Metric(
      805, "memory_exception.count", "Memory exception reports", .count, .counter, advice: "Open the group.",
      guide: "memory"),
  ]

  private static func location(_ number: UInt16, _ name: String, _ title: String, _ key: String) -> Metric {
    Metric(
      number, "location.\(name)", "Location, accuracy \(title)", .seconds, .counter, metricKit: key,
      advice: "Request a coarser accuracy.", guide: "energy")
  }
}
