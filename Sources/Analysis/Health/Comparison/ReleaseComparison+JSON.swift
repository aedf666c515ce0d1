public import Core
import Storage

/// The JSON of `plumb compare` and of the API; both return the same bytes.
extension ReleaseComparison: TableConvertible {
  public static let fields = Fields<Self>("Comparison") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("base", \.base)
    Field("head", \.head)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("outcome", \.outcome)
    Field(
      "ramping_up", \.rampingUp,
      "Set while the head is being rolled out. Differences then also have to be shown with the base at the same age of "
        + "the update.")
    Field(
      "sample_ratio", \.sampleRatio,
      "How users were divided between two values of an attribute; null for releases, and without users and devices.")
    Field("metrics", \.metrics)
    Field(
      "labels", \.labels,
      "The labels of labelled metrics, at most 60 per metric and 400 in total, most severe first.")
    Field(
      "labels_window", \.labelWindow,
      "The days of `labels`, whose data expire earlier; null without labels.")
    Field("labels_left_out", \.leftOutLabels)
  }

  public static let table = AnswerTable<Self>(\.metrics, without: ["label"] + inJSONOnly)
  /// `parts`: one row per label of a metric. `causes`: one row per cause.
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .parts: AnswerTable(
      \.labels, only: ["label"] + MetricComparison.fields.schema.columns.filter { $0 != "label" }, without: inJSONOnly),
    .causes: .causes { $0.metrics.map(\.causes) },
  ]

  private static let inJSONOnly = ["tendency", "heterogeneous", "worse_class", "causes"]
}

extension RampingUp: APIObject {
  public static let fields = Fields<Self>("RampingUp") {
    Field("day", \.day, "The days since the release's first, from 1.")
    Field("fresh", \.fresh, "The share of its use by installations that had just updated.")
  }
}

extension MetricComparison: APIObject {
  public static let fields = Fields<Self>("MetricComparison") {
    Field("name", \.name)
    Field("label", \.label, "The screen, host or view; null for the whole metric.")
    Field("unit", \.unit)
    Field("kind", \.kind)
    Field("statistic", \.statistic)
    Field("budget", \.budget)
    Field("direction", \.direction)
    Field("source", \.source?.title)
    Field("days", \.days)
    Field("base", \.base)
    Field("head", \.head)
    Field("relative", \.isRelative)
    Field("difference", \.difference)
    Field("raw_difference", \.rawDifference)
    Field("margin", \.margin)
    Field("verdict", \.verdict)
    Field("within_margin") { $0.difference == nil ? nil : $0.isSmall }
    Field("reason", \.reason)
    Field("needed", \.needed)
    Field(
      "tendency", \.tendency, "Set if no difference is shown but the interval lies on one side of zero.",
      schema: .optional(.oneOf(["better", "worse"])))
    Field("heterogeneous", \.isHeterogeneous, "Whether device classes differ by more than chance.")
    Field(
      "worse_class", \.worseClass?.name, "The device class with the largest deterioration, if classes differ.")
    Field("classes", \.classes, "The difference within each device class.")
    Field(
      "severity", \.severity,
      "`worse`: possibly by more than the margin; `slightly_worse`: by less than the margin; `maybe_worse`: no "
        + "verdict, but the whole interval lies on the worse side, or one device class is worse.")
    Field(
      "mix_shift", \.mixShift,
      "The device class whose share of the values differs most between the releases; null if none differs by 5 "
        + "points.")
    Field(
      "causes", \.causes, "Where the metric became worse; null unless it is worse, and for labels and groups.")
  }
}

extension ComparedValue: APIObject {
  public static let fields = Fields<Self>("ComparedValue") {
    Estimate.fields.of(\.estimate)
    Field("n", \.n)
    Field("n_eff", \.nEffective)
  }
}

extension ClassComparison: APIObject {
  public static let fields = Fields<Self> {
    Field("class", \.name)
    Field("value", \.value)
    Field("low", \.low.ifFinite)
    Field("high", \.high.ifFinite, "Null where a bucket has no end.")
    Field("p_value", \.pValue)
  }
}

extension DeviceClassShift: APIObject {
  public static let fields = Fields<Self> {
    Field("class", \.name)
    Field("base_share", \.base)
    Field("head_share", \.head)
  }
}

extension ComparedDifference: APIObject {
  public static let fields = Fields<Self> {
    Field("value", \.value)
    Field("low", \.low.ifFinite)
    Field("high", \.high.ifFinite, "Null where a bucket has no end.")
    Field("p_value", \.pValue)
    Field("strata", \.strata)
  }
}

extension Double {
  fileprivate var ifFinite: Double? { isFinite ? self : nil }
}
