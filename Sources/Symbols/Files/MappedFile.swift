internal import Glibc

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
