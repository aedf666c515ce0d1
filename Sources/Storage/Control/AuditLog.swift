public import Core

/// The person or program that makes a decision, for the audit log.
public struct Actor: Sendable, Hashable {
  /// The kind of actor. Raw values are stored.
  public enum Kind: String, Sendable, CaseIterable {
    /// A user of the dashboard.
    case user
    /// A program with a token.
    case token
    /// A user of this machine who ran a `plumb` command.
    case command
  }

  public let kind: Kind
  /// The name of the user, of the token, or of the user of this machine.
  public let name: String

  public init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// A text that identifies the actor.
  public var key: String { "\(kind.rawValue) \(name)" }
}

/// A decision for the audit log.
public struct AuditEvent: Sendable, Hashable {
  /// The action: `group.resolve`, `key.rotate`, `user.role`.
  public var action: String
  /// The bundle identifier of the app; nil for a decision about all apps.
  public var app: String?
  /// The object of the action: the name of a user, token or group, or the number of a silence.
  public var subject: String
  /// The change as readable text: `editor on com.example.shop`.
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
  /// A number that grows with every entry. A gap at the beginning means that old entries were deleted.
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

/// A filter for entries of the audit log.
public struct AuditFilter: Sendable, Hashable {
  public var app: String?
  /// The actor's name, compared without case.
  public var actor: String?
  /// An action or its prefix: `user` matches `user.add` and `user.role`.
  public var action: String?
  public var since: Timestamp?
  /// Only entries before this id.
  public var before: Int64?
  /// The maximum number of entries, from 1 to 10,000.
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

/// The store of decisions with their actors and times. Entries about groups and silences are limited by number, shared
/// among their actors; all others are kept for a period.
///
/// Every change of apps, keys, groups, silences, tokens and users, and of other users' logins, adds its entry in the
/// same transaction.
public protocol AuditLog: Sendable {
  /// The same store with changes attributed to `actor`. By default they are attributed to the user who runs the
  /// process.
  func acting(as actor: Actor) -> any ControlStore
  /// Records a decision that is stored elsewhere.
  func record(_ event: AuditEvent) throws
  /// The matching entries, newest first.
  func auditEntries(_ filter: AuditFilter) throws -> [AuditEntry]
}
