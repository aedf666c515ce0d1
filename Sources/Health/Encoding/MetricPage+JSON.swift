import JSON
import Storage
import Telemetry

extension MetricModel: TableConvertible {
  /// The JSON of the API: what the metric's page shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("title", .string(report.title)), ("metric", report.json), ("budgets", .array(budgets.map(\.json))),
      ("trends", .object(namedTrends.map { ($0.name, .array($0.points.map(\.json))) })),
      ("release_markers", .array(releaseMarkers.map(\.json))), ("distribution", .array(distribution.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("by_os", .array(bySystem.map(\.json))), ("by_device", .array(byDevice.map(\.json))),
      ("by_label", .array(byLabel.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The trends: one row per statistic and point.
  public var table: CSVTable {
    let rows = namedTrends.flatMap { name, points in
      points.map { point in JSONNode.object([("statistic", .string(name)), ("point", point.json)]) }
    }
    return CSVTable(
      columns: ["statistic"] + TrendPoint.columns.map { "point.\($0)" }, rows: rows)
  }

  public func table(_ name: DataTable) -> CSVTable? {
    let parts: CSVTable.Parts = [
      ("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("device", byDevice),
      ("label", byLabel),
    ]
    switch name {
    case .distribution: return CSVTable(columns: ["low", "high", "count"], rows: distribution.map(\.json))
    case .parts: return .parts(parts)
    case .courses: return .courses(parts)
    case .trend: return nil
    }
  }

  private var namedTrends: [(name: String, points: [TrendPoint])] {
    trends.sorted { $0.key < $1.key }.map { (Self.name(of: $0.key), $0.value) }
      + budgetTrends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// `p90`; rank 0 is the value of a metric without percentiles.
  private static func name(of rank: Int) -> String { rank == 0 ? "value" : "p\(rank)" }
}

extension TrendPoint {
  /// The members of its JSON.
  static let columns = ["day", "days", "value", "low", "high", "n"]

  var json: JSONNode {
    .object([
      ("day", .string(day.iso)), ("days", .count(days)), ("value", .optional(estimate.value)),
      ("low", .optional(estimate.low)),
      ("high", .optional(estimate.high)), ("n", .count(n)),
    ])
  }
}

extension ReleaseMarker {
  var json: JSONNode { .object([("day", .string(day.iso)), ("release", .string(version))]) }
}

extension DistributionBar {
  var json: JSONNode { .object([("low", .number(low)), ("high", .optional(high)), ("count", .number(count))]) }
}

extension Breakdown {
  var json: JSONNode {
    .object([
      ("key", .string(key)), ("title", .string(title)), ("verdict", .optional(verdict?.rawValue)),
      ("metric", report.json), ("trend", .array(trend.map(\.json))),
    ])
  }
}
