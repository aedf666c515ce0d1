import Glibc
import Synchronization

/// A large request body in an unnamed temporary file. The file is deleted when this object is freed.
final class SpooledBody: Sendable {
  /// A file descriptor for reading and writing, which this object closes.
  let descriptor: Int32
  private let size = Atomic<Int>(0)
  private let atEnd: @Sendable () -> Void

  /// Creates the file; nil if it cannot be created in `folder`. `atEnd` is called when the object is freed or if it
  /// fails to initialize.
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

  /// The number of bytes received so far.
  var count: Int { size.load(ordering: .relaxed) }

  /// Appends a piece. Returns false if it cannot be written, for example because the disk is full.
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
