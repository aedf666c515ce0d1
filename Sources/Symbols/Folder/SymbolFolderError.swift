internal import Glibc

/// The disk would not do what was asked of it.
public struct SymbolFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What failed, where, and the system's word for why.
  public let description: String

  /// After a call of the system that failed.
  init(_ what: String, _ path: String) {
    description = "\(what) \(path): \(String(cString: strerror(errno)))"
  }
}
