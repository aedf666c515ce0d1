import Core
import Foundation

/// SHA-256 digests of files, which are read in portions.
enum FileChecksum {
  static func sha256(_ path: String) throws -> String {
    var digest = MessageDigest(.sha256)
    _ = try read(path) { bytes in bytes.withUnsafeBytes { digest.update($0) } }
    return Hex.encode(digest.finalize())
  }

  /// Copies a file with mode 0600 and syncs the copy to disk. Keeps the modification time.
  static func copy(_ source: String, to target: String) throws -> (size: Int, sha256: String) {
    var digest = MessageDigest(.sha256)
    let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw BackupError("\(target) cannot be written: \(String(cString: strerror(errno))).")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let size = try read(source) { bytes in
      bytes.withUnsafeBytes { digest.update($0) }
      try handle.write(contentsOf: bytes)
    }
    try setModified(try FileStatus(source).modified, of: descriptor)
    try handle.synchronize()
    return (size, Hex.encode(digest.finalize()))
  }

  static func setModified(_ seconds: Int, of descriptor: Int32) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    guard futimens(descriptor, [time, time]) == 0 else {
      throw BackupError("A file's modification time cannot be set: \(String(cString: strerror(errno))).")
    }
  }

  /// Passes at most the first `limit` bytes of a file to `body`. Returns their number.
  static func read(_ path: String, limit: Int = .max, _ body: (Data) throws -> Void) throws -> Int {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw BackupError("\(path) cannot be read: \(String(cString: strerror(errno))).") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var count = 0
    while count < limit, let bytes = try handle.read(upToCount: min(1 << 20, limit - count)), !bytes.isEmpty {
      try body(bytes)
      count += bytes.count
    }
    return count
  }
}
