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
