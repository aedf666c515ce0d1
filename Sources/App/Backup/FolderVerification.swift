import Analysis
import Foundation
import SQLiteStore
import Symbols
import Web

/// Reads a whole data folder, also while a server uses it, and says what is damaged.
///
///     for part in try FolderVerification("plumb-data").run() { print(part.name, part.faults) }
public struct FolderVerification {
  private let folder: DataFolder
  private let files = FileManager.default

  /// What was found in one file or folder.
  public struct Part: Sendable {
    /// Such as `plumb.db`.
    public var name: String
    /// How much was read, or why nothing was.
    public var summary: String
    /// A sentence for each fault.
    public var faults: [String]
    /// What to do about the faults.
    public var remedy: String
    /// What is not damaged, but worth knowing.
    public var notes: [String] = []
  }

  /// A check of the data folder at `path`. Throws if there is none.
  public init(_ path: String) throws { folder = try Installation.existingFolder(path) }

  /// Checks part by part. `progress`: receives the name of each before it is read.
  public func run(progress: (String) -> Void = { _ in }) -> [Part] {
    var parts: [Part] = []
    for database in [DatabaseFile.control, .plumb, .journal, .samples] {
      progress(database.rawValue)
      parts.append(check(database))
    }
    for (name, check) in [
      ("journal and numbers", coverage), ("rows", rowServers), ("secret", secret), ("symbols", symbols),
      ("budgets", budgets),
    ] {
      // A database that cannot be read fits nothing.
      if name == "journal and numbers", parts.contains(where: Self.isUnreadable) { continue }
      progress(name)
      if let part = check() { parts.append(part) }
    }
    return parts
  }

  /// The servers with the rows, which are not read here; nil if the rows are in `plumb.db`.
  private func rowServers() -> Part? {
    var part = Part(name: "rows", summary: "", faults: [], remedy: "Put back store.yaml, from a backup.")
    do {
      guard let servers = try RowServers.read(folder) else { return nil }
      let names = servers.shards.map { "\($0)" }.joined(separator: ", ")
      part.summary = "in \(names), which this does not read"
    } catch {
      part.faults = ["\(error)"]
    }
    return part
  }

  private static func isUnreadable(_ part: Part) -> Bool {
    [DatabaseFile.plumb.rawValue, DatabaseFile.journal.rawValue].contains(part.name) && part.summary.isEmpty
  }

  /// Moves the damaged rows of `plumb.db` to its table `quarantine` and returns their number.
  public static func setAsideDamage(_ path: String) throws -> Int {
    let installation = try Installation.existing(path)
    let lock = try FolderLock.shared(of: installation.folder)
    defer { withExtendedLifetime(lock) {} }
    return try installation.store().setAsideDamage()
  }

  // MARK: Databases

  private func check(_ database: DatabaseFile) -> Part {
    let path = folder.path(of: database)
    var part = Part(name: database.rawValue, summary: "", faults: [], remedy: database.remedy)
    guard files.fileExists(atPath: path) else {
      part.summary = "missing"
      // A folder that never received anything has no other.
      let others = [folder.plumb, folder.journal].filter { $0 != path }
      if database == .control || others.contains(where: files.fileExists) {
        part.faults = database == .samples ? [] : ["it is missing"]
      }
      return part
    }
    do {
      part.faults = try DatabaseFile.faults(at: path)
      guard part.faults.isEmpty else { return part }
      guard let last = try database.lastMigration(at: path) else {
        part.summary = "empty"
        return part
      }
      if try database.isOlder(at: path) {
        part.summary = "whole; of an older version (\(last)), which `plumb migrate` brings up to date"
        return part
      }
      if let found = try rows(of: database, at: path) {
        (part.summary, part.faults, part.notes) = (found.summary, found.faults, found.notes)
      }
    } catch {
      part.faults.append("\(error)")
    }
    return part
  }

  private func rows(of database: DatabaseFile, at path: String) throws -> DatabaseVerification? {
    switch database {
    case .plumb: try StoreVerification.store(at: path)
    case .journal: try StoreVerification.journal(at: path)
    case .samples: try StoreVerification.samples(at: path)
    case .control: nil
    }
  }

  // MARK: Files

