/// A database file that can be rewritten, so that it keeps no bytes of deleted rows.
public protocol RewritableFile: Sendable {
  /// Rewrites the file. `room`: the free bytes of the disk.
  func rewrite(room: Int) throws -> FileRewrite
  /// Empties the log of a rewritten file. Returns false while a reader uses an older state.
  func emptyLog() throws -> Bool
}

/// The result of rewriting a file.
public enum FileRewrite: Sendable, Equatable {
  case done
  /// The file was not rewritten: the disk has fewer than these bytes.
  case needs(bytes: Int)
  /// The file is rewritten, but its log keeps the old pages until the current readers are done.
  case isRead
}
