public import Core

/// A login of a browser. The id in its cookie is stored only as a hash.
public struct LoginSession: Sendable, Hashable, Identifiable {
  /// The hash of the cookie's id, computed by `Access`.
  public let idHash: String
  /// The name of the user who is logged in.
  public let user: String
  /// The time from which the cookie is refused.
  public var expires: Timestamp
  /// The time of the login; nil if an older version created it.
  public var created: Timestamp?
  /// The time of the last request, to five minutes; nil if there was none.
  public var lastUsed: Timestamp?
  /// The browser's user agent, cleaned and cut to 120 bytes.
  public var client: String

  /// Creates a login from its stored values.
  public init(
    idHash: String, user: String, expires: Timestamp, created: Timestamp? = nil, lastUsed: Timestamp? = nil,
    client: String = ""
  ) {
    self.idHash = idHash
    self.user = user
    self.expires = expires
    self.created = created
    self.lastUsed = lastUsed
    self.client = client
  }

  /// The id with which a login can be ended: the beginning of the hash. The cookie cannot be computed from it.
  public var id: String { String(idHash.prefix(12)) }
}
