public import Core

/// The JSON of `plumb lab`.
extension LabComparison: TableConvertible {
  public static let fields = Fields<Self>("LabComparison") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("base", \.base)
    Field("head", \.head)
    Field("base_runs", \.baseRuns, "The compared runs.")
    Field("head_runs", \.headRuns)
    Field("left_out", \.leftOut, "Runs without a run of the other side on the same runner and devices.")
    Field("runners", \.runners, "The runners with runs of both sides.")
    Field("margin", \.margin, "The largest difference that counts as none, relative to the base.")
    Field(
      "smallest_p_value", \.smallestPValue, "What the runs can show at best; above 0.05 they cannot show a difference.")
    Field("outcome", \.outcome)
    Field("series", \.series, "The compared metrics of tests, most severe first.")
  }

  public static let table = AnswerTable<Self>(\.series, without: ["devices"])
}

extension LabComparison.Outcome: APIValue {}

extension LabDifference: APIObject {
  public static let fields = Fields<Self>("LabDifference") {
    Field("test", \.test)
    Field("metric", \.metric, "The metric's identifier, such as `com.apple.dt.XCTMetric_Clock.time.monotonic`.")
    Field("field_metric", \.counterpart, "The metric of users' devices that it should foretell.")
    Field("devices", \.devices)
    Field("xctest_unit", \.unit)
    Field("unit", \.comparison.unit, "The unit of `base` and `head`; `count` for units that no metric of Plumb has.")
    Field("direction", \.comparison.direction)
    Field(
      "base", \.comparison.base.estimate.value,
      "The mean of the runs' medians, geometric if `relative`, weighted like the difference.")
    Field("base_runs", \.comparison.base.n)
    Field("head", \.comparison.head.estimate.value)
    Field("head_runs", \.comparison.head.n)
    Field("relative", \.comparison.isRelative)
    Field("difference", \.comparison.difference)
    Field("adjusted_p_value", \.adjustedPValue, "The p-value among all series.")
    Field("verdict", \.comparison.verdict)
    Field("severity", \.comparison.severity)
  }
}
