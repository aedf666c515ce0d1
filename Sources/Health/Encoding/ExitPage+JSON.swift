import JSON
import Storage
import Telemetry

extension ExitsModel: TableConvertible {
  /// The JSON of the API: what the page of exits shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("launches", .optional(launches)),
      ("reasons", .array(rows.map(\.json))), ("terminations", terminations?.json ?? .null),
      ("trend", .array(trend.map(\.json))), ("release_markers", .array(releaseMarkers.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("budgets", .array(budgets.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// A row a reason.
  public var table: CSVTable {
    CSVTable(
      columns: ["reason", "foreground", "background", "foreground_rate", "background_rate"], rows: rows.map(\.json))
  }

  public func table(_ name: DataTable) -> CSVTable? {
    switch name {
    case .parts: .parts([("release", byRelease), ("device_class", byDeviceClass)])
    case .trend: .trend(trend)
    case .courses, .distribution: nil
    }
  }
}

extension ExitRow {
  var json: JSONNode {
    .object([
      ("reason", .string(reason.name)), ("foreground", .optional(foreground)), ("background", .optional(background)),
      ("foreground_rate", .optional(foregroundRate)), ("background_rate", .optional(backgroundRate)),
    ])
  }
}
