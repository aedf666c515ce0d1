import Foundation
import SQLiteStore
import Storage

/// A new copy of the primary's folder, which is downloaded beside the old data and then takes its place.
struct StandbyCopy {
  let folder: DataFolder
  private let files = FileManager.default

  init(_ folder: DataFolder) { self.folder = folder }

  private var staging: String { FolderRestore.staging(folder.url.path) }

  /// Downloads a copy from the primary.
  func fetch(from client: StandbyClient) throws -> BackupManifest {
    let manifest = try client.manifest()
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
        try client.download(entry, ofCopy: true, to: path)
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
    // `control.db` is first, because no command uses a folder without it.
    let databases = [.control] + DataFolderDatabase.allCases.filter { $0 != .control }
    let old = databases.flatMap { database in ([""] + DataFolderDatabase.companions).map { database.rawValue + $0 } }
    for name in old + BackupContents.folders + ["digest.marker", "secret"]
    where files.fileExists(atPath: folder.url.path + "/" + name) {
      try files.removeItem(atPath: folder.url.path + "/" + name)
    }
    try FolderRestore(from: BackupReader(staging), to: folder.url.path).finish(manifest)
  }

  private func makeFolder(above path: String) throws {
    try files.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}
