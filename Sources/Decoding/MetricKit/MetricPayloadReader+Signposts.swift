internal import JSON
internal import Telemetry

extension MetricPayloadReader {
  /// Signposts become metrics of their own: `signpost.<category>.<name>` is the distribution of its durations, and behind
  /// it stand `.cpu` (seconds, a sum), `.memory` (bytes), `.writes` (bytes, a sum), `.hitch_ratio` (ms per s), and
  /// `.count` for a signpost that is an event without intervals.
  mutating func readSignposts(_ signposts: JSONArray) throws {
    for element in signposts where !element.isNull {
      let signpost = try element.object()
      let name = try SignpostName(signpost)
      if let interval = signpost["signpostIntervalData"] {
        try readInterval(interval.object(), name)
      } else if let total = try signpost["totalSignpostCount"].flatMap({ try count($0) }) {
        append(name.metric(".count", .count, .counter), .counter(Double(total)))
      }
    }
  }

  private mutating func readInterval(_ interval: JSONObject, _ name: SignpostName) throws {
    for (key, value) in interval where !value.isNull {
      switch key {
      case "histogrammedSignpostDurations":
        let spans = try readHistogram(value, .milliseconds)
        if !spans.isEmpty { append(name.metric("", .milliseconds, .distribution), .spans(spans)) }
      case "signpostCumulativeCPUTime":
        guard let time = try measure(value, .millisecondsAsSeconds) else { continue }
        append(name.metric(".cpu", .seconds, .counter), .counter(time))
      case "signpostAverageMemory":
        guard let memory = try readAverageOrMeasurement(value, .bytes) else { continue }
        append(name.metric(".memory", .bytes, .distribution), .samples([memory]))
      case "signpostCumulativeLogicalWrites":
        guard let writes = try measure(value, .bytes) else { continue }
        append(name.metric(".writes", .bytes, .counter), .counter(writes))
      case "signpostCumulativeHitchTimeRatio":
        guard let ratio = try measure(value, .hitchRatio) else { continue }
        append(name.metric(".hitch_ratio", .millisecondsPerSecond, .distribution), .samples([ratio]))
      default: break
      }
    }
  }
}
