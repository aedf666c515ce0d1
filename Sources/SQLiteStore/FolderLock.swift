import Foundation

/// An advisory lock on a file of the data folder. The kernel releases it when the process ends, however it ends.
public final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock; nil when another process holds it.
  public init?(path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
