internal import Glibc

/// A file that is being written. It is deleted with the last reference unless it was renamed.
public final class TemporaryFile: @unchecked Sendable {
  // Safe as Sendable: one thread at a time uses `path` and `size`, because the file is passed on as a whole.

  private var path: String?
  private let descriptor: Int32
  /// The number of bytes written to the file so far.
  private(set) var size = 0

  /// Creates the file in a folder, readable by its owner only.
  init(in folder: String) throws(SymbolFolderError) {
    var name = Array("\(folder)/XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw SymbolFolderError("cannot write to", folder)
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let path { unlink(path) }
    close(descriptor)
  }

  /// Appends bytes to the file.
  func append(_ bytes: UnsafeRawBufferPointer) throws(SymbolFolderError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = write(descriptor, rest.baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw SymbolFolderError("cannot write", path ?? "a file") }
      size += written
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  /// The file with everything written so far, opened for reading.
  public func reopened() throws(SymbolFolderError) -> OpenFile {
    guard let path, let file = OpenFile(path: path) else { throw SymbolFolderError("cannot read", path ?? "a file") }
    return file
  }

  /// Syncs the file to disk and renames it atomically.
  func rename(to name: String) throws(SymbolFolderError) {
    guard let path, fdatasync(descriptor) == 0, Glibc.rename(path, name) == 0 else {
      throw SymbolFolderError("cannot write", name)
    }
    self.path = nil
  }
}
