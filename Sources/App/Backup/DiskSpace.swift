import Foundation
import Wording

/// Whether what is written fits on a disk.
enum DiskSpace {
  /// Throws unless `bytes` and a reserve of 16 MiB fit on the disk of `path`, which need not exist yet.
  static func check(_ bytes: Int, for path: String) throws {
    var folder = URL(fileURLWithPath: path)
    while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
    }
    let free = try FreeSpace.of(folder.path).free
    guard free >= bytes + reserve else {
      throw BackupError(
        "\(path) needs \(ByteSize.text(bytes + reserve)), and its disk has \(ByteSize.text(free)) left. Make room, or name another disk."
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
