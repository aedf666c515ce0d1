public import Foundation
import SQLiteStore
import Storage

/// Makes a backup of a data folder, even while a server uses it.
///
///     let made = try FolderBackup("plumb-data").run(to: "/backup/plumb", now: date) { done, total in … }
public struct FolderBackup {
  private let folder: DataFolder
  private let databases: [DataFolderDatabase]
  /// Whether the backup also has symbols, budgets and the secret.
  private let hasFiles: Bool
  private let files = FileManager.default

  /// A backup of the data folder at `path`. Throws if there is none.
  public init(_ path: String) throws { self.init(folder: try Installation.existingFolder(path)) }

  init(folder: DataFolder, databases: [DataFolderDatabase] = DataFolderDatabase.allCases, hasFiles: Bool = true) {
    (self.folder, self.databases, self.hasFiles) = (folder, databases, hasFiles)
  }

  /// The most attempts to copy the databases. They are copied again if the journal was purged meanwhile.
  private static let attempts = 3

  /// Makes a backup at `path`: a tar file if it ends with `.tar`, otherwise a folder. Reads it back before it gets its
  /// final name.
  ///
  /// `progress`: receives the bytes done and the total. Each byte counts twice, once written and once read back.
  public func run(
    to path: String, now: Date, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> BackupManifest {
    let path = URL(fileURLWithPath: path).standardizedFileURL.path
    guard let lock = try FolderLock(path: folder.backupLock) else {
      throw BackupError("Another backup of \(folder.url.path) is running. Wait until it ends.")
    }
    defer { withExtendedLifetime(lock) {} }
    let output: any BackupOutput = path.hasSuffix(".tar") ? try BackupTarOutput(path) : try BackupFolderOutput(path)
    do {
      let names = fileNames()
      let databases = databaseSize()
      let sizes = names.map { (name: $0, size: (try? FileStatus(folder.url.path + "/" + $0).size) ?? 0) }
      let total = 2 * (databases + sizes.reduce(0) { $0 + $1.size })
      try DiskSpace.check(
        output.copies * databases + sizes.reduce(0) { $0 + output.bytesNeeded(for: $1.name, size: $1.size) }, for: path)
      var done = 0
      func advance(_ bytes: Int) {
        done += bytes
        progress(min(done, total), total)
      }
      var manifest = try copyDatabases(to: output, now, advance)
      for name in names { try add(name, to: output, &manifest, advance) }
      try output.finish(manifest)
      try output.written.verify(manifest, except: output.verified, progress: advance)
      try output.publish()
      progress(total, total)
      return manifest
    } catch {
      output.discard()
      throw error
    }
  }

  // MARK: Databases

  private func databaseSize() -> Int {
    databases.reduce(0) { sum, database in
      ["", "-wal"].reduce(sum) { $0 + ((try? FileStatus(folder.path(of: database) + $1).size) ?? 0) }
    }
  }

  /// Copies `plumb.db` and `samples.db`, then the journal, which has every record that they lack, then `control.db`.
  private func copyDatabases(
    to output: any BackupOutput, _ now: Date, _ advance: @escaping (Int) -> Void
  ) throws -> BackupManifest {
    var manifest = BackupManifest(
      made: now.ISO8601Format(), node: nil, watermark: 0, lastRecord: 0, schemas: [:], files: [], leftOut: [])
    for attempt in 1...Self.attempts {
      (manifest.schemas, manifest.leftOut) = ([:], [])
      for database in [DataFolderDatabase.plumb, .samples, .journal, .control] where databases.contains(database) {
        try copy(database, to: output, &manifest, advance)
      }
      guard manifest.schemas[DataFolderDatabase.journal.rawValue] != nil else { break }
      let coverage = try JournalConsistency.read(
        journal: copyPath(.journal, output), store: copyPath(.plumb, output))
      (manifest.node, manifest.watermark, manifest.lastRecord) = (coverage.node?.text, coverage.applied, coverage.last)
      // Another attempt cannot find records that the folder itself lacks.
      let own = try JournalConsistency.read(journal: folder.journal, store: folder.plumb)
      if coverage.missingCount <= own.missingCount { break }
      if attempt == Self.attempts {
        throw BackupError("Records were purged from the journal while it was copied. Retry when less data arrives.")
      }
    }
    for database in DataFolderDatabase.allCases where manifest.schemas[database.rawValue] != nil {
      manifest.files.append(try output.add(copyPath(database, output), as: database.rawValue, isScratch: true))
    }
    return manifest
  }

  private func copyPath(_ database: DataFolderDatabase, _ output: any BackupOutput) -> String {
    output.scratch + "/" + database.rawValue
  }

  private func copy(
    _ database: DataFolderDatabase, to output: any BackupOutput, _ manifest: inout BackupManifest,
    _ advance: @escaping (Int) -> Void
  ) throws {
    let source = folder.path(of: database)
    let target = copyPath(database, output)
    if files.fileExists(atPath: target) { try files.removeItem(atPath: target) }
    guard files.fileExists(atPath: source) else { return }
    do {
      try DataFolderDatabase.copy(source, to: target, progress: advance)
      if let fault = try DataFolderDatabase.faults(at: target, limit: 1).first {
        throw BackupError("\(source) is damaged: \(fault). Run `plumb verify` for the remedy.")
      }
      manifest.schemas[database.rawValue] = try database.lastMigration(at: target) ?? ""
    } catch {
      // Numbers do not depend on samples.db.
      guard database == .samples, !(error is SchemaError), !DiskSpace.isExhausted(error) else { throw error }
      try? files.removeItem(atPath: target)
      manifest.leftOut.append(BackupManifest.Omission(path: database.rawValue, reason: "\(error)"))
    }
  }

  // MARK: Files

  /// The files beside the databases, by their paths below the folder.
  private func fileNames() -> [String] {
    guard hasFiles else { return [] }
    var names = BackupContents.files.filter { files.fileExists(atPath: folder.url.path + "/" + $0) }
    for part in BackupContents.folders {
      let below = files.enumerator(atPath: folder.url.path + "/" + part)
      while let name = below?.nextObject() as? String {
        let path = part + "/" + name
        // Incomplete uploads are left out.
        guard !name.hasPrefix("incoming"), BackupContents.isPath(path),
          (try? FileStatus(folder.url.path + "/" + path)) != nil
        else { continue }
        names.append(path)
      }
    }
    return names.sorted()
  }

  /// Adds a file. Leaves out symbols that were removed meanwhile or cannot be read.
  private func add(
    _ name: String, to output: any BackupOutput, _ manifest: inout BackupManifest, _ advance: (Int) -> Void
  ) throws {
    let source = folder.url.path + "/" + name
    guard files.fileExists(atPath: source) else { return }
    do {
      let entry = try output.add(source, as: name, isScratch: false)
      manifest.files.append(entry)
      advance(entry.size)
    } catch {
      guard !BackupContents.files.contains(name), !DiskSpace.isExhausted(error), !(output is BackupTarOutput) else {
        throw error
      }
      if files.fileExists(atPath: source) {
        manifest.leftOut.append(BackupManifest.Omission(path: name, reason: "\(error)"))
      }
    }
  }
}

extension DataFolder {
  /// The path of a database.
  func path(of database: DataFolderDatabase) -> String { url.appendingPathComponent(database.rawValue).path }
}
