/// A metric that an app measures: a metric of the server's catalogue or a custom metric.
public struct Metric: Hashable, Sendable {
  /// The name: 1 to 120 characters of `A-Z a-z 0-9 . _ - / :` and space.
  public let name: String
  /// The unit of the values.
  public let unit: MetricUnit

  private init(known name: String, _ unit: MetricUnit) {
    self.name = name
    self.unit = unit
  }

  /// A custom metric. `_` replaces characters that names do not allow. A name in a family of the catalogue (`launch.…`,
  /// `sessions.…`) gets the prefix `app.`, because the server refuses a document with a metric that cannot be sent.
  public init(_ name: String, unit: MetricUnit) {
    let allowed = name.unicodeScalars.prefix(110).map { scalar -> Character in
      let isAllowed =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || " ._-/:".contains(Character(scalar)))
      return isAllowed ? Character(scalar) : "_"
    }
    let text = allowed.isEmpty ? "unnamed" : String(allowed)
    let family = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)[0]
    self.name = Self.families.contains(String(family)) ? "app." + text : text
    self.unit = unit
  }

  private static let families: Set = [
    "sessions", "users", "exits", "launch", "hang", "main_thread", "interaction", "screen", "flow", "ui", "swiftui",
    "list",
    "image", "display", "memory", "network", "cellular", "cpu", "gpu", "disk", "time", "location", "crash",
    "cpu_exception", "disk_write_exception", "launch_failure", "memory_exception", "signpost", "state", "client",
  ]
}

// Metrics of the catalogue that MetricKit does not send. The label names a screen, view, flow, host or interaction.
extension Metric {
  static let screenLoad = Metric(known: "screen.load", .milliseconds)
  static let interactionResponse = Metric(known: "interaction.response", .milliseconds)
  static let flowDuration = Metric(known: "flow.duration", .milliseconds)
  static let mainThreadBlock = Metric(known: "main_thread.block", .milliseconds)
  static let hangDuration = Metric(known: "hang.duration", .milliseconds)
  static let frameTime = Metric(known: "ui.frame_time", .milliseconds)
  static let body = Metric(known: "swiftui.body", .microseconds)
  static let bodyEvaluations = Metric(known: "swiftui.body_evaluations", .count)
  static let viewCreation = Metric(known: "swiftui.view_creation", .milliseconds)
  static let rowsCreated = Metric(known: "list.rows_created", .count)
  static let imageDecode = Metric(known: "image.decode", .milliseconds)
  static let imageCache = Metric(known: "image.cache_bytes", .bytes)
  static let screenMemory = Metric(known: "memory.screen", .bytes)
  static let allocation = Metric(known: "memory.allocation", .bytes)
  static let request = Metric(known: "network.request", .milliseconds)
  static let responseBytes = Metric(known: "network.response_bytes", .bytes)
  static let screenBytes = Metric(known: "network.screen_bytes", .bytes)
}

// Metrics outside the catalogue.
extension Metric {
  /// Hangs of 250 ms or more, by screen. `hang.duration` comes from MetricKit where it exists, so that no hang counts
  /// twice.
  static let hang = Metric(known: "client.hang", .milliseconds)
  /// Milliseconds of hitches per second of scrolling, by screen.
  static let hitchRatio = Metric(known: "client.hitch_ratio", .hitchRatio)
  /// Counters of the frames that were shown, and of those that were due but not shown.
  static let frames = Metric(known: "client.frames", .count)
  static let framesDropped = Metric(known: "client.frames_dropped", .count)
  /// A counter of data that could not be sent, by reason.
  static let dropped = Metric(known: "client.dropped", .count)
}

/// The unit of a metric's values, in the server's notation.
public enum MetricUnit: String, Sendable, Codable {
  /// Millionths of a second.
  case microseconds = "µs"
  /// Thousandths of a second.
  case milliseconds = "ms"
  /// Seconds.
  case seconds = "s"
  /// Bytes.
  case bytes = "B"
  /// Things or events.
  case count
  /// From 0 to 1.
  case ratio
  /// Milliseconds per second.
  case hitchRatio = "ms/s"
}
