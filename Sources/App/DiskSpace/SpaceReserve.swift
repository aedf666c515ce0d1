import Foundation
import SQLiteStore

/// A file that reserves disk space for logins and deletions on a full disk. SQLite cannot change or delete a row
/// without writing to its log first.
struct SpaceReserve: Sendable {
  private let path: String

  init(_ folder: DataFolder) { path = folder.reserve }

  /// The bytes to reserve on a disk with this floor.
  static func bytes(floor: Int) -> Int { min(32 << 20, floor / 8) }

  /// Removes the file if less than a quarter of its size is free. Returns its size; nil if it was not removed.
  func releaseIfFull(_ status: SpaceStatus) throws -> Int? {
    let bytes = size()
    guard bytes > 0, status.space.free < bytes / 4 else { return nil }
    guard unlink(path) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be removed")
    }
    return bytes
  }

  /// Writes the file if it is missing or too small, and the disk has enough space.
  func fillIfRoomy(_ status: SpaceStatus) throws {
    let bytes = Self.bytes(floor: status.floor)
    guard status.level <= .low, bytes > size() else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    defer { close(descriptor) }
    switch posix_fallocate(descriptor, 0, bytes) {
    case 0: return
    // Another process took the space: this file must not fill the disk.
    case ENOSPC: unlink(path)
    case let error: throw failure("cannot be written", error)
    }
  }

  private func size() -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  private func failure(_ what: String, _ error: Int32 = errno) -> UserFacingError {
    UserFacingError("\(path) \(what): \(String(cString: strerror(error))).")
  }
}
