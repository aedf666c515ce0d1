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
    Field("sessions", \.sessions, "Sessions of the slice, the denominator of shares.")
    Field("diagnostics", \.diagnostics)
    Field("total", \.total, "The number of groups before the limit.")
    Field("kinds", \.kinds, "Totals of every kind that occurs, whether listed or not.")
    Field(
      "newest", \.newest,
      "The newest adopted release, which each group's `newest_rate` refers to; null if the query selects a release, or "
        + "if no adopted release has sessions.")
    Field(
      "costs", \.costs,
      "The releases whose comparison gives each group's `cost`: the selected or newest adopted one, and an older one.")
    Field(
      "groups", \.rows,
      "First those that are worse than in the older release by more than chance, by `cost.at_full_adoption`; then most "
        + "diagnostics first.")
  }

  public static let table = AnswerTable<Self>(
    \.rows,
    only: [
      "id", "title", "kind", "state", "release", "diagnostics", "sessions", "users", "share.value", "share.low",
      "share.high", "share.n", "share_of", "first_seen", "last_seen", "introduced", "rate.value", "rate.low",
      "rate.high",
      "rate.counted", "newest_rate.release", "newest_rate.value", "newest_rate.low", "newest_rate.high",
      "newest_rate.counted", "cost.unit", "cost.beyond_base", "cost.low", "cost.high", "cost.at_full_adoption", "owner",
      "note.text", "hang.class", "hang.rule", "hang.own_code", "hang.system", "hang.asleep", "hang.unknown",
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

  static let fields = Fields<Self>("ListedGroup", "Diagnostics grouped by cause, in a list.") {
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
      "The denominator of shares of this kind.")
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
    "GroupRate", "A group's rate per 1,000 sessions; null without sessions."
  ) {
    Field("value", \.estimate.value)
    Field("low", \.estimate.low, "The lower bound of the 95 % interval; null if reports are counted.")
    Field("high", \.estimate.high)
    Field(
      "counted", \.counted,
      "What is counted: sessions affected or, if no report has a session ID, reports.")
    Field("count", \.count)
    Field("sessions", \.sessions, "All sessions of the slice or release.")
  }
}

extension GroupCost: APIObject {
  public static let fields = Fields<Self>(
    "GroupCost", "Those that a group affects in a release beyond what the rate of an older release would give."
  ) {
    Field("unit", \.unit, "What is counted: users, else sessions, else diagnostics.")
    Field("beyond_base", \.beyondBase.value, "Within the window, with a 95 % interval; negative if it became rarer.")
    Field("low", \.beyondBase.low)
    Field("high", \.beyondBase.high)
    Field("at_full_adoption", \.atFullAdoption, "The same if all sessions of the window were in this release.")
  }
}

extension CostReleases: APIObject {
  public static let fields = Fields<Self>("CostReleases") {
    Field("release", \.release)
    Field("base", \.base, "Null if there is no older release in the window.")
  }
}

extension GroupSample: APIObject {
  public static let fields = Fields<Self>("GroupSample", "A diagnostic of a group with a full sample.") {
    StoredDiagnostic.fields.of(\.diagnostic)
    Field("typical", \.isTypical, "Whether its stack is the group's most frequent one.")
    Field("oldest", \.isOldest, "Whether it is the oldest with a full sample.")
  }
}

extension GroupDetail.ReleaseRate: APIObject {
  public static let fields = Fields<Self>(
    "ReleaseGroupRate", "A group's rate per 1,000 sessions of a release."
  ) {
    Field("release", \.release, "A version, or a version and build.")
    GroupRate.fields.of(\.rate)
  }
}

extension GroupSummary: APIObject {
  public static let fields = Fields<Self>("Group", "Diagnostics grouped by cause.") {
    Field("id", \.id, "Sixteen hexadecimal digits, the same for the same cause in every installation.")
    Field("title", \.title)
    Field("kind", \.kind)
    Field("symbolic", \.isSymbolic, "Whether its code is symbolicated.")
    Field("state", \.status.name, schema: .oneOf(["open", "regressed", "resolved", "ignored"]))
    Field("release", \.status.release, "The release in which it was resolved or regressed.")
    Field("diagnostics", \.diagnostics)
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("share", \.share)
    Field("share_of", \.shareBasis, "The denominator of `share`: `diagnostics` if clients send no session IDs.")
    Field("user_share", \.userShare)
    Field("first_seen", \.firstSeen)
    Field("last_seen", \.lastSeen)
    Field("introduced", \.introduced, "The oldest release it was ever seen in.")
    Field(
      "cost", \.cost, "What it costs in the release of `costs`; null if unknown or if it occurs in neither release.")
    Field("days", \.days, "The number of diagnostics on each day of the window.")
    Field("rate", \.rate)
    Field(
      "owner", { $0.note.flatMap { $0.owner.isEmpty ? nil : $0.owner } }, "The person or team that owns it.",
      schema: .optional(.string(to: GroupNote.longestOwner)))
    Field("note", \.note, "The team's note.")
    Field("hang", \.hangs, "The classes of its hangs in the window; null for other kinds.")
  }
}

extension HangCounts: APIObject {
  public static let fields = Fields<Self>("HangClasses", "The reports of a group of hangs by class.") {
    Field("class", \.hangClass.name, "The class of most reports.", schema: .oneOf(HangClass.allCases.map(\.name)))
    Field("rule", \.rule?.name, "The rule that most reports of the class have; null if unknown.")
    Field("own_code", { $0.count(.ownCode) }, "Code of the app ran or waited.")
    Field("system", { $0.count(.system) }, "System code ran or waited, without a function of the app.")
    Field("asleep", { $0.count(.asleep) }, "Nobody waited for the main thread. Not part of `hang.count`.")
    Field("unknown", { $0.count(.unknown) }, "Reports without a stack, or stored before hangs had classes.")
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
  /// The release in which the group was resolved or regressed; nil for other states.
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
    Field("releases", \.releases, "Every release it was ever seen in, oldest first.")
    Field(
      "rates", \.rates,
      "The newest releases with sessions in the window, back to the one that introduced the group.")
    Field("ticket_template", \.ticket?.text, "The URL template of a new ticket in the team's tracker.")
    Field("systems", \.systems)
    Field("devices", \.devices)
    Field(
      "causes", \.causes,
      "The parts of the use from which more reports come than from other use; null if the use is unknown.")
    Field("costs", \.costs, "The releases whose comparison gives the group's `cost`.")
    Field("samples", \.samples, "The full samples; `diagnostics/{id}` returns each sample.")
    Field(
      "threads", \.threads,
      "The threads of the newest sample with the most frequent stack: the crashed thread first, innermost frame first.")
    Field(
      "calls", \.flame,
      "The merged call trees of the full samples of a hang, of CPU use or of disk writes; `caller` is an index in "
        + "`nodes`, -1 for none.")
    Field(
      "code_changes", \.code?.flame,
      "What changed in this code between the releases of `costs`; null without call trees of both.")
  }

  /// The stored samples.
  public static let table = AnswerTable<Self>(\.samples, without: ["source", "unit", "exception"])
  /// The rates by release.
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .parts: AnswerTable(\.rates), .causes: .causes { [$0.causes] },
  ]
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
    Field("title", \.title, "The display name, such as iPhone 15 Pro.")
    Field("diagnostics", \.diagnostics)
    Field("use_share", \.useShare, "Its share of the use in the same days and slice; null if the use is unknown.")
    Field("more_than_use", \.isMoreThanUse, "Whether its share of the reports exceeds that by more than chance.")
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
