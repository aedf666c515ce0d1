import Core
import Foundation
import Ingest
public import Logging
import SQLiteStore
import Storage

/// Rebuilds `plumb.db` from a backup and the journal.
///
/// A copy of the backup's `plumb.db` is completed from the journal beside the old file, and then replaces it. The old
/// file is kept under another name.
public struct Redigest {
  private let installation: Installation
  private let files = FileManager.default

  /// The result of a rebuild.
  public struct Result: Sendable {
    /// The time of the backup; nil if none was used.
    public var made: String?
    /// The last record that the backup had digested.
    public var before: Int64
    /// The last record that is digested now.
    public var applied: Int64
    /// The number of records that neither the backup nor the journal has.
    public var lost: Int64
    /// The path of the old file; nil if there was none.
    public var kept: String?
  }

  public init(_ path: String) throws {
    installation = try Installation.existing(path)
    try StandbyMarker.refuse(installation.folder)
  }

  private var folder: DataFolder { installation.folder }
  private var rebuilding: String { folder.plumb + ".rebuilding" }

  /// Rebuilds `plumb.db`. `source`: a backup with a `plumb.db`; nil to use the newest copy in the folder or, without
  /// one, the journal alone. `acceptsLoss`: whether to count records that are in neither as lost, instead of throwing.
  public func run(from source: BackupReader?, acceptsLoss: Bool, logger: Logger) throws -> Result {
    let locks = try FolderLock.all(of: folder)
    defer { withExtendedLifetime(locks) {} }
    guard try installation.rowCluster() == nil else {
      throw BackupError(
        "The rows of this folder are in ClickHouse. Restore a backup of both instead: docs/scaling.md.")
    }
    guard files.fileExists(atPath: folder.journal) else {
      throw BackupError("\(folder.journal) is missing, so there are no records to digest. Use `plumb restore` instead.")
    }
    try removeRebuilding()
    let manifest = try takeCopy(from: source ?? newestCopy())
    do {
      let coverage = try JournalConsistency.read(journal: folder.journal, store: rebuilding)
      try check(coverage, acceptsLoss: acceptsLoss, hasCopy: manifest != nil)
      let applied = try digest(to: coverage.last, logger)
      let kept = try replace()
      return Result(
        made: manifest?.made, before: coverage.applied, applied: applied, lost: coverage.missingCount, kept: kept)
    } catch {
      try? removeRebuilding()
      throw error
    }
  }

  private func removeRebuilding() throws {
    for end in [""] + DataFolderDatabase.companions where files.fileExists(atPath: rebuilding + end) {
      try files.removeItem(atPath: rebuilding + end)
    }
  }

  private func newestCopy() throws -> BackupReader? {
    try AutomaticBackups(folder).all().filter { $0.manifest.schemas[DataFolderDatabase.plumb.rawValue] != nil }.last?
      .source
  }

  /// Copies `plumb.db` out of a backup. Without a backup, the rebuilt file starts empty.
  private func takeCopy(from source: BackupReader?) throws -> BackupManifest? {
    guard let source else { return nil }
    var manifest = try source.manifest()
    manifest.files.removeAll { $0.path != DataFolderDatabase.plumb.rawValue }
    guard let entry = manifest.files.first else {
      throw BackupError("\(source.path) has no plumb.db. Use another backup.")
    }
    try DiskSpace.check(2 * entry.size, for: folder.url.path)
    try source.extract(manifest, progress: { _ in }) { _ in rebuilding }
    // Throws for a file of a newer version.
    _ = try DataFolderDatabase.plumb.lastMigration(at: rebuilding)
    return manifest
  }

  private func check(_ coverage: JournalConsistency, acceptsLoss: Bool, hasCopy: Bool) throws {
    if coverage.applied == 0, !coverage.otherNodes.isEmpty, coverage.last > 0 {
      throw BackupError("The backup belongs to another data folder than \(folder.journal). Use another backup.")
    }
    guard !coverage.missing.isEmpty, !acceptsLoss else { return }
    let ranges = coverage.missing.prefix(5).map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
    throw BackupError(
      "Records \(ranges) are \(hasCopy ? "neither in the backup nor" : "not") in the journal. Choose a newer backup "
        + "with --from, or continue without these records with --accept-loss.")
  }

  private func digest(to last: Int64, _ logger: Logger) throws -> Int64 {
    let samples = try installation.samples(limits: SampleLimits(), logger)
    let store = try SQLiteStore(path: rebuilding, samples: samples)
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let loop = DigestLoop(journal: journal, store: store) { logger.error("\($0)") }
    let target = DigestPosition(through: last)
    do {
      try loop.digest(to: target)
    } catch is StoreError {
      // The store refuses a record, which is quarantined.
      try loop.digestOneByOne(to: target, settingAside: [])
    }
    let applied = try store.watermark(of: journal.node)
    try store.close()
    return applied
  }

  /// Renames the rebuilt file to `plumb.db`. Returns the new name of the old file.
  private func replace() throws -> String? {
    try DurableFile.sync(rebuilding)
    let isReplacing = files.fileExists(atPath: folder.plumb)
    let kept = FileQuarantine.freePath(folder.plumb, "before")
    if isReplacing {
      // These are moved first, so that they never belong to another file.
      for end in DataFolderDatabase.companions where files.fileExists(atPath: folder.plumb + end) {
        try files.moveItem(atPath: folder.plumb + end, toPath: kept + end)
      }
      try files.linkItem(atPath: folder.plumb, toPath: kept)
    }
    guard rename(rebuilding, folder.plumb) == 0 else {
      throw BackupError("\(folder.plumb) cannot be replaced: \(String(cString: strerror(errno))).")
    }
    // These are empty after the store was closed.
    for end in DataFolderDatabase.companions where files.fileExists(atPath: rebuilding + end) {
      try files.removeItem(atPath: rebuilding + end)
    }
    if files.fileExists(atPath: folder.digestMarker) { try DigestMarkerFile(path: folder.digestMarker).clear() }
    try DurableFile.sync(folder.url.path)
    return isReplacing ? kept : nil
  }
}
