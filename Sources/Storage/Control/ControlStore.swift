public import Core

/// The store of the configuration (apps with their ingest keys, users, access tokens, silences) and of alert state.
/// Several processes share it: a server reads while a command changes it.
public protocol ControlStore: AppDirectory, UserDirectory, TokenDirectory, SilenceDirectory, IncidentStore,
  GroupDecisions, GroupNotes, AppStoreFigures, AuditLog
{
  /// A number that grows with every change of apps, keys, users and tokens by any process. Logins do not change it.
  func version() throws -> Int64
}

/// The error for a change that the stored data does not permit.
public enum ControlError: Error, Equatable, CustomStringConvertible {
  case noSuchApp(String)
  case appExists(String)
  case noSuchUser(String)
  case noSuchToken(String)
  case tokenExists(String)
  case keyExists(String)
  case noSuchSilence(Int64)
  /// Another process or person changed the user at the same time.
  case userChanged(String)
  /// The change would leave no user who can manage the installation from its pages.
  case lastAdmin(String)
  /// The maximum number is reached. The sentence names what there is too much of, and what to do.
  case full(String)
  case invalid(String)

  /// The error in one or two sentences, with the next step.
  public var description: String {
    switch self {
    case .noSuchApp(let app): "There is no app \(app). List the apps with `plumb app list`."
    case .appExists(let app): "The app \(app) already exists. Give it a new key with `plumb app rotate-key`."
    case .noSuchUser(let name): "There is no user \(name). List the users with `plumb user list`."
    case .noSuchToken(let name): "There is no token \(name). List the tokens with `plumb token list`."
    case .tokenExists(let name): "A token named \(name) already exists. Choose another name."
    case .keyExists(let key): "The key \(key) is already in use."
    case .noSuchSilence(let id): "There is no silence \(id). List the silences with `plumb silence list`."
    case .userChanged(let name): "The user \(name) was changed at the same time. Try again."
    case .lastAdmin(let name):
      """
      \(name) is the last administrator of all apps. Make another one first (`plumb user role NAME admin`), or add \
      --force.
      """
    case .invalid(let message), .full(let message): message
    }
  }
}

/// The amount of data that an app wrote on one day.
public struct WrittenAmount: Sendable, Equatable {
  /// Rows weighted by `RowWeight`.
  public var rows = 0
  /// Bytes in the journal and the store.
  public var bytes = 0

  public init(rows: Int = 0, bytes: Int = 0) {
    self.rows = rows
    self.bytes = bytes
  }
}

/// The store of the amounts that each app wrote per day, which survives restarts.
public protocol RowLedger: Sendable {
  /// The amounts written on a day, by app.
  func written(on day: CalendarDay) throws -> [AppID: WrittenAmount]
  /// Stores the amounts written on a day and deletes those of earlier days.
  func remember(_ written: [AppID: WrittenAmount], on day: CalendarDay) throws
}
