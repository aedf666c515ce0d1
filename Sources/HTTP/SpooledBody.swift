internal import Glibc
internal import Synchronization

/// A body in a file without a name, for bodies that no memory shall hold. The file is gone when this is let go of.
public final class SpooledBody: Sendable {
  /// Open for reading and writing; it stays this value's.
  public let descriptor: Int32
  private let size = Atomic<Int>(0)
  private let atEnd: @Sendable () -> Void

  /// Nil when no file can be made in `folder`; `atEnd` is called then, too.
  init?(folder: String, atEnd: @escaping @Sendable () -> Void) {
    var name = Array("\(folder)/body-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      atEnd()
      return nil
    }
    unlink(name)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
    self.atEnd = atEnd
  }

  deinit {
    close(descriptor)
    atEnd()
  }

  /// Bytes that have come.
  public var count: Int { size.load(ordering: .relaxed) }

  /// False when the disk is full or broken.
  func append(_ piece: UnsafeRawBufferPointer) -> Bool {
    var rest = piece
    while !rest.isEmpty {
      let written = write(descriptor, rest.baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      size.add(written, ordering: .relaxed)
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
    return true
  }
}
