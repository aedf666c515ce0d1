public import Telemetry

/// A token with which a program may read data or upload symbols. Its text is shown once and stored as a hash.
public struct AccessToken: Sendable, Hashable, Identifiable {
  /// The id, which `markUsed` takes.
  public let id: Int32
  /// The name that the team chose for the token, such as `grafana`.
  public let name: String
  /// The hash of the token's text, computed by `Access`.
  public let hash: String
  /// The right that the token grants: reading, or uploading symbols.
  public let right: TokenRight
  /// The time at which the token was created.
  public var created: Timestamp
  /// The time of the last use, to the minute; nil when it was never used.
  public var lastUsed: Timestamp?

  /// Creates a token from its stored values.
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

/// The right of a token. No token has the right to both read and upload, because upload tokens are stored on build
/// machines and may leak into logs.
public enum TokenRight: Sendable, Hashable {
  /// The right to read pages and the API.
  case read
  /// The right to upload symbols, and nothing else.
  case upload
  /// The right to delete data, and nothing else.
  case delete
}

/// Stores tokens.
public protocol TokenDirectory: Sendable {
  /// Every token, in the order in which they were added.
  func tokens() throws -> [AccessToken]
  /// Adds a token. Throws `ControlError.tokenExists` if the name is taken.
  func addToken(name: String, hash: String, right: TokenRight, at now: Timestamp) throws -> AccessToken
  func removeToken(named name: String) throws
  /// Stores the time of a token's use. It writes at most once a minute per token, so that it may be called for every
  /// request.
  func markUsed(token: Int32, at now: Timestamp) throws
}

extension TokenDirectory {
  /// Adds a token with the right to read.
  public func addToken(name: String, hash: String, at now: Timestamp) throws -> AccessToken {
    try addToken(name: name, hash: hash, right: .read, at: now)
  }
}
