import Storage

/// Whether more records may wait for the journal.
public enum JournalRoom: Sendable, Equatable {
  case enough
  /// The app's own records fill what one app may have.
  case appHasTooMuch
  /// All that may wait does.
  case none
}

/// How many bytes wait for the journal, of each app. An app may have as much waiting as it leaves free, so that there is
/// always room for one more (see `BodyPool`).
struct PendingLedger {
  private let limit: Int
  private(set) var bytes = 0
  private var apps: [AppID: Int] = [:]

  init(limit: Int) { self.limit = limit }

  func room(for app: AppID) -> JournalRoom {
    if bytes >= limit { return .none }
    return apps[app] ?? 0 <= limit - bytes ? .enough : .appHasTooMuch
  }

  /// Whether a request that was let in still fits. Some are decoded at the same time, so there is twice the room.
  func takes(_ records: PendingRecords) -> Bool { bytes <= 2 * limit - Self.size(records) || bytes == 0 }

  mutating func add(_ records: PendingRecords) {
    bytes += Self.size(records)
    apps[records.app, default: 0] += Self.size(records)
  }

  mutating func remove(_ records: PendingRecords) {
    bytes -= Self.size(records)
    let left = (apps[records.app] ?? 0) - Self.size(records)
    apps[records.app] = left > 0 ? left : nil
  }

  /// With what stands around them in memory.
  static func size(_ records: PendingRecords) -> Int { records.bytes.count + 256 }
}
