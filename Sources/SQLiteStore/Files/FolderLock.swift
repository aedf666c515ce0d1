internal import Foundation

/// An advisory lock on a file in the data folder. The kernel releases it when the process ends.
public final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Acquires the lock; nil if another process holds it. Several processes can hold a shared lock at a time.
  public init?(path: String, isShared: Bool = false) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
    // A file created by a command of root must remain accessible to the server's user.
    var owner = stat()
    if geteuid() == 0, stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &owner) == 0 {
      _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }
    guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit {
    // Not by closing alone: a child that was forked a moment ago has a copy of the descriptor until it executes its
    // program, and the lock would last as long.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
