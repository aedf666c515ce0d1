public import Core

/// A person who can sign in to the dashboard.
public struct User: Sendable, Hashable {
  /// The name, unique without regard to case.
  public let name: String
  /// The hash of the password with its parameters, computed by `Access`; nil for a user who signs in with the
  /// organisation's identity provider or proxy.
  public var passwordHash: String?
  /// The hashed id of the user at the provider; nil until the first sign-in with it.
  public var identity: String?
  /// The user's roles.
  public var roles: RoleGrants
  /// Whether every sign-in with the provider sets the roles according to the settings. False once they were set by
  /// hand.
  public var hasRolesOfProvider: Bool
  /// The time at which the user was added.
  public var created: Timestamp

  /// Creates a user from its stored values.
  public init(
    name: String, passwordHash: String?, identity: String? = nil, roles: RoleGrants = RoleGrants(),
    hasRolesOfProvider: Bool = false, created: Timestamp
  ) {
    self.name = name
    self.passwordHash = passwordHash
    self.identity = identity
    self.roles = roles
    self.hasRolesOfProvider = hasRolesOfProvider
    self.created = created
  }

  /// Whether `text` can be a user's name: 1 to 64 letters, digits and `.`, `_`, `-`, `@`, `+`.
  public static func isName(_ text: String) -> Bool {
    let others = ".-_@+".utf8
    return (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        others.contains(byte) || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
      }
  }
}

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
