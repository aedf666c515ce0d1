import Foundation
import SQLiteStore
import Storage

/// The file `standby.json`, which makes a data folder a standby. It is removed by a promotion.
struct StandbyMarker: Codable, Equatable {
  /// The address of the primary.
  var primary: String
  /// The number of deletions that the primary had carried out before the folder was copied; nil before the first copy.
  var erasures: Int?

  /// The marker of a folder; nil if the folder is no standby. Throws for a damaged file.
  static func read(_ folder: DataFolder) throws -> StandbyMarker? {
    guard FileManager.default.fileExists(atPath: folder.standby) else { return nil }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: folder.standby)))
    } catch {
      throw UserFacingError(
        "\(folder.standby) is damaged. Move the folder away, and start the standby with an empty folder.")
    }
  }

  func write(_ folder: DataFolder) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(fileURLWithPath: folder.standby), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.standby)
    try DurableFile.sync(folder.standby)
    try DurableFile.sync(folder.url.path)
  }

  static func remove(_ folder: DataFolder) throws {
    try FileManager.default.removeItem(atPath: folder.standby)
    try DurableFile.sync(folder.url.path)
  }

  /// Throws `StandbyIsReadOnly` for the folder of a standby.
  static func refuse(_ folder: DataFolder) throws {
    if let marker = try read(folder) { throw StandbyIsReadOnly(primary: marker.primary) }
  }
}

extension DataFolder {
  /// The file by which `plumb promote` asks the process that follows the primary. It contains `force`, or nothing.
  var promotionRequest: String { url.appendingPathComponent("promote.request").path }
  /// The file with which that process answers an attempt that failed.
  var promotionFailure: String { url.appendingPathComponent("promote.failure").path }
  /// Locked by the process that follows the primary.
  var standbyLock: String { url.appendingPathComponent("standby.lock").path }
}

/// A new copy of the primary's folder, which is downloaded beside the old data and then takes its place.
struct StandbyCopy {
  let folder: DataFolder
  private let files = FileManager.default

  init(_ folder: DataFolder) { self.folder = folder }

  private var staging: String { FolderRestore.staging(folder.url.path) }

  /// Downloads a copy. `client`: the primary. `isStopping`: whether to give up.
  func fetch(from client: StandbyClient, isStopping: () -> Bool) throws -> BackupManifest {
    let manifest = try client.manifest(isStopping)
    guard !manifest.files.contains(where: { $0.path == "store.yaml" }) else {
      throw UserFacingError(
        "\(client.address) has its rows in ClickHouse, which a standby cannot follow: docs/scaling.md.")
    }
    if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
    try DiskSpace.check(manifest.size, for: folder.url.path)
    do {
      for entry in manifest.files {
        let path = staging + "/" + entry.path
        try makeFolder(above: path)
        try client.download(entry, ofCopy: true, to: path, isStopping)
        guard try FileChecksum.sha256(path) == entry.sha256 else {
          throw BackupError("\(client.address) sent a damaged \(entry.path). This will be retried.")
        }
      }
    } catch {
      try? files.removeItem(atPath: staging)
      throw error
    }
    return manifest
  }

  /// Replaces the folder's data with the copy. No process may use the folder. If the process is killed meanwhile, the
  /// folder has no `control.db` and is copied again.
  func publish(_ manifest: BackupManifest) throws {
    let locks = try FolderLock.all(of: folder)
    defer { withExtendedLifetime(locks) {} }
    let names = DataFolderDatabase.allCases.map(\.rawValue).filter { $0 != DataFolderDatabase.control.rawValue }
    let old = [DataFolderDatabase.control.rawValue] + names
    for name in old.flatMap({ [$0, $0 + "-wal", $0 + "-shm"] }) + BackupContents.folders + ["digest.marker", "secret"]
    where files.fileExists(atPath: folder.url.path + "/" + name) {
      try files.removeItem(atPath: folder.url.path + "/" + name)
    }
    try FolderRestore(from: BackupSource(staging), to: folder.url.path).finish(manifest)
  }

  private func makeFolder(above path: String) throws {
    try files.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}
