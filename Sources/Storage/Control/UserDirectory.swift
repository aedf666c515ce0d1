public import Core

/// The store of users and their logins.
public protocol UserDirectory: Sendable {
  /// Every user, sorted by name.
  func users() throws -> [User]
  /// The user with this name; nil when there is none.
  func user(named name: String) throws -> User?
  /// The user with this id of the provider; nil when there is none.
  func user(identity: String) throws -> User?
  /// Adds or replaces a user. Replacing changes password, identity and roles, and ends all logins unless only roles
  /// change. Throws `ControlError.lastAdmin` if no administrator of all apps would remain.
  func saveUser(_ user: User, force: Bool) throws
  /// Saves a user like `saveUser(_:force:)` if the stored user is still `known`; nil means that there is none.
  /// Otherwise throws `ControlError.userChanged`.
  func saveUser(_ user: User, replacing known: User?, force: Bool) throws
  /// Removes a user with all logins. Throws `ControlError.lastAdmin` like `saveUser`.
  func removeUser(named name: String, force: Bool) throws
  /// Stores a login and deletes those that have expired by `now`.
  func openLogin(_ session: LoginSession, at now: Timestamp) throws
  /// The login with this hash of its cookie's id; nil when there is none or it has expired by `now`.
  func login(idHash: String, at now: Timestamp) throws -> LoginSession?
  /// The logins of a user, or of all users, that have not expired; newest first.
  func logins(of user: String?, at now: Timestamp) throws -> [LoginSession]
  /// Stores the time of a login's use, at most every five minutes.
  func markUsed(login: LoginSession, at now: Timestamp) throws
  /// Ends a login. Unknown ids are ignored.
  func closeLogin(idHash: String) throws
  /// Ends all logins of a user, or the one with this `id`, and returns their number.
  func endLogins(of user: String, id: String?) throws -> Int
}

extension UserDirectory {
  /// Saves a user, except if that would remove the last administrator.
  func saveUser(_ user: User) throws { try saveUser(user, force: false) }

  /// Removes a user who is not the last administrator.
  public func removeUser(named name: String) throws { try removeUser(named: name, force: false) }
}
