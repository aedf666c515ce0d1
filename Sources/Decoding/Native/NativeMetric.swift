internal import JSON
internal import Telemetry

/// The metric that a native item names, and the factor that turns its values into the metric's unit.
struct NativeMetric {
  let reference: MetricReference
  let factor: Double

  /// Reads `metric` and `unit`. Without a unit, values are in the metric's own; a name the catalogue does not know is a
  /// metric of the client's own, counted in `count` unless it says otherwise.
  init(_ item: JSONObject, _ kind: Metric.Kind) throws {
    let nameValue = try item.required("metric")
    let name = try MetricName.read(nameValue)
    let unitValue = item["unit"]
    let unit = try unitValue.map { try Self.unit($0) }
    if let metric = Catalogue.metric(named: name) {
      try Self.check(metric, kind, nameValue)
      reference = .known(metric.number)
      guard let unit, let unitValue else {
        factor = 1
        return
      }
      guard let converted = unit.factor(into: metric.unit) else {
        throw unitValue.failure("\(name) is kept in \(metric.unit.symbol), which this unit does not measure")
      }
      factor = converted
    } else {
      reference = .custom(name: name, unit: unit?.canonical ?? .count, kind: kind)
      factor = unit?.factor ?? 1
    }
  }

  private static func unit(_ value: JSONValue) throws -> InputUnit {
    let symbol = try value.text()
    guard symbol.count <= 16, let unit = InputUnit(symbol: symbol.string) else {
      throw value.failure(
        "expected one of \(InputUnit.symbols.joined(separator: ", ")), found \(JSONPath.quoted(symbol.string))")
    }
    return unit
  }

  /// A metric's rows hold percentiles or sums, not both; and what Plumb computes itself is not for clients to send.
  private static func check(_ metric: Metric, _ kind: Metric.Kind, _ name: JSONValue) throws {
    let isCounted = metric.name == "sessions" || metric.name == "users"
    if isCounted || metric.kind == .ratio || metric.kind == .rate {
      throw name.failure("\(metric.name) is computed by the server and cannot be sent")
    }
    guard metric.kind != kind else { return }
    throw name.failure(
      kind == .counter
        ? "\(metric.name) is a distribution: send it in \"measurements\" or \"histograms\""
        : "\(metric.name) is a sum: send it in \"counters\"")
  }
}
