import Analysis

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
    switch level {
    case .enough: return nil
    case .low:
      let days = daysLeft.map { "; at last week's growth, the floor is reached in \(Int($0)) days" } ?? ""
      return "Disk space is low: \(left)\(days)"
    case .short: return "Disk space is short: \(left). Symbol uploads and diagnostic bodies are not stored"
    case .none: return "Disk space has run out: \(left). Payloads are refused with 503 until there is space"
    }
  }

  private var left: String {
    "\(ByteSize.text(space.free)) of the disk is free, and the floor is \(ByteSize.text(floor))"
  }
}
