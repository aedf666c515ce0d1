public import Analysis
public import Core
internal import Storage

/// The groups behind the crashes of an app's release.
struct CrashImpactAnswer: APIObject {
  let app: String
  let impact: TopCrashGroups

  static let fields = Fields<Self>("Impact", "The crash groups of a release.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.impact.release)
    Field("window", \.impact.window)
    Field(
      "sessions", \.impact.sessions, "The release's sessions, the denominator of each group's `share`.")
    Field("crash_free", \.impact.crashFree)
    Field("previous", \.impact.previous)
    Field("previous_crash_free", \.impact.previousCrashFree)
    Field("crashed", \.impact.crashed)
    Field("crashed_of", \.impact.basis, "What `crashed` counts: `diagnostics` if clients send no session IDs.")
    Field("together", \.impact.together, "The share of all crashes that these groups account for together.")
    Field("groups", \.impact.parts)
  }
}

extension TopCrashGroups.Part: APIObject {
  public static let fields = Fields<Self> {
    Field("group", \.group)
    Field("share", \.share)
    Field("share_of", \.basis, "The denominator of `share`: crashed sessions, or crash diagnostics.")
    Field("crash_free_without", \.without)
    Field("new", \.isNew, "True if no earlier release had the group.")
  }
}
