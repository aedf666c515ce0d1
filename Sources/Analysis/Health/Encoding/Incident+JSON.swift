public import Core
public import Storage

/// An incident with the bundle identifier of its app, which is nil for incidents of the whole data folder. `rule`,
/// `subject`, `slice` and similar fields describe the most important breach, the first of `breaches`.
public struct AppIncident: APIObject {
  let app: String?
  let incident: Incident

  public init(app: String?, incident: Incident) {
    self.app = app
    self.incident = incident
  }

  public static let fields = Fields<Self>(
    "Incident", "A problem that is statistically certain; see docs/alerting.md."
  ) {
    Field("id", \.incident.id, "A stable identifier of this occurrence.")
    Field("app", \.app, "The bundle identifier; null for incidents of the whole data folder.")
    Field("theme", \.incident.key.theme, "The subject: one release, the app in all its releases, or another theme.")
    Field("release", \.incident.key.release, "The version; null unless the theme is a release.")
    Field("environment", \.incident.key.environment)
    Field("title", \.incident.title, "What broke, in one line.")
    Field("rule", \.incident.lead?.key.rule, "The rule; more rules may be added.")
    Field(
      "subject", \.incident.lead?.key.subject,
      "The budget as written, the metric, or the group; empty if the rule needs no subject.")
    Field("slice", \.incident.lead?.key.slice)
    Field("state", \.incident.state)
    Field("severity", \.incident.severity)
    Field("condition", \.incident.lead?.condition, "The result of the last evaluation.")
    Field("since", \.incident.since, "When it broke, according to the data.")
    Field("opened", \.incident.opened)
    Field("closed", \.incident.closed)
    Field("closed_because", \.incident.closedBecause)
    Field("announced", \.incident.announced, "When the last message was sent; null if it was silenced so far.")
    Field("evaluated", \.incident.evaluated)
    Field("recovering_since", \.incident.lead?.recoveringSince)
    Field("summary", \.incident.lead?.evidence.summary, "The evidence in one line.")
    Field("facts", { $0.incident.lead?.evidence.facts ?? [] })
    Field("advice", { $0.incident.lead?.evidence.advice }, "The first thing to check.")
    Field("breaches", \.incident.ranked, "All breaches, most important first.")
  }
}

extension Breach: APIObject {
  public static let fields = Fields<Self>("Breach", "One problem within an incident.") {
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
