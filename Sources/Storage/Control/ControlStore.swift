public import Core

/// Stores what is configured (apps with their ingest keys, users, read tokens, silences) and the state of alerts.
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
  /// The user was changed by another process or person at the same moment.
  case userChanged(String)
  /// The change would leave no user who may manage the installation from its pages.
  case lastAdmin(String)
  /// There are as many as there may be. The sentence says of what, and what to do.
  case full(String)
  case invalid(String)

  /// The error in one sentence, with what to do next.
  public var description: String {
    switch self {
    case .noSuchApp(let app): "There is no app \(app). `plumb app list` shows those that exist."
    case .appExists(let app): "The app \(app) exists already. `plumb app rotate-key` gives it another key."
    case .noSuchUser(let name): "There is no user \(name). `plumb user list` shows those that exist."
    case .noSuchToken(let name): "There is no token \(name). `plumb token list` shows those that exist."
    case .tokenExists(let name): "A token called \(name) exists already. Choose another name."
    case .keyExists(let key): "The key \(key) is in use already."
    case .noSuchSilence(let id): "There is no silence \(id). `plumb silence list` shows those that exist."
    case .userChanged(let name): "The user \(name) was changed at the same moment. Try again."
    case .lastAdmin(let name):
      """
      \(name) is the last administrator of all apps. Make another one first (`plumb user role NAME admin`), or add \
      --force.
      """
    case .invalid(let message), .full(let message): message
    }
  }
}

/// What an app has written on a day.
public struct WrittenAmount: Sendable, Equatable {
  /// Weighted rows, by `RowWeight`.
  public var rows = 0
  /// Bytes of the journal and of the store.
  public var bytes = 0

  public init(rows: Int = 0, bytes: Int = 0) {
    self.rows = rows
    self.bytes = bytes
  }
}

/// Stores what each app wrote per day, across restarts.
public protocol RowLedger: Sendable {
  /// What was written on a day, by app.
  func written(on day: CalendarDay) throws -> [AppID: WrittenAmount]
  /// Stores what was written on a day and deletes earlier days.
  func remember(_ written: [AppID: WrittenAmount], on day: CalendarDay) throws
}
