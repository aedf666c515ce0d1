import Foundation
import Testing
import TestSupport

/// A file system of its own for a test, in memory.
final class SmallDisk {
  let path: String

  /// Nil where mounting is not permitted.
  init?(_ path: String, megabytes: Int) {
    self.path = path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard Program.succeeds("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", path]) else {
      return nil
    }
  }

  /// Fills the disk with a file until so much is free.
  func leave(megabytes: Int) throws {
    let ballast = path + "/ballast"
    try? FileManager.default.removeItem(atPath: ballast)
    var answer = statvfs()
    try #require(statvfs(path, &answer) == 0)
    let free = Int(answer.f_bavail * answer.f_frsize) >> 20
    #expect(Program.succeeds("fallocate", ["-l", "\(max(1, free - megabytes))M", ballast]))
  }

  /// Writes until not one block is left.
  func fill() throws {
    try leave(megabytes: 1)
    let file = open(path + "/rest", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4096)
    while write(file, block, block.count) > 0 {}
  }

  /// Deletes what fills the disk.
  func clear() throws {
    for name in ["ballast", "rest"] where FileManager.default.fileExists(atPath: path + "/" + name) {
      try FileManager.default.removeItem(atPath: path + "/" + name)
    }
  }

  deinit { _ = Program.succeeds("umount", ["-l", path]) }

  static let isPermitted = (try? withFolder { SmallDisk($0 + "/disk", megabytes: 1) != nil }) == true
}
