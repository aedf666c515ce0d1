import Foundation
import SQLiteStore

/// The copies of databases that `serve` makes in the data folder: nightly if configured, and before a migration. Each
/// copy is a backup in a separate folder.
struct AutomaticBackups {
  private let folder: DataFolder
  private let files = FileManager.default

  init(_ folder: DataFolder) { self.folder = folder }

  /// The reason for a copy, and the prefix of its name.
  private enum Occasion: String {
    case night = "nightly-"
    case migration = "before-migration-"
  }

  /// The number of copies from before migrations to keep.
  private static let mostMigrations = 2

  /// The complete copies, oldest first.
  func all() throws -> [(source: BackupReader, manifest: BackupManifest)] {
    try names().compactMap { name in
      let source = try BackupReader(folder.copies + "/" + name)
      return (try? source.manifest()).map { (source, $0) }
    }.sorted { $0.1.made < $1.1.made }
  }

  private func names() throws -> [String] {
    guard files.fileExists(atPath: folder.copies) else { return [] }
    return try files.contentsOfDirectory(atPath: folder.copies).filter {
      !$0.hasSuffix(".partial") && ($0.hasPrefix(Occasion.night.rawValue) || $0.hasPrefix(Occasion.migration.rawValue))
    }.sorted()
  }

  /// Copies `control.db` and `plumb.db` once a day, and deletes the oldest copies beyond `keeping`. Returns the path of
  /// the new copy; nil if today's copy exists.
  func makeNightly(keeping: Int, now: Date) throws -> String? {
    let path = path(.night, String(now.ISO8601Format().prefix(10)))
    guard !files.fileExists(atPath: path) else { return nil }
    try make([.plumb, .control], at: path, now)
    try deleteOldest(.night, keeping: keeping)
    return path
  }

  /// Copies all databases if one of them has an older version, and returns the path of the copy.
  func makeBeforeMigration(now: Date) throws -> String? {
    let older = try older()
    guard !older.isEmpty else { return nil }
    let path = path(.migration, now.ISO8601Format().filter { $0.isNumber || $0 == "T" })
    do {
      try make(DataFolderDatabase.allCases, at: path, now)
    } catch {
      throw BackupError(
        "\(older.map(\.rawValue).joined(separator: ", ")) must be upgraded, but cannot be copied first: \(error) "
          + "`plumb migrate --without-copy` upgrades without a copy.")
    }
    try deleteOldest(.migration, keeping: Self.mostMigrations)
    return path
  }

  /// The databases with an older version.
  func older() throws -> [DataFolderDatabase] {
    try DataFolderDatabase.allCases.filter { database in
      let path = folder.path(of: database)
      do {
        return try files.fileExists(atPath: path) && database.isOlder(at: path)
      } catch let error as DatabaseFileError where error.isDamage && database == .samples {
        // The server replaces it, because numbers do not depend on it.
        return false
      }
    }
  }

  private func path(_ occasion: Occasion, _ time: String) -> String { folder.copies + "/" + occasion.rawValue + time }

  private func make(_ databases: [DataFolderDatabase], at path: String, _ now: Date) throws {
    try files.createDirectory(
      atPath: folder.copies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try FolderBackup(folder: folder, databases: databases, hasFiles: false).run(to: path, now: now)
  }

  private func deleteOldest(_ occasion: Occasion, keeping: Int) throws {
    let made = try names().filter { $0.hasPrefix(occasion.rawValue) }
    for name in made.dropLast(keeping) { try files.removeItem(atPath: folder.copies + "/" + name) }
  }
}
