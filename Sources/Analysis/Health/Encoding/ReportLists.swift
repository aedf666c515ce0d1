public import Core
public import Storage

/// An API response with only the metrics of a report.
public struct MetricList: TableConvertible {
  let report: HealthReport
  let figures: [AppStoreFigure]

  /// Creates the response. `figures`: App Store Connect's numbers of the app.
  public init(_ report: HealthReport, _ figures: [AppStoreFigure]) {
    self.report = report
    self.figures = figures
  }

  public func json() -> [UInt8] {
    report.part(
      "metrics", report.metrics.map(\.json), before: [("app_store_connect", .array(figures.map(\.json)))])
  }

  public var table: CSVTable {
    let estimates = ["value"] + MetricReport.ranks.map { "p\($0)" }
    let columns =
      [
        "name", "unit", "kind", "weight", "label", "source", "n", "payloads", "n_eff", "error", "estimated", "sum",
        "min", "max", "mean", "numerator", "denominator",
      ] + estimates.flatMap { ["\($0).value", "\($0).low", "\($0).high"] }
    return CSVTable(columns: columns, rows: report.metrics.map(\.json))
  }
}

/// An API response with only the releases of a report.
public struct ReleaseList: TableConvertible {
  let report: HealthReport

  public init(_ report: HealthReport) { self.report = report }

  public func json() -> [UInt8] { report.part("releases", report.releases.map(\.json)) }

  public var table: CSVTable {
    let columns = [
      "release", "build", "sessions", "payloads", "share_of_release", "adoption", "adoption_devices", "stage",
      "first_seen", "last_seen", "crash_free.value", "crash_free.low", "crash_free.high", "crash_free.n",
      "crash_free.n_eff", "crash_free.basis",
    ]
    return CSVTable(columns: columns, rows: report.releases.map(\.json))
  }
}

/// An API response with the results of `plumb check` for one app.
public struct BudgetList: TableConvertible {
  let app: String
  let results: [BudgetResult]
  let incidents: [Incident]

  /// Creates the response. `incidents`: the app's open incidents.
  public init(app: String, results: [BudgetResult], incidents: [Incident]) {
    self.app = app
    self.results = results
    self.incidents = incidents
  }

  public func json() -> [UInt8] { BudgetResult.json(results, incidents: incidents, app: app) }

  public var table: CSVTable {
    let columns = [
      "budget", "metric", "unit", "verdict", "reason", "needed", "value", "low", "high", "n", "target", "warn_target",
      "basis", "confidence", "slice.environment", "slice.release", "slice.os", "slice.device", "slice.device_class",
      "slice.where", "window.from", "window.to",
    ]
    return CSVTable(columns: columns, rows: results.map(\.json))
  }
}

extension HealthReport {
  /// The JSON of one list of the report, with the app, window and slice it describes.
  func part(_ name: String, _ items: [JSONOutput], before others: [(String, JSONOutput)] = []) -> [UInt8] {
    let own: [(String, JSONOutput)] = [
      ("schema", .count(Self.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("stale_days", .optional(staleDays)),
    ]
    return JSONOutput.object(own + others + [(name, .array(items))]).encoded() + [UInt8(ascii: "\n")]
  }
}

extension AppStoreFigure {
  /// The API's form, in Apple's unit.
  package var json: JSONOutput {
    .object([
      ("platform", .string(key.platform)), ("category", .string(key.category)), ("metric", .string(key.metric)),
      ("device", .string(key.device)), ("device_name", .string(deviceName)), ("percentile", .string(key.percentile)),
      ("version", .string(key.version)), ("unit", .string(unit)), ("value", .number(value)),
      ("error_margin", errorMargin.map(JSONOutput.number) ?? .null),
      ("goal", goal.isEmpty ? .null : .string(goal)),
    ])
  }
}
