import Analysis
import SQLiteStore
public import Storage

extension StorageUsage {
  /// The stored kinds with their retention settings.
  func kinds(_ retention: Retention) throws -> [StoredKind] {
    let settings = Dictionary(uniqueKeysWithValues: Retention.kinds.map { ($0.key, $0.days) })
    return try kinds().map { kind in
      var kind = kind
      let key = "keep-" + kind.name
      kind.setting = settings[key].map { "\(key): \(retention[keyPath: $0])d" }
      return kind
    }
  }
}

/// The storage usage of a data folder, and the free space.
public struct StorageReport {
  /// The storage usage by kind.
  public let kinds: [StoredKind]
  /// The disk's free space, as one sentence.
  public let disk: String

  /// Reads every page of the folder's databases.
  public init(_ installation: Installation, _ settings: Settings) throws {
    kinds = try StorageUsage(installation.folder).kinds(settings.retention())
    let status = try installation.space(settings, now: WallClock.now())
    let days = status.daysLeft.map { "; at last week's growth, the floor is reached in \(Int($0)) days" } ?? ""
    disk =
      "\(ByteSize.text(status.space.free)) of \(ByteSize.text(status.space.total)) is free. The floor is "
      + "\(ByteSize.text(status.floor))\(days)."
  }
}
