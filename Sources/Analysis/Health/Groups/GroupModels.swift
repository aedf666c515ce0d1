public import Core
public import Storage

/// The state of a group: open, resolved or ignored.
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
  /// The total that a group's share refers to: the same for all groups of a kind in a list.
  public enum ShareBasis: String, Sendable, CaseIterable {
    /// All sessions of the slice. The group's share is that of sessions named by at least one of its diagnostics.
    case sessions
    /// All diagnostics of the slice of the group's kind, for a kind whose diagnostics name no sessions.
    case diagnostics
  }

  /// The identifier in URLs: sixteen hexadecimal digits.
  public var id: String
  /// The title: `EXC_BAD_ACCESS in CartViewController.checkout()`.
  public var title: String
  public var kind: DiagnosticKind
  public var isSymbolic: Bool = true
  public var diagnostics: Int
  /// The number of distinct sessions; nil if no diagnostic names its session.
  public var sessions: Int?
  /// The number of diagnostics that do not name their session.
  public var withoutSession: Int = 0
  /// The number of distinct users; nil if no diagnostic names one.
  public var users: Int?
  /// The share of the slice's sessions (of a release's, if the slice is of one) that the group affects, or of the kind's
  /// diagnostics, as `shareBasis` says. Empty for a group that names no sessions in a kind that does.
  public var share: RatioEstimate = .init()
  public var shareBasis: ShareBasis = .sessions
  /// The share of the slice's users; empty if users are unknown.
  public var userShare: RatioEstimate = .init()
  /// How often the group occurs in 1,000 sessions of the slice; nil if no sessions are known.
  public var rate: GroupRate?
  /// The first day on which the group was seen, in any release.
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  /// The oldest release in which the group was ever seen; nil if no diagnostic names its release.
  public var introduced: String?
  public var status: GroupStatus = .open
  /// What the team wrote about it; nil if it wrote nothing.
  public var note: GroupNote?
  /// The number of diagnostics on each day of the window.
  public var days: [Int] = []
}

/// The numbers of all groups of one kind in a window and slice.
public struct KindTotal: Sendable, Equatable {
  public var kind: DiagnosticKind
  public var groups: Int
  public var diagnostics: Int
  /// Whether any diagnostic of the kind names its session.
  public var namesSessions: Bool

  /// The totals of each kind that occurs, in the order of `DiagnosticKind.allCases`.
  static func totals(_ counts: [GroupCount]) -> [KindTotal] {
    let byKind = Dictionary(grouping: counts, by: \.group.kind)
    return DiagnosticKind.allCases.compactMap { kind in
      guard let counts = byKind[kind] else { return nil }
      return KindTotal(
        kind: kind, groups: counts.count, diagnostics: counts.reduce(0) { $0.addingSaturated($1.diagnostics) },
        namesSessions: counts.contains { $0.sessions > 0 })
    }
  }
}

/// The groups in a window and slice, those with the most diagnostics first.
public struct GroupList: Sendable, Equatable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  /// The kind of diagnostics that is listed; nil for all.
  public var kind: DiagnosticKind?
  /// The totals of every kind that occurs, listed or not; of the listed ones alone unless rates were asked for.
  public var kinds: [KindTotal] = []
  public var groups: [GroupSummary]
  /// The number of groups, including those cut from the list.
  public var total: Int
  /// The number of diagnostics in all groups, including those cut from the list.
  public var diagnostics: Int
  /// The number of sessions in the slice, to which shares refer.
  public var sessions: Int
  /// The rates of the groups in the newest adopted release; nil if they were not asked for, if the slice is of a
  /// release, or if no release with sessions is adopted.
  public var newest: ReleaseRates?
  public var asOf: Timestamp

  /// The most groups in one list.
  public static let most = 500
}

/// The details of one group, for its page.
public struct GroupDetail: Sendable, Equatable {
  /// A release, a system or a device model, with its number of diagnostics in the group.
  public struct Part: Sendable, Equatable {
    /// The name as clients send it, such as `iPhone16,1`.
    public var name: String
    /// The name that people know: `iPhone 15 Pro`.
    public var title: String
    public var diagnostics: Int

    public init(name: String, title: String? = nil, diagnostics: Int) {
      self.name = name
      self.title = title ?? name
      self.diagnostics = diagnostics
    }
  }

  /// How often the group occurs in a release.
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
    /// Whether the group occurred here although it was resolved before or in this release.
    public var isRegression: Bool
  }

  public var app: String
  public var window: Window
  public var slice: Slice
  public var group: GroupSummary
  /// The releases in which the group was ever seen, oldest first.
  public var releases: [Lifetime] = []
  /// The rates in the releases that have sessions in the window, the newest first, back to the one that introduced the
  /// group.
  public var rates: [ReleaseRate] = []
  /// The systems, those with the most diagnostics first.
  public var systems: [Part] = []
  public var devices: [Part] = []
  /// The diagnostics whose bodies are stored, the newest first.
  public var samples: [StoredDiagnostic] = []
  /// The threads of the newest diagnostic that has any, the crashed or hung one first. Empty for sampled kinds, which
  /// have a flame graph.
  public var threads: [ThreadText] = []
  /// The merged call trees of the stored diagnostics of a sampled kind; nil for other kinds.
  public var flame: FlameGraph?
  /// The address of a ticket in the team's tracker; nil if none was set.
  public var ticket: TicketTemplate?
  public var asOf: Timestamp
}
