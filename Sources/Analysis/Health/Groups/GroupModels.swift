public import Core
public import Storage

/// The status of a group: open, regressed, resolved or ignored.
public enum GroupStatus: Sendable, Equatable {
  case open
  /// The group was resolved and occurred again in this release.
  case regressed(release: String)
  case resolved(release: String)
  case ignored

  /// The name in JSON: `open`, `regressed`, `resolved` or `ignored`.
  public var name: String {
    switch self {
    case .open: "open"
    case .regressed: "regressed"
    case .resolved: "resolved"
    case .ignored: "ignored"
    }
  }

  /// Whether the group is neither resolved nor ignored.
  public var isOpen: Bool {
    switch self {
    case .open, .regressed: true
    case .resolved, .ignored: false
    }
  }
}

/// The numbers of a group of diagnostics in a window and slice.
public struct GroupSummary: Sendable, Equatable {
  /// The denominator of a group's share. It is the same for all groups of a kind in a list.
  public enum ShareBasis: String, Sendable, CaseIterable {
    /// All sessions of the slice. The numerator is the number of sessions with at least one diagnostic of the group.
    case sessions
    /// All diagnostics of the group's kind in the slice, for a kind whose diagnostics have no sessions.
    case diagnostics
  }

  /// The identifier in URLs: sixteen hexadecimal digits.
  public var id: String
  /// The title: `EXC_BAD_ACCESS in CartViewController.checkout()`.
  public var title: String
  public var kind: DiagnosticKind
  public var isSymbolic: Bool = true
  public var diagnostics: Int
  /// The number of distinct sessions; nil if no diagnostic has a session.
  public var sessions: Int?
  /// The number of diagnostics without a session.
  public var withoutSession: Int = 0
  /// The number of distinct users; nil if no diagnostic has a user.
  public var users: Int?
  /// The group's share of the slice's sessions or of the kind's diagnostics; see `shareBasis`. Empty for a group
  /// without sessions if other groups of its kind have sessions.
  public var share: RatioEstimate = .init()
  public var shareBasis: ShareBasis = .sessions
  /// The share of the slice's users; empty if users are unknown.
  public var userShare: RatioEstimate = .init()
  /// The rate per 1,000 sessions of the slice; nil if no sessions are known.
  public var rate: GroupRate?
  /// What it costs in the release of the list's or page's `costs`; nil if unknown, or if it occurs in neither release.
  public var cost: GroupCost?
  /// The first day on which the group was seen, in any release.
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  /// The oldest release in which the group was ever seen; nil if no diagnostic has a release.
  public var introduced: String?
  public var status: GroupStatus = .open
  /// The team's note about the group; nil if there is none.
  public var note: GroupNote?
  /// The number of diagnostics on each day of the window.
  public var days: [Int] = []
  /// The classes of the group's hangs; nil for other kinds.
  public var hangs: HangCounts?
}

/// The numbers of all groups of one kind in a window and slice.
public struct KindTotal: Sendable, Equatable {
  public var kind: DiagnosticKind
  public var groups: Int
  public var diagnostics: Int
  /// Whether any diagnostic of the kind has a session.
  public var namesSessions: Bool

  /// The totals of each kind that occurs, in the order of `DiagnosticKind.allCases`.
  static func totals(_ counts: [GroupCount]) -> [KindTotal] {
    let byKind = Dictionary(grouping: counts, by: \.group.kind)
    return DiagnosticKind.allCases.compactMap { kind in
      guard let counts = byKind[kind] else { return nil }
      return KindTotal(
        kind: kind, groups: counts.count, diagnostics: counts.reduce(0) { $0.saturatingAdd($1.diagnostics) },
        namesSessions: counts.contains { $0.sessions > 0 })
    }
  }
}

/// The groups in a window and slice, most diagnostics first. Groups of hangs that people did not feel are last.
public struct GroupList: Sendable, Equatable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  /// The kind of diagnostics that is listed; nil for all.
  public var kind: DiagnosticKind?
  /// The totals of every kind that occurs; only of the listed kind if rates were not requested.
  public var kinds: [KindTotal] = []
  public var groups: [GroupSummary]
  /// The number of groups, including groups that the list omits.
  public var total: Int
  /// The number of diagnostics in all groups, including groups that the list omits.
  public var diagnostics: Int
  /// The number of sessions in the slice: the denominator of shares.
  public var sessions: Int
  /// The rates of the groups in the newest adopted release; nil if not requested, if the slice selects a release, or if
  /// no release with sessions is adopted.
  public var newest: ReleaseRates?
  /// The releases whose comparison gives the costs of groups; nil if costs are unknown or were not requested.
  public var costs: CostReleases?
  public var asOf: Timestamp

  /// The maximum number of groups in one list.
  public static let most = 500
}

/// The details of one group, for its page.
public struct GroupDetail: Sendable, Equatable {
  /// A release, OS version or device model, with its number of diagnostics in the group.
  public struct Part: Sendable, Equatable {
    /// The name that clients send, such as `iPhone16,1`.
    public var name: String
    /// The marketing name: `iPhone 15 Pro`.
    public var title: String
    public var diagnostics: Int
    /// Its share of the use in the same days and slice; nil if the use is unknown.
    public var useShare: Double?
    /// Whether its share of the reports exceeds its share of the use by more than chance.
    public var isMoreThanUse: Bool

    public init(
      name: String, title: String? = nil, diagnostics: Int, useShare: Double? = nil, isMoreThanUse: Bool = false
    ) {
      self.name = name
      self.title = title ?? name
      self.diagnostics = diagnostics
      (self.useShare, self.isMoreThanUse) = (useShare, isMoreThanUse)
    }
  }

  /// The rate of the group in a release.
  public struct ReleaseRate: Sendable, Equatable {
    public var release: String
    public var rate: GroupRate

    public init(release: String, rate: GroupRate) {
      self.release = release
      self.rate = rate
    }
  }

  /// A release in which the group was ever seen, with its first and last day there.
  public struct Lifetime: Sendable, Equatable {
    public var release: String
    public var firstDay: CalendarDay
    public var lastDay: CalendarDay
    public var diagnostics: Int
    /// Whether the group occurred in this release although it was resolved in this or an earlier release.
    public var isRegression: Bool
  }

  public var app: String
  public var window: Window
  public var slice: Slice
  public var group: GroupSummary
  /// The releases whose comparison gives the group's cost; nil if it is unknown.
  public var costs: CostReleases?
  /// The releases in which the group was ever seen, oldest first.
  public var releases: [Lifetime] = []
  /// The rates in the releases with sessions in the window, newest first, back to the release that introduced the
  /// group.
  public var rates: [ReleaseRate] = []
  /// The OS versions, most diagnostics first.
  public var systems: [Part] = []
  public var devices: [Part] = []
  /// The parts of the use from which more reports come than from other use; nil if the use is unknown.
  public var causes: CauseList?
  /// The full samples: the newest, those with the most frequent stack, and the oldest.
  public var samples: [GroupSample] = []
  /// The threads of the newest sample with the most frequent stack, the crashed or hung thread first. Empty for sampled kinds,
  /// which have a flame graph.
  public var threads: [ThreadText] = []
  /// The merged call trees of the stored diagnostics of a sampled kind; nil for other kinds.
  public var flame: FlameGraph?
  /// What changed in its code between the releases of `costs`; nil for other kinds, and without call trees of both.
  public var code: CodeChanges?
  /// The URL template of a new ticket in the team's tracker; nil if not set.
  public var ticket: TicketTemplate?
  public var asOf: Timestamp
}
