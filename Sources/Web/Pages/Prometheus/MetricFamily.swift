/// A metric of Prometheus' text format with its samples.
public struct MetricFamily: Sendable {
  /// The name without the prefix `plumb_`.
  var name: String
  /// A sentence about the metric, on one line.
  var help: String
  var type: String
  /// `labels`: empty, or made by `labels(_:)`.
  var samples: [(labels: String, value: Double)]

  /// Creates a metric. `type`: `gauge` or `counter`.
  public init(name: String, help: String, type: String = "gauge", samples: [(labels: String, value: Double)]) {
    self.name = name
    self.help = help
    self.type = type
    self.samples = samples
  }

  /// The media type of the text format.
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Labels in braces, escaped as the text format requires. A label without a value is left out, which Prometheus
  /// treats like an empty value.
  public static func labels(_ labels: [(name: String, value: String?)]) -> String {
    let pairs = labels.compactMap { name, value -> String? in
      guard let value, !value.isEmpty else { return nil }
      return "\(name)=\"\(escaped(value))\""
    }
    return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
  }

  private static func escaped(_ value: String) -> String {
    guard value.utf8.contains(where: { [0x22, 0x5C, 0x0A].contains($0) }) else { return value }
    return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// The metric in the text format. Each series is written once, because Prometheus rejects a scrape with duplicates.
  var text: String {
    var text = "# HELP plumb_\(name) \(help)\n# TYPE plumb_\(name) \(type)\n"
    var known: Set<String> = []
    for sample in samples where known.insert(sample.labels).inserted {
      text += "plumb_\(name)\(sample.labels) \(Self.number(sample.value))\n"
    }
    return text
  }

  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    return value == value.rounded() && abs(value) < 9_007_199_254_740_992 ? String(Int64(value)) : value.description
  }
}
