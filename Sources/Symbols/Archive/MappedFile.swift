internal import Glibc

/// The bytes of an open file in memory that the system reads in when they are touched. The file must not shrink meanwhile:
/// on a server it is one of our own that nobody else has a name for.
final class MappedFile {
  let bytes: UnsafeRawBufferPointer

  /// Nil when the file is empty or cannot be mapped.
  init?(_ file: OpenFile) {
    guard file.count > 0, let start = mmap(nil, file.count, PROT_READ, MAP_PRIVATE, file.descriptor, 0),
      start != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: start, count: file.count)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
