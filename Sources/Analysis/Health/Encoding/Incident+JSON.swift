public import Core
public import Storage

/// An incident with the bundle identifier of its app, which is nil for incidents that concern all apps. `rule`, `subject`,
/// `slice` and the like are those of the most important breach, the first of `breaches`.
public struct AppIncident: APIObject {
  let app: String?
  let incident: Incident

  public init(app: String?, incident: Incident) {
    self.app = app
    self.incident = incident
  }

  public static let fields = Fields<Self>(
    "Incident", "Something that is broken for certain: see docs/alerting.md."
  ) {
    Field("id", \.incident.id, "Stable, and of this occurrence alone.")
    Field("app", \.app, "The bundle identifier; null for what concerns all apps.")
    Field("theme", \.incident.key.theme, "What it is about: one release, an app in all its releases, or another theme.")
    Field("release", \.incident.key.release, "The version; null where the theme is no release.")
    Field("environment", \.incident.key.environment)
    Field("title", \.incident.title, "What broke, in one line.")
    Field("rule", \.incident.lead?.key.rule, "More may be added.")
    Field(
      "subject", \.incident.lead?.key.subject,
      "The budget as it is written, the metric, or the group; empty where the rule says all.")
    Field("slice", \.incident.lead?.key.slice)
    Field("state", \.incident.state)
    Field("severity", \.incident.severity)
    Field("condition", \.incident.lead?.condition, "What the last evaluation said.")
    Field("since", \.incident.since, "When it broke, by the data.")
    Field("opened", \.incident.opened)
    Field("closed", \.incident.closed)
    Field("closed_because", \.incident.closedBecause)
    Field("announced", \.incident.announced, "When people were last told; null while it is silenced.")
    Field("evaluated", \.incident.evaluated)
    Field("recovering_since", \.incident.lead?.recoveringSince)
    Field("summary", \.incident.lead?.evidence.summary, "One line that says everything.")
    Field("facts", { $0.incident.lead?.evidence.facts ?? [] })
    Field("advice", { $0.incident.lead?.evidence.advice }, "The first thing to check.")
    Field("breaches", \.incident.ranked, "Everything that broke, the most important first.")
  }
}

extension Breach: APIObject {
  public static let fields = Fields<Self>("Breach", "One thing that is wrong within an incident.") {
    Field("rule", \.key.rule)
    Field("subject", \.key.subject)
    Field("slice", \.key.slice)
    Field("state", \.state)
    Field("severity", \.severity)
    Field("condition", \.condition)
    Field("since", \.since)
    Field("opened", \.opened)
    Field("closed", \.closed)
    Field("closed_because", \.closedBecause)
    Field("announced", \.announced)
    Field("recovering_since", \.recoveringSince)
    Field("headline", \.evidence.headline)
    Field("summary", \.evidence.summary)
    Field("facts", \.evidence.facts)
    Field("advice", \.evidence.advice)
  }
}

extension Detail: APIObject {
  public static let fields = Fields<Self> {
    Field("name", \.name)
    Field("value", \.value)
  }
}
