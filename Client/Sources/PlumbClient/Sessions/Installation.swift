import Foundation

/// Who the user of a session is, for the rate of crash-free users. The server stores a hash of it.
public enum InstallationID: Sendable, Equatable {
  /// A random number of this installation. It is in no backup, and gone when the app is deleted.
  case random
  /// Sessions belong to no user.
  case none
  /// What the app says, such as the hash of an account.
  case custom(String)

  /// The id to send; `file` keeps the random one.
  func id(file: URL) -> String? {
    switch self {
    case .none: return nil
    case .custom(let id): return id.isEmpty ? nil : id
    case .random:
      if let kept = try? String(contentsOf: file, encoding: .utf8), UUID(uuidString: kept) != nil { return kept }
      let new = UUID().uuidString
      // One that cannot be kept would make every launch a user of its own.
      return (try? Data(new.utf8).write(to: file, options: .atomic)) == nil ? nil : new
    }
  }
}
