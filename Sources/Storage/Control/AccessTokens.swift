public import Core

/// A token with which a program uses the API. Its text is shown once and stored only as a hash.
public struct AccessToken: Sendable, Hashable, Identifiable {
  /// The id, the argument of `markUsed`.
  public let id: Int32
  /// The name chosen by the team, such as `grafana`.
  public let name: String
  /// The hash of the token's text, computed by `Access`.
  public let hash: String
  /// The rights of the token. Upload tokens are stored on build machines and may leak into logs, so they have no other
  /// right by default.
  public let rights: AccessRights
  /// The only apps for which the token is valid; nil for all, including those added later.
  public let apps: Set<AppID>?
  /// The time at which the token was created.
  public var created: Timestamp
  /// The time from which the token is refused; nil if it does not expire.
  public var expires: Timestamp?
  /// The time of the last use, to the minute; nil when it was never used.
  public var lastUsed: Timestamp?

  /// Creates a token from its stored values.
  public init(
    id: Int32, name: String, hash: String, rights: AccessRights = .read, apps: Set<AppID>? = nil, created: Timestamp,
    expires: Timestamp? = nil, lastUsed: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.hash = hash
    self.rights = rights
    self.apps = apps
    self.created = created
    self.expires = expires
    self.lastUsed = lastUsed
  }

  /// Whether the token is valid at `now`.
  public func isValid(at now: Timestamp) -> Bool { expires.map { now < $0 } ?? true }
}

/// The store of access tokens.
public protocol TokenDirectory: Sendable {
  /// Every token, in the order in which they were added.
  func tokens() throws -> [AccessToken]
  /// Adds a token and returns it with its id; the given `id` is ignored. Throws `ControlError.tokenExists` if the name
  /// is taken.
  func addToken(_ token: AccessToken) throws -> AccessToken
  func removeToken(named name: String) throws
  /// Stores the time of a token's use. It writes at most once a minute per token, so it may be called for every
  /// request.
  func markUsed(token: Int32, at now: Timestamp) throws
}

extension TokenDirectory {
  /// Adds a token that reads everything.
  func addToken(name: String, hash: String, at now: Timestamp) throws -> AccessToken {
    try addToken(AccessToken(id: 0, name: name, hash: hash, created: now))
  }
}
