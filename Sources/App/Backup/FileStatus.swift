import Core
import Foundation
import SQLiteStore

/// The size and modification time of a file.
struct FileStatus: Equatable {
  let size: Int
  /// The modification time in seconds since 1970.
  let modified: Int

  init(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BackupError("\(path) was removed, or is not a regular file.")
    }
    (size, modified) = (Int(status.st_size), Int(status.st_mtim.tv_sec))
  }
}
