public import Core

/// Queries about groups of diagnostics that are grouped by cause.
public protocol GroupStore: Sendable {
  /// Every group with diagnostics in the query's window and slice.
  func groups(_ query: GroupQuery) throws -> [GroupCount]

  /// The group with this fingerprint, or the one it was merged into; nil when there is none.
  func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup?

  /// The number of sessions with diagnostics in the query's window and slice: of the given groups (by fingerprint)
  /// together, and of each group alone.
  func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions

  /// The first and last day of groups in each build: of one group, or of all groups of the app.
  func lifetimes(of app: AppID, group: Int64?) throws -> [GroupLifetime]

  /// The number of diagnostics in the query's window and slice by group, for each day or each member of a dimension.
  func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount]

  /// The diagnostics in the query's window and slice by the age of the update at the start of their sessions. Release and
  /// device class are the session's, which may not state the device although the diagnostic does.
  /// `sample`: one of how many is counted, a power of two; always the same ones.
  func reportsByAge(_ query: GroupQuery, sample: Int) throws -> [ReportsByAge]

  /// Diagnostics of a group that may have samples: the newest, the newest of its most frequent stack, and the oldest
  /// that has one.
  func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [GroupSample]

  /// The stored call trees of a query's diagnostics, which must be of one kind that is sampled; at most 400.
  func stacks(_ query: GroupQuery) throws -> CallTreeSamples

  /// The merges of groups: the fingerprint of each merged group with that of the group it was merged into.
  func successors(of app: AppID) throws -> [UInt64: UInt64]

  /// The binaries that occur in the diagnostics of each build.
  func images(of app: AppID) throws -> [StoredImage]
}

/// A selection of diagnostics to count.
public struct GroupQuery: Sendable {
  public var app: AppID
  /// The environment, release, device and so on to which counts are limited. A label is ignored.
  public var slice: Slice
  public var window: Window
  public var kind: DiagnosticKind?
  /// The id of the only group to count; nil for all.
  public var group: Int64?
  /// The name of the attribute whose values are the members of the dimension `attribute`.
  public var attribute: String?

  public init(app: AppID, slice: Slice, window: Window, kind: DiagnosticKind? = nil, group: Int64? = nil) {
    self.app = app
    self.slice = slice
    self.window = window
    self.kind = kind
    self.group = group
  }
}

/// The ways to break down the counts of groups: by day, by the rule that classes hangs, or by a dimension's members.
public enum GroupPart: Sendable, Equatable {
  case day
  case hangRule
  case member(of: Dimension)
}

/// A group of diagnostics with one cause.
public struct StoredGroup: Sendable, Hashable {
  /// The group's id in the store, which is not visible to users.
  public var id: Int64
  public var fingerprint: UInt64
  public var kind: DiagnosticKind
  /// The exception or kind, such as `EXC_BAD_ACCESS` or `Hang`.
  public var exception: String
  /// The location in the code: `CartViewController.checkout()`, or `Shop + 0x1f40` without symbols; empty without
  /// frames.
  public var place: String
  var binary: String
  public var isSymbolic: Bool

  public init(
    id: Int64, fingerprint: UInt64, kind: DiagnosticKind, exception: String, place: String, binary: String,
    isSymbolic: Bool
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.kind = kind
    self.exception = exception
    self.place = place
    self.binary = binary
    self.isSymbolic = isSymbolic
  }
}

/// The counts of a group in a window and slice.
public struct GroupCount: Sendable, Equatable {
  public var group: StoredGroup
  public var diagnostics: Int
  /// The number of different sessions of diagnostics with a session id.
  public var sessions: Int
  /// The number of diagnostics without a session id.
  public var withoutSession: Int
  /// The number of different users of diagnostics with a user id.
  public var users: Int
  public var firstDay: CalendarDay
  public var lastDay: CalendarDay

  public init(
    group: StoredGroup, diagnostics: Int, sessions: Int, withoutSession: Int, users: Int, firstDay: CalendarDay,
    lastDay: CalendarDay
  ) {
    self.group = group
    self.diagnostics = diagnostics
    self.sessions = sessions
    self.withoutSession = withoutSession
    self.users = users
    self.firstDay = firstDay
    self.lastDay = lastDay
  }
}

/// The numbers of affected sessions by group. A session may be in several groups, because an app may report two crashes
/// of one session.
public struct GroupSessions: Sendable, Equatable {
  /// The number of different sessions of all groups in the query.
  public var together: Int
  /// For each group, by fingerprint, the number of sessions that are in no other group.
  public var alone: [UInt64: Int]

  public init(together: Int, alone: [UInt64: Int]) {
    self.together = together
    self.alone = alone
  }
}

/// The first and last day on which a group occurred in a build.
public struct GroupLifetime: Sendable, Equatable {
  public var group: Int64
  var environment: String
  public var release: Release
  public var firstDay: CalendarDay
  public var lastDay: CalendarDay
  public var diagnostics: Int

  public init(
    group: Int64, environment: String, release: Release, firstDay: CalendarDay, lastDay: CalendarDay, diagnostics: Int
  ) {
    self.group = group
    self.environment = environment
    self.release = release
    self.firstDay = firstDay
    self.lastDay = lastDay
    self.diagnostics = diagnostics
  }
}

/// The number of a group's diagnostics on a day or of a member of a dimension.
public struct GroupPartCount: Sendable, Equatable {
  public var group: Int64
  /// The part of a breakdown: a day in ISO 8601, a dimension's member such as a release, or the number of a hang's rule,
  /// empty without one.
  public var part: String
  public var diagnostics: Int
  /// The number of different sessions of diagnostics with a session id; nil unless the query is for one group, because
  /// counting them for all groups is slow.
  public var sessions: Int?
  /// The number of different users of diagnostics with a user id; nil like `sessions`.
  public var users: Int?

  /// The number of diagnostics with a user id; nil like `sessions`.
  public var withUser: Int?

  public init(
    group: Int64, part: String, diagnostics: Int, sessions: Int? = nil, users: Int? = nil, withUser: Int? = nil
  ) {
    self.group = group
    self.part = part
    self.diagnostics = diagnostics
    self.sessions = sessions
    self.users = users
    self.withUser = withUser
  }
}

/// A binary that occurs in diagnostics of a build.
public struct StoredImage: Sendable, Equatable {
  public var release: Release
  /// The build UUID as 32 upper-case hexadecimal digits; empty when unknown.
  public var uuid: String
  public var name: String
  /// Whether the binary belongs to the app rather than to the system.
  public var isOwn: Bool
  /// The number of diagnostics in which the binary occurs.
  var diagnostics: Int

  public init(release: Release, uuid: String, name: String, isOwn: Bool, diagnostics: Int) {
    self.release = release
    self.uuid = uuid
    self.name = name
    self.isOwn = isOwn
    self.diagnostics = diagnostics
  }
}
