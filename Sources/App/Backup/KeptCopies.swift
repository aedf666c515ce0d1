import Foundation
import SQLiteStore

/// The copies of databases that `serve` makes in the data folder: every night if asked, and before it migrates. Each is a
/// backup in a folder of its own.
struct KeptCopies {
  private let folder: DataFolder
  private let files = FileManager.default

  init(_ folder: DataFolder) { self.folder = folder }

  /// Why a copy is made; the beginning of its name.
  private enum Occasion: String {
    case night = "nightly-"
    case migration = "before-migration-"
  }

  /// The copies from before a migration that are kept.
  private static let mostMigrations = 2

  /// The copies that are whole, oldest first.
  func all() throws -> [(source: BackupSource, manifest: BackupManifest)] {
    try names().compactMap { name in
      let source = try BackupSource(folder.copies + "/" + name)
      return (try? source.manifest()).map { (source, $0) }
    }.sorted { $0.1.made < $1.1.made }
  }

  private func names() throws -> [String] {
    guard files.fileExists(atPath: folder.copies) else { return [] }
    return try files.contentsOfDirectory(atPath: folder.copies).filter {
      !$0.hasSuffix(".partial") && ($0.hasPrefix(Occasion.night.rawValue) || $0.hasPrefix(Occasion.migration.rawValue))
    }.sorted()
  }

  /// Copies `control.db` and `plumb.db`, unless that was done today, and deletes the oldest beyond `keeping`. Returns the
  /// path of a new copy.
  func makeNightly(keeping: Int, now: Date) throws -> String? {
    let path = path(.night, String(now.ISO8601Format().prefix(10)))
    guard !files.fileExists(atPath: path) else { return nil }
    try make([.plumb, .control], at: path, now)
    try deleteOldest(.night, keeping: keeping)
    return path
  }

  /// Copies all databases if one of them is of an older version, and returns the path of the copy.
  func makeBeforeMigration(now: Date) throws -> String? {
    let older = try older()
    guard !older.isEmpty else { return nil }
    let path = path(.migration, now.ISO8601Format().filter { $0.isNumber || $0 == "T" })
    do {
      try make(DatabaseFile.allCases, at: path, now)
    } catch {
      throw BackupError(
        "\(older.map(\.rawValue).joined(separator: ", ")) must be brought up to date, and no copy can be made first: "
          + "\(error) `plumb migrate --without-copy` goes on without a way back.")
    }
    try deleteOldest(.migration, keeping: Self.mostMigrations)
    return path
  }

  /// The databases of an older version.
  func older() throws -> [DatabaseFile] {
    try DatabaseFile.allCases.filter { database in
      let path = folder.path(of: database)
      do {
        return try files.fileExists(atPath: path) && database.isOlder(at: path)
      } catch let error as DatabaseFileError where error.isDamage && database == .samples {
        // Begun anew by the server: numbers do not need it.
        return false
      }
    }
  }

  private func path(_ occasion: Occasion, _ time: String) -> String { folder.copies + "/" + occasion.rawValue + time }

  private func make(_ databases: [DatabaseFile], at path: String, _ now: Date) throws {
    try files.createDirectory(
      atPath: folder.copies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try FolderBackup(folder: folder, databases: databases, hasFiles: false).run(to: path, now: now)
  }

  private func deleteOldest(_ occasion: Occasion, keeping: Int) throws {
    let made = try names().filter { $0.hasPrefix(occasion.rawValue) }
    for name in made.dropLast(keeping) { try files.removeItem(atPath: folder.copies + "/" + name) }
  }
}
