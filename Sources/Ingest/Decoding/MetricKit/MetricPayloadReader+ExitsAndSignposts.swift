import Core

extension MetricPayloadReader {
  /// Reads the counters of exits. Devices omit counters that are zero, and sometimes both objects. Normal exits are
  /// always appended, so that "no exits" differs from a payload without this section.
  mutating func readExits(_ exits: JSONObject) throws {
    try readExits(exits["foregroundExitData"], ExitField.foreground)
    try readExits(exits["backgroundExitData"], ExitField.background)
  }

  private mutating func readExits(_ counters: JSONValue?, _ fields: ExitField.Table) throws {
    var sawNormal = false
    if let counters {
      for (key, value) in try counters.object() where !value.isNull {
        guard let metric = fields.metric(key), let count = try count(value) else { continue }
        append(.known(metric), .counter(Double(count)))
        sawNormal = sawNormal || metric == fields.normal
      }
    }
    if !sawNormal { append(.known(fields.normal), .counter(0)) }
  }
}

/// A counter of exits, with the key of `ExitReason.metricKit`.
///
/// Safe as Sendable: the bytes behind `key` are written once and never freed.
struct ExitField: @unchecked Sendable {
  let key: UnsafeBufferPointer<UInt8>
  /// The metric's catalogue number.
  let metric: UInt16

  /// The counters of one section, foreground or background.
  struct Table {
    let all: [ExitField]
    let normal: UInt16

    /// The metric with this key; nil for an unknown key.
    func metric(_ key: BorrowedJSONString) -> UInt16? {
      for field in all where key == field.key { return field.metric }
      return nil
    }
  }

  static let foreground = table(\.foregroundMetric)
  static let background = table(\.backgroundMetric)

  private static func table(_ number: (ExitReason) -> UInt16) -> Table {
    Table(
      all: ExitReason.allCases.map { ExitField(key: .immortal($0.metricKit), metric: number($0)) },
      normal: number(.normal))
  }
}

extension MetricPayloadReader {
  /// Reads signposts, which become custom metrics. `signpost.<category>.<name>` is the distribution of durations.
  /// Suffixes add `.cpu` (seconds, a sum), `.memory` (bytes), `.writes` (bytes, a sum), `.hitch_ratio` (ms per s), and
  /// `.count` for an event without intervals.
  mutating func readSignposts(_ signposts: JSONArray, _ names: SignpostNames) throws {
    for element in signposts where !element.isNull {
      let signpost = try element.object()
      let name = try names.name(of: signpost)
      if let interval = signpost["signpostIntervalData"] {
        try readInterval(interval.object(), name)
      } else if let total = try signpost["totalSignpostCount"].flatMap({ try count($0) }) {
        append(name.metric(.count), .counter(Double(total)))
      }
    }
  }

  private mutating func readInterval(_ interval: JSONObject, _ name: SignpostName) throws {
    for (key, value) in interval where !value.isNull {
      switch key {
      case "histogrammedSignpostDurations":
        let spans = try readHistogram(value, .milliseconds)
        if !spans.isEmpty { append(name.metric(.duration), .spans(spans)) }
      case "signpostCumulativeCPUTime":
        guard let time = try measure(value, .millisecondsAsSeconds) else { continue }
        append(name.metric(.cpu), .counter(time))
      case "signpostAverageMemory":
        guard let memory = try readAverageOrMeasurement(value, .bytes) else { continue }
        append(name.metric(.memory), .samples([memory]))
      case "signpostCumulativeLogicalWrites":
        guard let writes = try measure(value, .bytes) else { continue }
        append(name.metric(.writes), .counter(writes))
      case "signpostCumulativeHitchTimeRatio":
        guard let ratio = try measure(value, .hitchRatio) else { continue }
        append(name.metric(.hitchRatio), .samples([ratio]))
      default: break
      }
    }
  }
}
