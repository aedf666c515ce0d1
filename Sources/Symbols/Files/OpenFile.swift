internal import Glibc

/// A file opened for reading, which is closed with the last reference.
public final class OpenFile: RandomAccessBytes, Sendable {
  /// The file descriptor.
  let descriptor: Int32
  /// The size in bytes at the time of opening.
  public let count: Int

  /// Takes ownership of a regular file's descriptor. Any other descriptor is closed, and the result is nil.
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

  /// Opens a regular file; nil if there is none, or if it is a link and `followsLinks` is false.
  public convenience init?(path: String, followsLinks: Bool = true) {
    // Non-blocking, because opening a pipe would wait for a writer.
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

/// An open file mapped into memory. The file must not shrink while it is mapped; on a server it is a temporary file
/// that no other process opens.
public final class MappedFile {
  /// The bytes of the file, valid while this object exists.
  public let bytes: UnsafeRawBufferPointer

  /// Maps a file; nil if it is empty or cannot be mapped.
  public init?(_ file: OpenFile) {
    guard file.count > 0, let start = mmap(nil, file.count, PROT_READ, MAP_PRIVATE, file.descriptor, 0),
      start != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: start, count: file.count)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
