public import Analysis
public import Core
public import Storage

extension GroupList: TableConvertible {
  public static let fields = Fields<Self>("GroupList") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field("kind", \.kind)
    Field("sessions", \.sessions, "Of the slice: what shares are of.")
    Field("diagnostics", \.diagnostics)
    Field("total", \.total, "Groups before the list was cut.")
    Field("kinds", \.kinds, "The totals of every kind that occurs, listed or not.")
    Field(
      "newest", \.newest,
      "The newest adopted release, which `newest_rate` of each group is about; null if the slice is of a release, or none "
        + "with sessions is adopted.")
    Field("groups", \.rows, "The most diagnostics first.")
  }

  public static let table = AnswerTable<Self>(
    \.rows,
    only: [
      "id", "title", "kind", "state", "release", "diagnostics", "sessions", "users", "share.value", "share.low",
      "share.high", "share.n", "share_of", "first_seen", "last_seen", "introduced", "rate.value", "rate.low",
      "rate.high",
      "rate.counted", "newest_rate.release", "newest_rate.value", "newest_rate.low", "newest_rate.high",
      "newest_rate.counted", "owner", "note.text",
    ])

  private var rows: [ListedGroup] {
    groups.map { group in
      let rate = newest.flatMap { newest in
        newest.rates[group.id].map { GroupDetail.ReleaseRate(release: newest.release, rate: $0) }
      }
      return ListedGroup(group: group, newestRate: rate)
    }
  }
}

/// A group with its rate in the newest adopted release.
private struct ListedGroup: APIObject {
  let group: GroupSummary
  let newestRate: GroupDetail.ReleaseRate?

  static let fields = Fields<Self>("ListedGroup", "Diagnostics of one cause, in a list.") {
    GroupSummary.fields.of(\.group)
    Field("newest_rate", \.newestRate, "The rate in the newest adopted release.")
  }
}

extension KindTotal: APIObject {
  public static let fields = Fields<Self> {
    Field("kind", \.kind)
    Field("groups", \.groups)
    Field("diagnostics", \.diagnostics)
    Field(
      "share_of", { $0.namesSessions ? GroupSummary.ShareBasis.sessions : .diagnostics },
      "What shares of this kind are of.")
  }
}

extension ReleaseRates: APIObject {
  public static let fields = Fields<Self> {
    Field("release", \.release)
    Field("sessions", \.sessions)
  }
}

extension GroupRate: APIObject {
  public static let fields = Fields<Self>(
    "GroupRate", "How often a group occurs in 1,000 sessions; null without sessions."
  ) {
    Field("value", \.estimate.value)
    Field("low", \.estimate.low, "A bound at 95 %; null where reports are counted.")
    Field("high", \.estimate.high)
    Field(
      "counted", \.counted,
      "What is counted: the affected sessions or, where reports name none, the reports.")
    Field("count", \.count)
    Field("sessions", \.sessions, "All sessions of the slice or release.")
  }
}

extension GroupDetail.ReleaseRate: APIObject {
  public static let fields = Fields<Self>(
    "ReleaseGroupRate", "How often a group occurs in 1,000 sessions of a release."
  ) {
    Field("release", \.release, "A version, or a version and build.")
    GroupRate.fields.of(\.rate)
  }
}

extension GroupSummary: APIObject {
  public static let fields = Fields<Self>("Group", "Diagnostics of one cause.") {
    Field("id", \.id, "Sixteen hexadecimal digits, the same for the same cause in every installation.")
    Field("title", \.title)
    Field("kind", \.kind)
    Field("symbolic", \.isSymbolic, "Its code has names.")
    Field("state", \.status.name, schema: .oneOf(["open", "regressed", "resolved", "ignored"]))
    Field("release", \.status.release, "Where it was resolved, or came back.")
    Field("diagnostics", \.diagnostics)
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("share", \.share)
    Field("share_of", \.shareBasis, "What it is of: `diagnostics` where clients name no sessions.")
    Field("user_share", \.userShare)
    Field("first_seen", \.firstSeen)
    Field("last_seen", \.lastSeen)
    Field("introduced", \.introduced, "The oldest release it was ever seen in.")
    Field("days", \.days, "Diagnostics of every day of the window.")
    Field("rate", \.rate)
    Field(
      "owner", { $0.note.flatMap { $0.owner.isEmpty ? nil : $0.owner } }, "Who looks after it.",
      schema: .optional(.string(to: GroupNote.longestOwner)))
    Field("note", \.note, "What the team wrote about it.")
  }
}

