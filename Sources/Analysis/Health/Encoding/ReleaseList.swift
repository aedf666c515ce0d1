public import Core

/// An API response with only the releases of a report.
public struct ReleaseList: TableConvertible {
  let report: HealthReport

  public init(_ report: HealthReport) { self.report = report }

  public static let fields = Fields<Self>("ReleaseList") {
    HealthReport.head.map { Field($0, of: \.report) }
    Field("releases", \.report.releases, "Highest version first.")
  }

  public static let table = AnswerTable<Self>(\.report.releases)
}
