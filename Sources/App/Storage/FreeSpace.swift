import Analysis
import Core
import Foundation
import SQLiteStore

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

/// The free space below which a server writes less: the setting `free-space`.
struct SpaceFloor: Sendable, Equatable {
  private let bytes: Int?
  private let share: Double?

  /// The smaller of 1 GiB and 5 % of the file system.
  static let standard = SpaceFloor(bytes: 1 << 30, share: 0.05)

  /// A fixed number of bytes, a share of the file system, or the smaller of both.
  init(bytes: Int?, share: Double?) {
    self.bytes = bytes
    self.share = share
  }

  /// The floor on a file system of this size, in bytes.
  func bytes(of total: Int) -> Int {
    let part = share.map { Int(Double(total) * $0) } ?? .max
    return min(bytes ?? .max, part)
  }
}

/// How much a server may write.
enum SpaceLevel: Int, Sendable, Comparable {
  /// Everything.
  case enough
  /// Everything, with a warning: less than twice the floor is free.
  case low
  /// No symbol uploads and no diagnostic bodies: less than the floor is free.
  case short
  /// No payloads either: less than half the floor is free. Reading, logins and deletions continue.
  case none

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The space on a disk, and the level that follows from it.
struct SpaceStatus: Sendable, Equatable {
  var space: FreeSpace
  /// The floor in bytes.
  var floor: Int
  /// The folder's growth in the last week, in bytes per day; nil until a day has passed.
  var growth: Int?

  var level: SpaceLevel {
    if space.free < floor / 2 { return .none }
    if space.free < floor { return .short }
    return space.free < floor * 2 || (daysLeft ?? .infinity) < 7 ? .low : .enough
  }

  /// Days until the floor is reached at the current growth; nil if the folder is not known to grow.
  var daysLeft: Double? {
    guard let growth, growth > 0 else { return nil }
    return Double(max(0, space.free - floor)) / Double(growth)
  }

  /// A sentence about a disk that is full or will soon be full; nil while there is enough space.
  var warning: String? {
    let left = "\(ByteSize.text(space.free)) of the disk is free, and the floor is \(ByteSize.text(floor))"
    switch level {
    case .enough: return nil
    case .low:
      let days = daysLeft.map { "; at last week's growth, the floor is reached in \(Int($0)) days" } ?? ""
      return "Disk space is low: \(left)\(days)"
    case .short: return "Disk space is short: \(left). Symbol uploads and diagnostic bodies are not stored"
    case .none: return "Disk space has run out: \(left). Payloads are refused with 503 until there is space"
    }
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

/// A file that reserves disk space for logins and deletions on a full disk. SQLite cannot change or delete a row
/// without writing to its log first.
struct SpaceReserve: Sendable {
  private let path: String

  init(_ folder: DataFolder) { path = folder.reserve }

  /// The bytes to reserve on a disk with this floor.
  static func bytes(floor: Int) -> Int { min(32 << 20, floor / 8) }

  /// Removes the file if less than a quarter of its size is free. Returns its size; nil if it was not removed.
  func releaseIfFull(_ status: SpaceStatus) throws -> Int? {
    let bytes = size()
    guard bytes > 0, status.space.free < bytes / 4 else { return nil }
    guard unlink(path) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("cannot be removed")
    }
    return bytes
  }

  /// Writes the file if it is missing or too small, and the disk has enough space.
  func fillIfRoomy(_ status: SpaceStatus) throws {
    let bytes = Self.bytes(floor: status.floor)
    guard status.level <= .low, bytes > size() else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    defer { close(descriptor) }
    switch posix_fallocate(descriptor, 0, bytes) {
    case 0: return
    // Another process took the space: this file must not fill the disk.
    case ENOSPC: unlink(path)
    case let error: throw failure("cannot be written", error)
    }
  }

  private func size() -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  private func failure(_ what: String, _ error: Int32 = errno) -> UserFacingError {
    UserFacingError("\(path) \(what): \(String(cString: strerror(error))).")
  }
}
