public import Core

/// The store of the configuration (apps with their ingest keys, users, access tokens, silences) and of alert state.
/// Several processes share it: a server reads while a command changes it.
public protocol ControlStore: AppDirectory, UserDirectory, TokenDirectory, SilenceDirectory, IncidentStore,
  GroupDecisions, GroupNotes, AppStoreFigures, LabRuns, AuditLog
{
  /// A number that grows with every change of apps, keys, users and tokens by any process. Logins do not change it.
  func version() throws -> Int64
}

/// The store of apps and their ingest keys.
public protocol AppDirectory: Sendable {
  /// Every app with its keys, in the order in which they were added.
  func apps() throws -> [App]
  /// The app with this bundle identifier; nil when there is none.
  func app(bundleID: String) throws -> App?
  /// Adds an app with its first key. Throws `ControlError` if the app or the key exists or is malformed.
  func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App
  /// Replaces an app's settings.
  func changeSettings(of app: AppID, to settings: AppSettings) throws
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  func changeIcon(of app: AppID, to png: [UInt8]?) throws
  /// The bytes of an app's icon, a PNG; nil without one.
  func icon(of app: AppID) throws -> [UInt8]?
  /// Adds a key. Older keys expire `overlapDays` days after `now`, unless they expire earlier.
  func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App
  /// Removes the app and its keys. Its data stays until it expires; its id is not reused.
  func removeApp(_ app: AppID) throws
}

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
