public import Telemetry

/// Diagnostics put together by their cause.
public protocol GroupStore: Sendable {
  /// Every group with diagnostics in a window and slice.
  func groups(_ query: GroupQuery) throws -> [GroupCount]

  /// The group called `fingerprint`, or the one it became part of; nil when there is none.
  func group(of app: AppID, fingerprint: UInt64) throws -> StoredGroup?

  /// The sessions that diagnostics of a window and slice name: of some groups (fingerprints) together, and those of each
  /// that no other group has.
  func sessions(_ query: GroupQuery, of groups: [UInt64]) throws -> GroupSessions

  /// The builds in which groups were ever seen: of one group, or of all of the app's.
  func lives(of app: AppID, group: Int64?) throws -> [GroupLife]

  /// How many diagnostics of a window and slice each day or member of a dimension has, by group.
  func counts(_ query: GroupQuery, by part: GroupPart) throws -> [GroupPartCount]

  /// Diagnostics of a group whose samples may be kept: the newest, and the newest of its most frequent stacks.
  func samples(of app: AppID, group: Int64, newest: Int, typical: Int) throws -> [StoredDiagnostic]

  /// The groups that became part of others, with what they became part of: fingerprints.
  func successors(of app: AppID) throws -> [UInt64: UInt64]

  /// Which binaries the diagnostics of each build name.
  func images(of app: AppID) throws -> [StoredImage]
}

/// Which diagnostics are counted.
public struct GroupQuery: Sendable {
  public var app: AppID
  /// The label does not apply.
  public var slice: Slice
  public var window: Window
  public var kind: DiagnosticKind?
  /// Only this group.
  public var group: Int64?

  public init(app: AppID, slice: Slice, window: Window, kind: DiagnosticKind? = nil, group: Int64? = nil) {
    self.app = app
    self.slice = slice
    self.window = window
    self.kind = kind
    self.group = group
  }
}

/// What counts of groups can be broken down by.
public enum GroupPart: Sendable, Equatable {
  case day
  case member(of: Dimension)
}

/// A group of diagnostics with one cause.
public struct StoredGroup: Sendable, Hashable {
  /// Its number in the store, which means nothing outside.
  public var id: Int64
  public var fingerprint: UInt64
  public var kind: DiagnosticKind
  /// `EXC_BAD_ACCESS`, `Hang`
  public var exception: String
  /// `CartViewController.checkout()`, or `Shop + 0x1f40` without symbols; empty without frames.
  public var place: String
  public var binary: String
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

/// What a window and slice hold of a group.
public struct GroupCount: Sendable, Equatable {
  public var group: StoredGroup
  public var diagnostics: Int
  /// Different sessions, of the diagnostics that name theirs.
  public var sessions: Int
  /// Diagnostics that name no session.
  public var withoutSession: Int
  /// Different users, of the diagnostics that name theirs.
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

/// Sessions of groups. One may be in several: an app may report two crashes of one session.
public struct GroupSessions: Sendable, Equatable {
  /// Different sessions of all groups of the query.
  public var together: Int
  /// Of every group, the sessions that are in no other one, by fingerprint.
  public var alone: [UInt64: Int]

  public init(together: Int, alone: [UInt64: Int]) {
    self.together = together
    self.alone = alone
  }
}

/// A group in a build, from the first diagnostic on.
public struct GroupLife: Sendable, Equatable {
  public var group: Int64
  public var environment: String
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

/// A group's diagnostics on a day, or of a member of a dimension.
public struct GroupPartCount: Sendable, Equatable {
  public var group: Int64
  /// An ISO day, or the member's name.
  public var part: String
  public var diagnostics: Int

  public init(group: Int64, part: String, diagnostics: Int) {
    self.group = group
    self.part = part
    self.diagnostics = diagnostics
  }
}

/// A binary that diagnostics of a build name.
public struct StoredImage: Sendable, Equatable {
  public var release: Release
  /// 32 upper-case hexadecimal digits, or empty.
  public var uuid: String
  public var name: String
  /// It came with the app, not with the system.
  public var isOwn: Bool
  /// Diagnostics that name it.
  public var diagnostics: Int

  public init(release: Release, uuid: String, name: String, isOwn: Bool, diagnostics: Int) {
    self.release = release
    self.uuid = uuid
    self.name = name
    self.isOwn = isOwn
    self.diagnostics = diagnostics
  }
}

/// How many whole diagnostics are kept of a group, and of all together. The rest stays counted.
public struct SampleLimits: Sendable, Equatable {
  /// The newest of the group.
  public var newest: Int
  /// The newest of the stack that most of the group have.
  public var typical: Int
  /// All of them together, in bytes on disk.
  public var bytes: Int

  public init(newest: Int = 10, typical: Int = 5, bytes: Int = 1 << 30) {
    self.newest = max(1, newest)
    self.typical = max(0, typical)
    self.bytes = max(1 << 20, bytes)
  }

  /// The most of one stack.
  public var all: Int { newest + typical }
}
