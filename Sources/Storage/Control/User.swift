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
