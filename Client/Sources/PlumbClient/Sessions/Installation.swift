import Foundation

/// The id of a session's user, for the rate of crash-free users. The server stores a hash of it.
public enum InstallationID: Sendable, Equatable {
  /// A random id of this installation. It is excluded from backups and deleted with the app.
  case random
  /// No user. Sessions count without one.
  case none
  /// An id that the app provides, such as the hash of an account.
  case custom(String)

  /// The id to send. `file` stores the random id.
  func id(file: URL) -> String? {
    switch self {
    case .none: return nil
    case .custom(let id): return id.isEmpty ? nil : id
    case .random:
      if let kept = try? String(contentsOf: file, encoding: .utf8), UUID(uuidString: kept) != nil { return kept }
      return Self.renewed(file: file)
    }
  }

  /// A new random id, which replaces the one in `file`.
  static func renewed(file: URL) -> String? {
    let new = UUID().uuidString
    if (try? Data(new.utf8).write(to: file, options: .atomic)) != nil { return new }
    // If the id cannot be stored, every launch would count as a new user. The previous id must not return.
    try? FileManager.default.removeItem(at: file)
    return nil
  }
}
