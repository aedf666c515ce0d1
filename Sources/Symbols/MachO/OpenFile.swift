internal import Glibc

/// A file that is open for reading, closed when it is let go of.
public final class OpenFile: RandomAccessBytes, Sendable {
  /// Its descriptor.
  public let descriptor: Int32
  /// Its size in bytes when it was opened.
  public let count: Int

  /// Takes over a descriptor of a regular file; nil for any other, which is closed.
  public init?(descriptor: Int32) {
    var status = stat()
    guard descriptor >= 0 else { return nil }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    count = Int(status.st_size)
  }

  /// Opens a regular file; nil when there is none, or only a link to one where links are not followed.
  public convenience init?(path: String, followsLinks: Bool = true) {
    // Not blocking: a pipe in a folder would be waited for.
    self.init(descriptor: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)))
  }

  deinit { close(descriptor) }

  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { room, filled in
      filled = 0
      while filled < range.count {
        guard let start = room.baseAddress else { break }
        let read = pread(descriptor, start + filled, range.count - filled, range.lowerBound + filled)
        if read < 0, errno == EINTR { continue }
        if read <= 0 { break }
        filled += read
      }
      isWhole = filled == range.count
    }
    return isWhole ? bytes : nil
  }
}
