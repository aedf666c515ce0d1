import Analysis
public import Core
public import Storage

/// An app's silences that have not ended, including silences of all apps.
public struct SilenceList: APIObject {
  let silences: [Silence]

  public static let fields = Fields<Self>("SilenceList") {
    Field.version(HealthReport.schema)
    Field("silences", \.silences)
  }
}

extension Silence: APIObject {
  public static let fields = Fields<Self> {
    Field("number", \.id)
    Field(
      "every_app", { $0.app == nil },
      "True if the silence covers all apps; only `plumb silence remove` can end such a silence.")
    Field("release", \.release)
    Field("rule", \.rule)
    Field(
      "incident", \.incident, "The id of the silenced incident; null if the silence is not limited to one incident.")
    Field("starts", \.starts)
    Field("ends", \.ends)
    Field("reason", \.reason)
  }
}
