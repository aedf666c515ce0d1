public import Telemetry

/// A token with which a program may read, or upload symbols. Its text is shown once and stored hashed.
public struct ReadToken: Sendable, Hashable, Identifiable {
  /// The number that `markUsed` takes.
  public let id: Int32
  /// What people call it: `grafana`.
  public let name: String
  /// What `Access` made of the text.
  public let hash: String
  /// What it is good for.
  public let right: TokenRight
  /// When it was made.
  public var created: Timestamp
  /// To the minute; nil when it was never used.
  public var lastUsed: Timestamp?

  /// A token as it is stored.
  public init(
    id: Int32, name: String, hash: String, right: TokenRight = .read, created: Timestamp, lastUsed: Timestamp? = nil
  ) {
    self.id = id
    self.name = name
    self.hash = hash
    self.right = right
    self.created = created
    self.lastUsed = lastUsed
  }
}

/// The one right of a token. No token has both: tokens for uploads are stored on build machines, and may get into logs.
public enum TokenRight: Sendable, Hashable {
  /// Pages and the API.
  case read
  /// Symbols of code, and nothing else.
  case upload
}

/// The tokens of a data folder.
public protocol TokenDirectory: Sendable {
  /// Every token, in the order in which they were added.
  func tokens() throws -> [ReadToken]
  /// Adds a token. Throws `ControlError.tokenExists` when the name is taken.
  func addToken(name: String, hash: String, right: TokenRight, at now: Timestamp) throws -> ReadToken
  func removeToken(named name: String) throws
  /// Remembers when a token was used. Writes at most once a minute a token, so that it may be called on every request.
  func markUsed(token: Int32, at now: Timestamp) throws
}

extension TokenDirectory {
  /// Adds a token that reads.
  public func addToken(name: String, hash: String, at now: Timestamp) throws -> ReadToken {
    try addToken(name: name, hash: hash, right: .read, at: now)
  }
}
