public import Storage
public import Telemetry

/// The state of a group: open, resolved or ignored.
public enum GroupStatus: Sendable, Equatable {
  case open
  /// It was resolved and came back in this release.
  case regressed(release: String)
  case resolved(release: String)
  case ignored

  /// `open`, `regressed`, `resolved`, `ignored`
  public var name: String {
    switch self {
    case .open: "open"
    case .regressed: "regressed"
    case .resolved: "resolved"
    case .ignored: "ignored"
    }
  }

  /// Neither resolved nor ignored.
  public var isOpen: Bool {
    switch self {
    case .open, .regressed: true
    case .resolved, .ignored: false
    }
  }
}

/// A group in a window and slice.
public struct GroupSummary: Sendable, Equatable {
  /// What a share is of.
  public enum ShareBasis: String, Sendable {
    /// Of the slice's sessions, those that a diagnostic of the group names.
    case sessions
    /// Of the slice's diagnostics of its kind, where none names its session.
    case diagnostics
  }

  /// Its name in addresses: sixteen hexadecimal digits.
  public var id: String
  /// `EXC_BAD_ACCESS in CartViewController.checkout()`
  public var title: String
  public var kind: DiagnosticKind
  public var isSymbolic: Bool
  public var diagnostics: Int
  /// Different sessions; nil when no diagnostic names its session.
  public var sessions: Int?
  /// Diagnostics that do not name their session.
  public var withoutSession: Int
  /// Different users; nil when no diagnostic names one.
  public var users: Int?
  public var share: RatioEstimate
  public var shareBasis: ShareBasis
  /// Of the users of the slice; nothing where they are not known.
  public var userShare: RatioEstimate
  /// In any release.
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  /// The oldest release it was ever seen in; nil when no diagnostic names one.
  public var introduced: String?
  public var status: GroupStatus
  /// Diagnostics of every day of the window.
  public var days: [Int]

  public init(
    id: String, title: String, kind: DiagnosticKind, isSymbolic: Bool = true, diagnostics: Int, sessions: Int? = nil,
    withoutSession: Int = 0, users: Int? = nil, share: RatioEstimate = .init(), shareBasis: ShareBasis = .sessions,
    userShare: RatioEstimate = .init(), firstSeen: CalendarDay, lastSeen: CalendarDay, introduced: String? = nil,
    status: GroupStatus = .open, days: [Int] = []
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.isSymbolic = isSymbolic
    self.diagnostics = diagnostics
    self.sessions = sessions
    self.withoutSession = withoutSession
    self.users = users
    self.share = share
    self.shareBasis = shareBasis
    self.userShare = userShare
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.introduced = introduced
    self.status = status
    self.days = days
  }
}

/// The groups of a window and slice, those with the most diagnostics first.
public struct GroupList: Sendable, Equatable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  /// Nil for all.
  public var kind: DiagnosticKind?
  public var groups: [GroupSummary]
  /// How many groups there are, including those cut from the list.
  public var total: Int
  /// How many diagnostics all these groups have together.
  public var diagnostics: Int
  /// Sessions of the slice, which shares are of.
  public var sessions: Int
  public var asOf: Timestamp

  /// The most in one list.
  public static let most = 500

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, kind: DiagnosticKind? = nil,
    groups: [GroupSummary], total: Int, diagnostics: Int, sessions: Int, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.kind = kind
    self.groups = groups
    self.total = total
    self.diagnostics = diagnostics
    self.sessions = sessions
    self.asOf = asOf
  }
}

/// One group in detail.
public struct GroupDetail: Sendable, Equatable {
  /// A release, a system or a model with its diagnostics of the group.
  public struct Part: Sendable, Equatable {
    public var name: String
    public var diagnostics: Int

    public init(name: String, diagnostics: Int) {
      self.name = name
      self.diagnostics = diagnostics
    }
  }

  /// A release it was ever seen in.
  public struct Lifetime: Sendable, Equatable {
    public var release: String
    public var firstDay: CalendarDay
    public var lastDay: CalendarDay
    public var diagnostics: Int
    /// It was resolved before, or here, and was seen here all the same.
    public var isRegression: Bool

    public init(release: String, firstDay: CalendarDay, lastDay: CalendarDay, diagnostics: Int, isRegression: Bool) {
      self.release = release
      self.firstDay = firstDay
      self.lastDay = lastDay
      self.diagnostics = diagnostics
      self.isRegression = isRegression
    }
  }

  public var app: String
  public var window: Window
  public var slice: Slice
  public var group: GroupSummary
  /// Oldest first.
  public var releases: [Lifetime]
  /// The most diagnostics first.
  public var systems: [Part]
  public var devices: [Part]
  /// Those that are kept whole, the newest first.
  public var samples: [StoredDiagnostic]
  /// The threads of the newest that has any, the one it is about first. Sampled kinds have a graph instead.
  public var threads: [ThreadText]
  /// What the kept samples of a sampled kind have in common.
  public var flame: FlameGraph?
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, group: GroupSummary, releases: [Lifetime] = [], systems: [Part] = [],
    devices: [Part] = [], samples: [StoredDiagnostic] = [], threads: [ThreadText] = [], flame: FlameGraph? = nil,
    asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.group = group
    self.releases = releases
    self.systems = systems
    self.devices = devices
    self.samples = samples
    self.threads = threads
    self.flame = flame
    self.asOf = asOf
  }
}
