public import Health
import JSON
import Storage
import Telemetry

/// The first part of an app's page as data: the advice on the newest releases, and broken budgets.
public struct BreakageList: TableConvertible {
  private let page: AppStatus

  public init(_ page: AppStatus) { self.page = page }

  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    page.report.part(
      "breakages", page.breakages.map(\.json), before: [("decisions", .array(page.decisions.map(\.json)))])
  }

  /// One row for each breakage.
  public var table: CSVTable {
    let result = ["budget", "metric", "unit", "verdict", "value", "low", "high", "n", "target"].map { "result.\($0)" }
    return CSVTable(
      columns: ["title", "since"] + result + ["result.slice.release", "guide"], rows: page.breakages.map(\.json))
  }
}

extension ReleaseDecision {
  var json: JSONOutput {
    .object([
      ("advice", .string(advice.rawValue)), ("previous", .optional(previous)), ("release", release.json),
      ("budgets", .array(results.map(\.json))),
    ])
  }
}

extension Breakage {
  var json: JSONOutput {
    .object([
      ("title", .string(title)), ("since", .optional(since?.iso)), ("result", result.json),
      ("releases", .array(releases.map(JSONOutput.string))), ("device_classes", .array(classes.map(\.json))),
      ("guide", .optional(guide)),
    ])
  }
}
