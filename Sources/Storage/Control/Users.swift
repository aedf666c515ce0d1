public import Telemetry

/// A person who may sign in and read.
public struct User: Sendable, Hashable {
  /// Unique in any case of letters.
  public let name: String
  /// What `Access` made of the password. It holds its own parameters.
  public var passwordHash: String
  /// When the user was added.
  public var created: Timestamp

  /// A user as it is stored.
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

/// A browser that is logged in. The cookie's id is stored hashed only.
public struct LoginSession: Sendable, Hashable {
  /// What `Access` made of the cookie's id.
  public let idHash: String
  /// Whose login it is.
  public let user: String
  /// From this moment the cookie is refused.
  public var expires: Timestamp

  /// A login as it is stored.
  public init(idHash: String, user: String, expires: Timestamp) {
    self.idHash = idHash
    self.user = user
    self.expires = expires
  }
}

/// The users of a data folder and their logins.
public protocol UserDirectory: Sendable {
  /// Every user by name.
  func users() throws -> [User]
  /// The user called `name`; nil when there is none.
  func user(named name: String) throws -> User?
  /// Adds a user, or gives one another password; another password ends the user's login sessions.
  func saveUser(_ user: User) throws
  /// Removes a user and every login session of theirs.
  func removeUser(named name: String) throws
  /// Records a login and forgets those that have expired by `now`.
  func openLogin(_ session: LoginSession, at now: Timestamp) throws
  /// The login whose cookie hashes to `idHash`; nil when there is none or it has expired by `now`.
  func login(idHash: String, at now: Timestamp) throws -> LoginSession?
  /// Ends a login. An unknown one is no error.
  func closeLogin(idHash: String) throws
}
