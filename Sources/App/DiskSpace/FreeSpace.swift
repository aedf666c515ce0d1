import Analysis
import Core
import Foundation

/// The free and total space of a data folder's disk, in bytes.
struct FreeSpace: Sendable, Equatable {
  /// The bytes that the server's user can still write.
  var free: Int
  /// The size of the file system.
  var total: Int

  /// Reads the space of a folder's file system. Throws if it cannot be read.
  static func of(_ path: String) throws -> FreeSpace {
    var answer = statvfs()
    guard statvfs(path, &answer) == 0 else {
      throw UserFacingError("The free space of \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    func bytes(_ blocks: UInt) -> Int {
      Int(clamping: blocks.multipliedReportingOverflow(by: answer.f_frsize).partialValue)
    }
    return FreeSpace(free: bytes(answer.f_bavail), total: bytes(answer.f_blocks))
  }
}

/// Checks whether data fits on a disk.
enum DiskSpace {
  /// Throws unless `bytes` and a reserve of 16 MiB fit on the disk of `path`. The path need not exist.
  static func check(_ bytes: Int, for path: String) throws {
    var folder = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
    }
    let free = try FreeSpace.of(folder.path).free
    let needed = bytes.saturatingAdd(reserve)
    guard free >= needed else {
      throw BackupError(
        "\(path) needs \(ByteSize.text(needed)), but its disk has \(ByteSize.text(free)) left. Use another disk."
      )
    }
  }

  private static let reserve = 16 << 20

  /// Whether an error means that a disk is full.
  static func isExhausted(_ error: any Error) -> Bool {
    let text = "\(error)"
    return text.contains("No space left") || text.contains("disk is full")
  }
}
