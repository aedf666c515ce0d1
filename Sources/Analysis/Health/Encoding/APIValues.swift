public import Core
public import Storage

// How values of the model look in the API.

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
      .string, "The unit of the metric's numbers, such as `ms`, `B`, `count` or `ratio`; a ratio is of 1.")
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
extension GroupSummary.ShareBasis: APIValue {}
extension Incident.State: APIValue {}
extension Severity: APIValue {}
extension Incident.Condition: APIValue {}
extension IncidentKey.Theme: APIValue {}
extension BreachKey.Rule: APIValue {}

extension Verdict: APIValue {
  public static var schema: JSONSchema {
    .named("Verdict", .described(.oneOf(allCases.map(\.rawValue)), "What the data says about a budget."))
  }
}

extension Basis: APIValue {
  public static var schema: JSONSchema {
    .named(
      "Basis",
      .described(
        .oneOf(allCases.map(\.rawValue)),
        "What the interval treats as independent: user-days or payloads, or single events where fewer than ten of those "
          + "are known."))
  }
}

extension Judgement.Advice: APIValue {
  public static var schema: JSONSchema {
    .described(
      .oneOf(["ship", "watch", "hold", "wait"]),
      "`hold`: a budget is broken. `watch`: one warns. `ship`: most are met and none is broken. `wait`: too little data."
    )
  }
}

extension Window: APIObject {
  public static let fields = Fields<Self>("Window", "Whole days, both ends included.") {
    Field("from", \.from)
    Field("to", \.to)
  }
}

extension Slice: APIObject {
  public static let fields = Fields<Self>(
    "Slice", "What the numbers are of. The environment is always named, other parts where they narrow it."
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
    "Estimate", "A number with its two-sided 95 % interval; null where it is not known."
  ) {
    Field("value", \.value)
    Field("low", \.low)
    Field("high", \.high)
  }
}

extension RatioEstimate: APIObject {
  public static let fields = Fields<Self>(
    "Share",
    "A share of `n`, from 0 to 1, with its interval. `n_eff`: the size of an independent sample that would say as much."
  ) {
    Estimate.fields.of(\.estimate)
    Field("n", \.n)
    Field("n_eff", \.nEffective)
    Field("basis", \.basis)
  }
}
