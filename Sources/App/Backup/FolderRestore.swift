import Foundation
import SQLiteStore

/// Restores a backup into an empty data folder.
///
/// Files are copied into a staging folder, compared with the manifest, and then moved to their names. `control.db` is
/// moved last, because no command uses a folder without it.
public struct FolderRestore {
  private let source: BackupReader
  private let target: String
  private let files = FileManager.default

  public init(from source: BackupReader, to target: String) {
    self.source = source
    self.target = URL(fileURLWithPath: target).standardizedFileURL.path
  }

  private var staging: String { Self.staging(target) }

  static func staging(_ target: String) -> String { target + "/.restoring" }

  /// Whether a restore into the folder is running, or was killed.
  static func isUnfinished(_ folder: DataFolder) -> Bool {
    let files = FileManager.default
    return files.fileExists(atPath: staging(folder.url.path)) && !files.fileExists(atPath: folder.control)
  }

  /// Restores the backup. `progress`: receives the bytes done and the total.
  public func run(progress: (Int, Int) -> Void = { _, _ in }) throws -> BackupManifest {
    let manifest = try source.manifest()
    let locks = try prepare()
    defer { withExtendedLifetime(locks) {} }
    try DiskSpace.check(manifest.size, for: target)
    do {
      var done = 0
      try source.extract(
        manifest,
        progress: { bytes in
          done += bytes
          progress(done, manifest.size)
        }
      ) { entry in
        let path = staging + "/" + entry.path
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        return path
      }
    } catch {
      try? files.removeItem(atPath: staging)
      throw error
    }
    try finish(manifest)
    return manifest
  }

  /// Moves the files of the staging folder, which were compared with the manifest, to their names. The caller holds the
  /// folder's locks.
  func finish(_ manifest: BackupManifest) throws {
    do {
      try check(manifest)
    } catch {
      try? files.removeItem(atPath: staging)
      throw error
    }
    try move()
  }

  private func makeFolder(_ path: String) throws {
    try files.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Creates the folder if it is missing, and locks it. Throws if it is not empty.
  private func prepare() throws -> [FolderLock] {
    if files.fileExists(atPath: target) { try checkEmpty() }
    try makeFolder(target)
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: target)
    let locks = try FolderLock.all(of: DataFolder(target))
    // Another restore, or a server, may have filled it meanwhile.
    try checkEmpty()
    // Removes the files of a killed restore.
    if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
    try makeFolder(staging)
    return locks
  }

  private func checkEmpty() throws {
    let folder = DataFolder(target)
    let ignored = [staging, folder.serveLock, folder.digestLock, folder.useLock]
      .map { URL(fileURLWithPath: $0).lastPathComponent }
    let names = try files.contentsOfDirectory(atPath: target).filter { $0 != "lost+found" && !ignored.contains($0) }
    guard names.isEmpty else {
      throw BackupError(
        "\(target) is not empty (\(names.sorted().prefix(3).joined(separator: ", "))), and a restore overwrites "
          + "nothing. Move the folder away, or choose another one with --data.")
    }
  }

  /// Throws if a newer version made the databases, or if a database is damaged.
  private func check(_ manifest: BackupManifest) throws {
    for database in DataFolderDatabase.allCases where manifest.schemas[database.rawValue] != nil {
      let path = staging + "/" + database.rawValue
      do {
        _ = try database.lastMigration(at: path)
      } catch let error as SchemaError {
        throw BackupError("\(database.rawValue) in the backup: \(error)")
      } catch let error as DatabaseFileError {
        throw BackupError("\(database.rawValue) in the backup is damaged: \(error). Use another backup.")
      }
      // Removes the files that SQLite created while reading.
      for end in DataFolderDatabase.companions { try? files.removeItem(atPath: path + end) }
    }
    guard manifest.schemas[DataFolderDatabase.control.rawValue] != nil else {
      throw BackupError("The backup has no control.db, which defines the apps. Use another backup.")
    }
  }

  private func move() throws {
    let owner = try files.attributesOfItem(atPath: target)
    let names = try files.contentsOfDirectory(atPath: staging).sorted {
      ($0 == DataFolderDatabase.control.rawValue ? 1 : 0, $0) < ($1 == DataFolderDatabase.control.rawValue ? 1 : 0, $1)
    }
    let below = files.enumerator(atPath: staging)?.compactMap { $0 as? String } ?? []
    for path in below.map({ staging + "/" + $0 }) { try DurableFile.sync(path) }
    for name in names {
      try give(staging + "/" + name, owner)
      try files.moveItem(atPath: staging + "/" + name, toPath: target + "/" + name)
      try DurableFile.sync(target)
    }
    try files.removeItem(atPath: staging)
  }

  /// If root restores, changes the files' owner to the data folder's owner, so that the server's user can read them.
  private func give(_ path: String, _ owner: [FileAttributeKey: Any]) throws {
    guard geteuid() == 0, let user = owner[.ownerAccountID] as? Int, let group = owner[.groupOwnerAccountID] as? Int,
      user != 0
    else { return }
    let below = (files.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).map { path + "/" + $0 }
    for file in [path] + below where lchown(file, uid_t(user), gid_t(group)) != 0 {
      throw BackupError("The owner of \(file) cannot be changed: \(String(cString: strerror(errno))).")
    }
  }
}
