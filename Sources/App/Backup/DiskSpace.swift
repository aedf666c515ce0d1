import Foundation

/// The free space of disks.
enum DiskSpace {
  /// The bytes that an ordinary user may still write on the disk of `path`, which need not exist yet.
  static func free(at path: String) throws -> Int {
    var status = statvfs()
    var url = URL(fileURLWithPath: path)
    while statvfs(url.path, &status) != 0 {
      guard errno == ENOENT, url.pathComponents.count > 1 else {
        throw BackupError("\(path): the free space cannot be read: \(String(cString: strerror(errno))).")
      }
      url.deleteLastPathComponent()
    }
    return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  /// Throws unless `bytes` and a reserve of 16 MiB fit on the disk of `path`.
  static func check(_ bytes: Int, for path: String) throws {
    let free = try free(at: path)
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

/// Sizes of files as people read them.
public enum ByteSize {
  /// Such as `1.5 GiB`.
  public static func text(_ bytes: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var (size, unit) = (Double(bytes), 0)
    while size >= 1024, unit < units.count - 1 { (size, unit) = (size / 1024, unit + 1) }
    return unit == 0 ? "\(bytes) B" : "\((size * 10).rounded() / 10) \(units[unit])"
  }
}