extension GroupNote: APIObject {
  public static let fields = Fields<Self> {
    Field("text", \.text)
    Field("author", \.author)
    Field("changed", \.changed)
  }
}

extension GroupStatus {
  /// The release in which the group was resolved, or occurred again after that; nil for other states.
  public var release: String? {
    switch self {
    case .regressed(let release), .resolved(let release): release
    case .open, .ignored: nil
    }
  }
}

extension GroupDetail: TableConvertible {
  public static let fields = Fields<Self>("GroupDetail") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field("group", \.group)
    Field("releases", \.releases, "Every release it was ever seen in, the oldest first.")
    Field(
      "rates", \.rates,
      "The newest releases with sessions in the window, back to the one that introduced the group.")
    Field("ticket_template", \.ticket?.text, "The address of a ticket in the team's tracker, with its placeholders.")
    Field("systems", \.systems)
    Field("devices", \.devices)
    Field("samples", \.samples, "Those that are kept whole; `diagnostics/{id}` has them.")
    Field("threads", \.threads, "Of the newest sample, the one that crashed first, innermost frame first.")
    Field(
      "calls", \.flame,
      "What the kept samples of a hang, of CPU use or of disk writes have in common; `caller` is a place in `nodes`, -1 for "
        + "none.")
  }

  /// The stored samples.
  public static let table = AnswerTable<Self>(\.samples, without: ["source", "unit", "exception"])
  /// The rates by release.
  public static let tables: [DataTable: AnswerTable<Self>] = [.parts: AnswerTable(\.rates)]
}

extension GroupDetail.Lifetime: APIObject {
  public static let fields = Fields<Self> {
    Field("release", \.release)
    Field("first_day", \.firstDay)
    Field("last_day", \.lastDay)
    Field("diagnostics", \.diagnostics)
    Field("regression", \.isRegression)
  }
}

extension GroupDetail.Part: APIObject {
  public static let fields = Fields<Self> {
    Field("name", \.name)
    Field("title", \.title, "The name that people know, such as iPhone 15 Pro.")
    Field("diagnostics", \.diagnostics)
  }
}

extension ThreadText: APIObject {
  public static let fields = Fields<Self> {
    Field("number", \.number)
    Field("attributed", \.isAttributed)
    Field("frames", \.lines)
    Field("omitted", \.omitted)
  }
}

extension ThreadText.Line: APIObject {
  public static let fields = Fields<Self> {
    Field("name", \.name)
    Field("binary", \.binary)
    Field("own", \.isOwn)
    Field("source") { $0.source.isEmpty ? nil : $0.source }
  }
}

/// The nodes are one flat list, because call trees can be deeper than JSON parsers allow.
extension FlameGraph: APIObject {
  public static let fields = Fields<Self> {
    Field("samples", \.samples)
    Field("diagnostics", \.diagnostics)
    Field("nodes", \.nodes)
  }
}

extension FlameGraph.Node: APIObject {
  public static let fields = Fields<Self> {
    Field("id", \.id)
    Field("caller", \.parent, schema: .integer(from: -1))
    Field("name", \.name)
    Field("binary", \.binary)
    Field("own", \.isOwn)
    Field("samples", \.samples)
  }
}

/// The groups behind the crashes of an app's release.
struct AppImpact: APIObject {
  let app: String
  let impact: GroupImpact

  static let fields = Fields<Self>("Impact", "Which groups a release's crashes are.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.impact.release)
    Field("window", \.impact.window)
    Field(
      "sessions", \.impact.sessions, "The release's sessions, of which `share` of each group is a share.")
    Field("crash_free", \.impact.crashFree)
    Field("previous", \.impact.previous)
    Field("previous_crash_free", \.impact.previousCrashFree)
    Field("crashed", \.impact.crashed)
    Field("crashed_of", \.impact.basis, "What it is of: `diagnostics` where clients name no sessions.")
    Field("together", \.impact.together, "The share of all crashes that these groups are.")
    Field("groups", \.impact.parts)
  }
}

extension GroupImpact.Part: APIObject {
  public static let fields = Fields<Self> {
    Field("group", \.group)
    Field("share", \.share)
    Field("share_of", \.basis, "What `share` is of: crashed sessions, or crash diagnostics.")
    Field("crash_free_without", \.without)
    Field("new", \.isNew, "Seen in no release before.")
  }
}
