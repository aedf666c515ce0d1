public import Core
public import Storage

// The API representation of model values.

extension Timestamp: APIValue {
  public var output: JSONOutput { .string(iso) }
  public static var schema: JSONSchema { .dateTime }
}

extension CalendarDay: APIValue {
  public var output: JSONOutput { .string(iso) }
  public static var schema: JSONSchema { .date }
}

extension MetricUnit: APIValue {
  public var output: JSONOutput { .string(symbol) }
  public static var schema: JSONSchema {
    .described(
      .string, "The unit of the metric's numbers, such as `ms`, `B`, `count` or `ratio` (0 to 1).")
  }
}

extension DiagnosticKind: APIValue {
  public var output: JSONOutput { .string(name) }
  public static var schema: JSONSchema { .oneOf(allCases.map(\.name)) }
}

extension Metric.Kind: APIValue {}
extension Metric.Weight: APIValue {}
extension Metric.Direction: APIValue {}
extension ReleaseStage: APIValue {}
extension BudgetResult.Reason: APIValue {}
extension ComparisonVerdict: APIValue {}
extension ComparisonSeverity: APIValue {}
extension MetricComparison.Reason: APIValue {}
extension ReleaseComparison.Outcome: APIValue {}
extension RolloutVerdict: APIValue {}
extension RolloutVital.State: APIValue {}
extension GroupSummary.ShareBasis: APIValue {}
extension GroupCost.Unit: APIValue {}
extension FlameDifference.Unit: APIValue {}
extension FlameDifference.Change.Kind: APIValue {}
extension Incident.State: APIValue {}
extension Severity: APIValue {}
extension Incident.Condition: APIValue {}
extension IncidentKey.Theme: APIValue {}
extension BreachKey.Rule: APIValue {}

extension Verdict: APIValue {
  public static var schema: JSONSchema {
    .named("Verdict", .described(.oneOf(allCases.map(\.rawValue)), "The verdict on a budget."))
  }
}

extension Basis: APIValue {
  public static var schema: JSONSchema {
    .named(
      "Basis",
      .described(
        .oneOf(allCases.map(\.rawValue)),
        "What the interval treats as independent: user-days or payloads (`clusters`), or single events (`events`) if "
          + "fewer than ten clusters are known."))
  }
}

extension Judgement.Advice: APIValue {
  public static var schema: JSONSchema {
    .described(
      .oneOf(["ship", "watch", "hold", "wait"]),
      "`hold`: a budget is broken. `watch`: a warning. `ship`: most are met, none is broken. `wait`: not enough data."
    )
  }
}

extension Window: APIObject {
  public static let fields = Fields<Self>("Window", "Whole days, including both ends.") {
    Field("from", \.from)
    Field("to", \.to)
  }
}

extension Slice: APIObject {
  public static let fields = Fields<Self>(
    "Slice", "The filters that select the data: always an environment, others only if set."
  ) {
    Field("environment", \.environment)
    Field(ifPresent: "release", \.release)
    Field(ifPresent: "os", \.os)
    Field(ifPresent: "device", \.device)
    Field(ifPresent: "device_class", \.deviceClass)
    Field(ifPresent: "label", \.label)
    Field(
      ifPresent: ReportQuery.attributeName, \.attribute?.text,
      "The filter by the app's attribute: `experiment=new-cart`, `region!=DE`.")
  }
}

extension Estimate: APIObject {
  public static let fields = Fields<Self>(
    "Estimate", "A number with its two-sided 95 % interval; null if unknown."
  ) {
    Field("value", \.value)
    Field("low", \.low)
    Field("high", \.high)
  }
}

extension RatioEstimate: APIObject {
  public static let fields = Fields<Self>(
    "Share",
    "A share of `n`, from 0 to 1, with its two-sided 95 % interval. `n_eff`: the effective sample size."
  ) {
    Estimate.fields.of(\.estimate)
    Field("n", \.n)
    Field("n_eff", \.nEffective)
    Field("basis", \.basis)
  }
}

extension Field {
  /// The watermark: the sequence number of the last payload that the response includes.
  public static func digestedThrough(_ sequence: @escaping @Sendable (Row) -> Int64) -> Field {
    Field("digested_through", sequence, schema: .integer(from: 0))
  }

  /// The number of days since the newest data.
  public static func staleDays(_ days: @escaping @Sendable (Row) -> Int?) -> Field {
    Field("stale_days", days, schema: .optional(.integer()))
  }
}