  private func coverage() -> Part? {
    guard files.fileExists(atPath: folder.journal) else { return nil }
    var part = Part(
      name: "journal and numbers", summary: "", faults: [],
      remedy: "Stop the server, then `plumb redigest --from BACKUP`, with a backup that has these records; "
        + "otherwise they are counted as lost when the server starts.")
    if !files.fileExists(atPath: folder.plumb) {
      part.notes.append("plumb.db is missing: the server makes a new one, and counts what the journal still has")
    }
    do {
      let found = try JournalCoverage.read(journal: folder.journal, store: folder.plumb)
      part.summary = "counted through record \(found.applied), received through \(found.last)"
      part.faults = found.missing.map { "records \($0.lowerBound)–\($0.upperBound) are in neither" }
      if found.isJournalOlder {
        part.notes.append("journal.db is of before record \(found.applied): \(JournalLoss.meaning)")
      }
      if found.waiting > 0 { part.notes.append("\(found.waiting) records wait to be counted") }
    } catch {
      part.faults = ["\(error)"]
    }
    return part
  }

  private func secret() -> Part? {
    guard files.fileExists(atPath: folder.journal) || files.fileExists(atPath: folder.secret) else { return nil }
    var part = Part(
      name: "secret", summary: "readable", faults: [],
      remedy: "Restore it from a backup: with another one every known user counts as new.")
    guard files.fileExists(atPath: folder.secret) else {
      part.faults = ["it is missing"]
      return part
    }
    do { _ = try SecretFile.readOrCreate(in: folder.url.path) } catch { part.faults = [error.description] }
    return part
  }

  private func symbols() -> Part? {
    guard files.fileExists(atPath: folder.symbols) else { return nil }
    var part = Part(
      name: "symbols", summary: "", faults: [],
      remedy: "Upload them again, with `plumb symbols upload`. Numbers do not need them.")
    do {
      let all = try SymbolFolder(path: folder.symbols).unreadable()
      part.summary = "\(all.count) binaries"
      part.faults = all.faults
    } catch {
      part.faults = ["\(error)"]
    }
    return part
  }

  private func budgets() -> Part? {
    let path = folder.url.path + "/budgets"
    guard let names = try? files.contentsOfDirectory(atPath: path).filter({ $0.hasSuffix(".yaml") }), !names.isEmpty
    else { return nil }
    var part = Part(
      name: "budgets", summary: "\(names.count) files", faults: [],
      remedy: "Mend the file: `plumb budgets lint` says where.")
    for name in names.sorted() {
      do {
        let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
        _ = try BudgetFile.parse(text, fileName: path + "/" + name)
      } catch {
        part.faults.append("\(error)")
      }
    }
    return part
  }
}

extension Installation {
  /// The error with what to do about it, if a damaged database of the folder at `path` is its cause.
  public static func advised(_ error: any Error, in path: String) -> any Error {
    guard DatabaseFileError.isDamage(error) else { return error }
    let named = (error as? DatabaseFileError)?.file
    let folder = DataFolder(path)
    // An error that names no file is of one whose pages tell.
    let file =
      named
      ?? DatabaseFile.allCases.first { file in
        do { return try DatabaseFile.damage(at: folder.path(of: file)) != nil } catch { return false }
      }
    guard let file else { return error }
    return UserFacingError("\(file.rawValue) is damaged: \(error). \(file.remedy)")
  }
}

extension DatabaseFile {
  /// What to do about a damaged file. `LostFileTests` and `DamagedFileTests` follow it.
  var remedy: String {
    switch self {
    case .control:
      "Stop the server, and restore the folder from a backup: `plumb restore`. The backup's plumb.db may be older."
    case .plumb:
      "Single rows: `plumb verify --set-aside` keeps their bytes in the table quarantine, and everything else goes on. "
        + "The file itself: stop the server, then `plumb redigest --from BACKUP` rebuilds it from a backup and the journal."
    case .journal:
      "What cannot be read is set aside when it is counted. The file itself: stop the server, move journal.db with its "
        + "-wal and -shm away; what was not counted yet is lost, and what is sent again within a week counts twice."
    case .samples:
      "Numbers do not need it. Stop the server and move samples.db with its -wal and -shm away, or put that of a backup "
        + "in its place."
    }
  }
}
