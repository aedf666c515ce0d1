public import Core

/// The person or program that makes a decision, for the audit log.
public struct Actor: Sendable, Hashable {
  /// The kind of actor. Raw values are stored.
  public enum Kind: String, Sendable, CaseIterable {
    /// A user of the dashboard.
    case user
    /// A program with a token.
    case token
    /// A user of this machine, with a command of `plumb`.
    case command
  }

  public let kind: Kind
  /// The name of the user, token or user of this machine.
  public let name: String

  public init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// A text that no other actor has.
  public var key: String { "\(kind.rawValue) \(name)" }
}

/// What was decided, for the audit log.
public struct AuditEvent: Sendable, Hashable {
  /// What was done: `group.resolve`, `key.rotate`, `user.role`.
  public var action: String
  /// The bundle identifier of the app; nil for a decision about all apps.
  public var app: String?
  /// What it was done to: the name of a user, token or group, the number of a silence.
  public var subject: String
  /// What changed, for people: `editor on com.example.shop`.
  public var detail: String

  public init(_ action: String, app: String? = nil, subject: String, detail: String = "") {
    self.action = action
    self.app = app
    self.subject = subject
    self.detail = detail
  }
}

/// An entry of the audit log.
public struct AuditEntry: Sendable, Hashable, Identifiable {
  /// Grows with every entry; a gap at the beginning means that old entries were dropped.
  public let id: Int64
  public let time: Timestamp
  public let actor: Actor
  public let event: AuditEvent

  public init(id: Int64, time: Timestamp, actor: Actor, event: AuditEvent) {
    self.id = id
    self.time = time
    self.actor = actor
    self.event = event
  }
}

/// Which entries of the audit log to read.
public struct AuditFilter: Sendable, Hashable {
  public var app: String?
  /// The actor's name, regardless of case.
  public var actor: String?
  /// An action, or its beginning: `user` finds `user.add` and `user.role`.
  public var action: String?
  public var since: Timestamp?
  /// Only entries before this one.
  public var before: Int64?
  /// The most entries, from 1 to 10,000.
  public var limit: Int

  public init(
    app: String? = nil, actor: String? = nil, action: String? = nil, since: Timestamp? = nil, before: Int64? = nil,
    limit: Int = 100
  ) {
    self.app = app
    self.actor = actor
    self.action = action
    self.since = since
    self.before = before
    self.limit = limit
  }
}

/// Stores who decided what, and when. Entries about groups and silences are bounded by number, shared among their actors;
/// all others are kept by time.
///
/// Every change of apps, keys, groups, silences, tokens, users and logins of others
/// writes its entry in its own transaction.
public protocol AuditLog: Sendable {
  /// The same store, whose changes are noted as made by `actor`. Until then it is the user that runs the process.
  func acting(as actor: Actor) -> any ControlStore
  /// Notes a decision that was not stored here.
  func record(_ event: AuditEvent) throws
  /// The entries that match, the newest first.
  func auditEntries(_ filter: AuditFilter) throws -> [AuditEntry]
}
