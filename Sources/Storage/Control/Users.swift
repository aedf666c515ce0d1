public import Telemetry

/// A person who may sign in to the dashboard.
public struct User: Sendable, Hashable {
  /// The name, unique regardless of case.
  public let name: String
  /// The hash of the password, computed by `Access`, including its parameters.
  public var passwordHash: String
  /// The time at which the user was added.
  public var created: Timestamp

  /// Creates a user from its stored values.
  public init(name: String, passwordHash: String, created: Timestamp) {
    self.name = name
    self.passwordHash = passwordHash
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
public struct LoginSession: Sendable, Hashable {
  /// The hash of the cookie's id, computed by `Access`.
  public let idHash: String
  /// The name of the user who is logged in.
  public let user: String
  /// The time from which the cookie is refused.
  public var expires: Timestamp

  /// Creates a login from its stored values.
  public init(idHash: String, user: String, expires: Timestamp) {
    self.idHash = idHash
    self.user = user
    self.expires = expires
  }
}

/// Stores users and their logins.
public protocol UserDirectory: Sendable {
  /// Every user, sorted by name.
  func users() throws -> [User]
  /// The user with this name; nil when there is none.
  func user(named name: String) throws -> User?
  /// Adds a user, or changes an existing user's password, which ends all logins of that user.
  func saveUser(_ user: User) throws
  /// Removes a user with all logins.
  func removeUser(named name: String) throws
  /// Stores a login and deletes those that have expired by `now`.
  func openLogin(_ session: LoginSession, at now: Timestamp) throws
  /// The login with this hash of its cookie's id; nil when there is none or it has expired by `now`.
  func login(idHash: String, at now: Timestamp) throws -> LoginSession?
  /// Ends a login. Unknown ids are ignored.
  func closeLogin(idHash: String) throws
}
