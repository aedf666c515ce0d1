import Analysis
import Foundation
import SQLiteStore
import Symbols
import Web

/// Checks a whole data folder for damage, even while a server uses it.
///
///     for part in try FolderVerification("plumb-data").run() { print(part.name, part.faults) }
public struct FolderVerification {
  private let folder: DataFolder
  private let files = FileManager.default

  /// The findings in one file or folder.
  public struct Part: Sendable {
    /// The name of the file or part, such as `plumb.db`.
    public var name: String
    /// What was read, or why nothing was read.
    public var summary: String
    /// A sentence for each fault.
    public var faults: [String]
    /// How to repair the faults.
    public var remedy: String
    /// Remarks that are no faults.
    public var notes: [String] = []
  }

  /// A check of the data folder at `path`. Throws if there is none.
  public init(_ path: String) throws { folder = try Installation.existingFolder(path) }

  /// Checks all parts. `progress`: receives the name of each part before it is read.
  public func run(progress: (String) -> Void = { _ in }) -> [Part] {
    var parts: [Part] = []
    for database in [DataFolderDatabase.control, .plumb, .journal, .samples] {
      progress(database.rawValue)
      parts.append(check(database))
    }
    for (name, check) in [
      ("journal and numbers", coverage), ("rows", rowServers), ("secret", secret), ("symbols", symbols),
      ("budgets", budgets),
    ] {
      // A database that cannot be read cannot be compared.
      if name == "journal and numbers", parts.contains(where: Self.isUnreadable) { continue }
      progress(name)
      if let part = check() { parts.append(part) }
    }
    return parts
  }

  /// The ClickHouse servers, which are not read here; nil if the rows are in `plumb.db`.
  private func rowServers() -> Part? {
    var part = Part(name: "rows", summary: "", faults: [], remedy: "Restore store.yaml from a backup.")
    do {
      guard let servers = try ClickHouseServers.read(folder) else { return nil }
      let names = servers.shards.map { "\($0)" }.joined(separator: ", ")
      part.summary = "in \(names), which were not read"
    } catch {
      part.faults = ["\(error)"]
    }
    return part
  }

  private static func isUnreadable(_ part: Part) -> Bool {
    [DataFolderDatabase.plumb.rawValue, DataFolderDatabase.journal.rawValue].contains(part.name) && part.summary.isEmpty
  }

  /// Quarantines the damaged rows of `plumb.db` and returns their number.
  public static func quarantineDamage(_ path: String) throws -> Int {
    let installation = try Installation.existing(path)
    let lock = try FolderLock.shared(of: installation.folder)
    defer { withExtendedLifetime(lock) {} }
    return try installation.store().quarantineDamage()
  }

  // MARK: Databases

  private func check(_ database: DataFolderDatabase) -> Part {
    let path = folder.path(of: database)
    var part = Part(name: database.rawValue, summary: "", faults: [], remedy: database.remedy)
    guard files.fileExists(atPath: path) else {
      part.summary = "missing"
      // A folder that has never received payloads has no other database.
      let others = [folder.plumb, folder.journal].filter { $0 != path }
      if database == .control || others.contains(where: files.fileExists) {
        part.faults = database == .samples ? [] : ["the file is missing"]
      }
      return part
    }
    do {
      part.faults = try DataFolderDatabase.faults(at: path)
      guard part.faults.isEmpty else { return part }
      guard let last = try database.lastMigration(at: path) else {
        part.summary = "empty"
        return part
      }
      if try database.isOlder(at: path) {
        part.summary = "intact; `plumb migrate` upgrades it from an older version (\(last))"
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

  private func rows(of database: DataFolderDatabase, at path: String) throws -> DatabaseVerification? {
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
      remedy: "Stop the server, then run `plumb redigest --from BACKUP` with a backup that has these records. "
        + "Otherwise they are reported as lost when the server starts.")
    if !files.fileExists(atPath: folder.plumb) {
      part.notes.append("plumb.db is missing: the server creates a new one and digests the records in the journal")
    }
    do {
      let found = try JournalConsistency.read(journal: folder.journal, store: folder.plumb)
      part.summary = "digested through record \(found.applied), received through \(found.last)"
      part.faults = found.missing.map {
        "records \($0.lowerBound)–\($0.upperBound) are neither in journal.db nor in plumb.db"
      }
      if found.isJournalOlder {
        part.notes.append("journal.db ends before record \(found.applied): \(JournalLoss.meaning)")
      }
      if found.waiting > 0 { part.notes.append("\(found.waiting) records are waiting to be digested") }
    } catch {
      part.faults = ["\(error)"]
    }
    return part
  }

  private func secret() -> Part? {
    guard files.fileExists(atPath: folder.journal) || files.fileExists(atPath: folder.secret) else { return nil }
    var part = Part(
      name: "secret", summary: "readable", faults: [],
      remedy: "Restore the secret from a backup. With another secret, every known user is counted as new.")
    guard files.fileExists(atPath: folder.secret) else {
      part.faults = ["the file is missing"]
      return part
    }
    do { _ = try SecretFile.readOrCreate(in: folder.url.path) } catch { part.faults = [error.description] }
    return part
  }

  private func symbols() -> Part? {
    guard files.fileExists(atPath: folder.symbols) else { return nil }
    var part = Part(
      name: "symbols", summary: "", faults: [],
      remedy: "Upload the symbols again with `plumb symbols upload`. The numbers do not depend on them.")
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
      remedy: "Correct the file. `plumb budgets lint FILE` shows the lines.")
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
  /// The error with its remedy, if a damaged database of the folder at `path` is the cause.
  public static func advised(_ error: any Error, in path: String) -> any Error {
    guard DatabaseFileError.isDamage(error) else { return error }
    let named = (error as? DatabaseFileError)?.file
    let folder = DataFolder(path)
    // If the error names no file, find it by checking the pages of all.
    let file =
      named
      ?? DataFolderDatabase.allCases.first { file in
        do { return try DataFolderDatabase.damage(at: folder.path(of: file)) != nil } catch { return false }
      }
    guard let file else { return error }
    return UserFacingError("\(file.rawValue) is damaged: \(error). \(file.remedy)")
  }
}

extension DataFolderDatabase {
  /// How to repair a damaged file. `LostFileTests` and `DamagedFileTests` follow these steps.
  var remedy: String {
    switch self {
    case .control:
      "Stop the server and restore the folder with `plumb restore`. The backup's plumb.db may be older."
    case .plumb:
      "For single rows, run `plumb verify --set-aside`, which quarantines them. If the file itself is damaged, stop "
        + "the server and run `plumb redigest --from BACKUP`, which rebuilds it from a backup and the journal."
    case .journal:
      "Unreadable records are quarantined by the digest. If the file itself is damaged, stop the server and move "
        + "journal.db with its -wal and -shm away. Records that were not digested are then lost, and payloads of the "
        + "last seven days count twice if they are sent again."
    case .samples:
      "The numbers do not depend on samples.db. Stop the server and move samples.db with its -wal and -shm away, or "
        + "replace it with the file of a backup."
    }
  }
}
