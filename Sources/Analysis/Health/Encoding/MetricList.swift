public import Core
import Storage

/// An API response with only the metrics of a report.
public struct MetricList: TableConvertible {
  let report: HealthReport
  let figures: [AppStoreFigure]
  let notes: AppStorePerformance

  /// Creates the response. `figures` and `notes`: what App Store Connect says of the app.
  public init(_ report: HealthReport, _ figures: [AppStoreFigure], _ notes: AppStorePerformance) {
    self.report = report
    self.figures = figures
    self.notes = notes
  }

  public static let fields = Fields<Self>("MetricList") {
    HealthReport.head.map { Field($0, of: \.report) }
    Field("app_store_connect", \.figures)
    Field("app_store_goals", \.notes.goals)
    Field("app_store_insights", \.notes.insights)
    Field("app_store_signatures", \.notes.signatures)
    Field("metrics", \.report.metrics)
  }

  /// The table of metrics. Columns of estimates come last.
  public static let table = AnswerTable<Self>(
    \.report.metrics, only: columns.filter { !$0.contains(".") } + columns.filter { $0.contains(".") })

  private static let columns = MetricReport.fields.schema.columns
}
