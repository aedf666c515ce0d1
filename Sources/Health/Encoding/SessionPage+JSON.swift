import JSON
import Storage
import Telemetry

extension SessionsModel: TableConvertible {
  /// The JSON of the API: what the page of sessions shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("sessions", sessions.json), ("users", users.json),
      ("days", .array(days.map(\.json))), ("release_markers", .array(releaseMarkers.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("by_os", .array(bySystem.map(\.json))), ("burn", burn.json),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// A row a day, or some days together.
  public var table: CSVTable {
    let outcomes = SessionOutcome.allCases.map { "sessions.\($0.name)" }
    let shares = ["value", "low", "high", "n"]
    let columns =
      ["day", "days", "sessions.total"] + outcomes + shares.map { "sessions.crash_free.\($0)" } + [
        "users.total", "users.crashed",
      ]
    return CSVTable(columns: columns, rows: days.map(\.json))
  }

  public func table(_ name: DataTable) -> CSVTable? {
    let parts: CSVTable.Parts = [("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem)]
    return switch name {
    case .parts: .parts(parts)
    case .courses: .courses(parts)
    case .trend, .distribution: nil
    }
  }
}

extension SessionDay {
  var json: JSONNode {
    .object([("day", .string(day.iso)), ("days", .count(days)), ("sessions", sessions.json), ("users", users.json)])
  }
}
