import Analysis
import SQLiteStore
public import Storage

/// What takes room in a data folder, and how much is left.
public struct StorageReport {
  /// What takes room, by kind.
  public let kinds: [StoredKind]
  /// The room on the disk, as one sentence.
  public let disk: String

  /// Reads every page of the folder's databases.
  public init(_ installation: Installation, _ settings: Settings) throws {
    kinds = try StorageUsage(installation.folder).kinds(settings.retention())
    let status = try installation.space(settings, now: WallClock.now())
    let days = status.daysLeft.map { "; at last week's growth it is reached in \(Int($0)) days" } ?? ""
    disk =
      "\(ByteSize.text(status.space.free)) of \(ByteSize.text(status.space.total)) are free; the floor is "
      + "\(ByteSize.text(status.floor))\(days)."
  }
}
