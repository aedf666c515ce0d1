public import Analysis
import ClickHouseStore
import Core
import Foundation
internal import Ingest
import Logging
public import SQLiteStore
public import Storage
public import Symbols
import Web

/// An open data folder with its databases.
public struct Installation: Sendable {
  public let folder: DataFolder
  public let control: any ControlStore & WrittenAmounts & ErasureRequests

  /// Opens the folder at `path`, and creates missing files. `migrates`: whether to upgrade databases of an older
  /// version, which otherwise throw `SchemaError`. `isServer`: whether `control.db` can be changed even in the folder
  /// of a standby.
  public static func creating(
    _ path: String, migrates: Bool = false, isServer: Bool = false
  ) throws -> Installation {
    let folder = try DataFolder(creating: path)
    guard !FolderRestore.isUnfinished(folder) else {
      throw UserFacingError(
        "A restore into \(path) is running or was interrupted. Wait until it ends, or empty the folder and run "
          + "`plumb restore` again."
      )
    }
    let hasNumbers = FileManager.default.fileExists(atPath: folder.plumb)
    if hasNumbers, !FileManager.default.fileExists(atPath: folder.control) { throw LostFile(folder.control, folder) }
    let isReadOnly = try !isServer && StandbyMarker.read(folder) != nil
    let control = try SQLiteControlStore(folder: folder.url.path, migrates: migrates, isReadOnly: isReadOnly)
    // A control database from a backup may lack the newest apps. Their ids must not be reused.
    if hasNumbers, !isReadOnly { try control.reserveAppIDs(through: SQLiteStore.largestApp(in: folder.plumb)) }
    return Installation(folder: folder, control: control)
  }

  /// The folder's secret, which is created with the folder. Throws if it is missing but there are numbers: with another
  /// secret, every known user would be new, and repeated payloads would count again.
  func secret() throws -> [UInt8] {
    let files = FileManager.default
    if !files.fileExists(atPath: folder.secret) {
      // A read-only command can create an empty plumb.db.
      let hasRows = try files.fileExists(atPath: folder.plumb) && SQLiteStore.largestApp(in: folder.plumb) > 0
      if hasRows || files.fileExists(atPath: folder.journal) { throw LostFile(folder.secret, folder) }
    }
    return try SecretFile.readOrCreate(in: folder.url.path)
  }

  /// Opens the folder at `path`. Throws `NoDataFolder` if there is none.
  public static func existing(_ path: String) throws -> Installation {
    let folder = try existingFolder(path)
    return Installation(
      folder: folder,
      control: try SQLiteControlStore(folder: folder.url.path, isReadOnly: StandbyMarker.read(folder) != nil))
  }

  /// The paths of the folder at `path`. Opens no database. Throws `NoDataFolder` if there is no folder.
  static func existingFolder(_ path: String) throws -> DataFolder {
    guard let folder = DataFolder(existing: path) else {
      let lost = DataFolder(path)
      if FileManager.default.fileExists(atPath: lost.plumb) { throw LostFile(lost.control, lost) }
      throw NoDataFolder(path: path)
    }
    return folder
  }

  /// Upgrades every database of an existing folder to the current schema. `copies`: whether to copy older databases
  /// first. Returns the path of the copy. Throws `FolderInUse` while a server or another command runs, which may not
  /// support the new schema.
  @discardableResult public static func migrate(_ path: String, copies: Bool = true) throws -> String? {
    let folder = try existingFolder(path)
    let locks = try FolderLock.all(of: folder)
    defer { withExtendedLifetime(locks) {} }
    return try upgrade(folder, copies: copies)
  }

  /// Upgrades every database of a folder. The caller holds its locks.
  @discardableResult static func upgrade(_ folder: DataFolder, copies: Bool = true) throws -> String? {
    let copy = copies ? try AutomaticBackups(folder).makeBeforeMigration(now: Date()) : nil
    let installation = try creating(folder.url.path, migrates: true)
    try installation.rowCluster()?.migrate()
    let store = try installation.store(migrating: true)
    _ = try SQLiteSampleStore(path: installation.folder.samples)
    _ = try SQLiteJournal(path: installation.folder.journal) { try store.position(of: $0).through }
    return copy
  }

  /// Whether another process serves, digests or changes the folder at `path`.
  public static func isInUse(_ path: String) throws -> Bool {
    do {
      _ = try FolderLock.all(of: DataFolder(path))
      return false
    } catch is FolderInUse {
      return true
    }
  }

  /// The error of a command in the folder at `path`; for a change of a standby, with the remedy, and for a database
  /// without its SQL.
  public static func explained(_ error: any Error, in path: String) -> any Error {
    if SQLiteControlStore.isReadOnly(error), let marker = try? StandbyMarker.read(DataFolder(path)) {
      return StandbyIsReadOnly(primary: marker.primary)
    }
    guard let text = DatabaseFileError.text(error) else { return error }
    // Without room for its shared memory, SQLite reports an error of input and output.
    if let space = try? FreeSpace.of(path), space.free < 1 << 16 {
      return UserFacingError("\(path): the disk is full: \(text).")
    }
    return error is DatabaseFileError ? error : UserFacingError("\(path): \(text).")
  }

  /// Whether an error means that the databases have another version. Commands then exit with status 3, "could not
  /// evaluate".
  public static func isOfAnotherVersion(_ error: any Error) -> Bool { error is SchemaError }

  /// Opens the diagnostic bodies. Moves a damaged file away, starts a new one and logs it. Numbers do not depend on
  /// the file.
  func samples(limits: SampleLimits, _ logger: Logger) throws -> SQLiteSampleStore {
    let report: @Sendable (any Error) -> Void = {
      logger.error("\($0). Call stacks and diagnostic bodies are not stored. Run `plumb verify` for the remedy.")
    }
    do {
      return try SQLiteSampleStore(path: folder.samples, limits: limits, report: report)
    } catch let error as DatabaseFileError where error.isDamage {
      let kept = try FileQuarantine.moveAway(folder.samples, with: DataFolderDatabase.companions)
      logger.error(
        """
        \(error). The file was moved to \(kept), and a new file for call stacks and diagnostic bodies was created. The \
        numbers do not depend on this file.
        """
      )
      return try SQLiteSampleStore(path: folder.samples, limits: limits, report: report)
    }
  }

  func store(
    samples: SQLiteSampleStore? = nil, migrating: Bool = false, retention: Retention = Retention()
  ) throws -> SQLiteStore {
    let isNew = !FileManager.default.fileExists(atPath: folder.plumb)
    var limits = StoreLimits()
    limits.retention = retention
    return try SQLiteStore(
      path: folder.plumb, samples: samples, migrating: migrating || isNew, limits: limits, facts: try rowCluster())
  }

  /// The ClickHouse servers with the rows; nil if the rows are in the folder.
  func rowCluster() throws -> FactCluster? { try ClickHouseServers.read(folder)?.connect() }
}

/// The error of a command that needs a data folder where there is none. Commands exit with status 3, as for databases
/// of another version.
public struct NoDataFolder: Error, CustomStringConvertible {
  let path: String

  public var description: String {
    "There is no data folder at \(path). Name it with --data, or create it with `plumb app add com.example.shop`."
  }
}

/// The error of a command that needs exclusive access to a folder while another process uses it.
public struct FolderInUse: Error, CustomStringConvertible {
  let path: String

  public var description: String {
    "A server or another command is using \(path). Stop it, or wait until it ends."
  }
}

extension FolderLock {
  /// The locks for exclusive access to a folder. No server and no writing command runs until they are released. Throws
  /// `FolderInUse`.
  static func all(of folder: DataFolder) throws -> [FolderLock] {
    try [folder.serveLock, folder.digestLock, folder.useLock].map { path in
      guard let lock = try FolderLock(path: path) else { throw FolderInUse(path: folder.url.path) }
      return lock
    }
  }

  /// The lock for shared write access. Take it before a database is opened, because a process with exclusive access may
  /// replace the file. Throws `FolderInUse`.
  static func shared(of folder: DataFolder) throws -> FolderLock {
    // Another process may hold it exclusively for a moment, to check whether it is free.
    for _ in 0..<20 {
      if let lock = try FolderLock(path: folder.useLock, isShared: true) { return lock }
      usleep(50_000)
    }
    throw FolderInUse(path: folder.url.path)
  }
}

// MARK: - Apps

extension Installation {
  /// The app with this bundle identifier. Throws `ControlError.noSuchApp` if there is none.
  public func app(_ bundleID: String) throws -> App {
    guard let app = try control.app(bundleID: bundleID) else { throw ControlError.noSuchApp(bundleID) }
    return app
  }

  /// The app with this bundle identifier; all apps if it is nil.
  public func apps(_ bundleID: String?) throws -> [App] {
    if let bundleID { return [try app(bundleID)] }
    let all = try control.apps()
    guard !all.isEmpty else {
      throw UserFacingError("There are no apps yet. Add one with `plumb app add com.example.shop`.")
    }
    return all
  }

  /// Calls `body` with a reader of one app's numbers, on one snapshot of the store. `budgets`: the path of a budget
  /// file, which must not name another app; nil to use the file in the data folder.
  public func read<Result>(_ app: App, budgets: String?, _ body: (HealthReader) throws -> Result) throws -> Result {
    let repository = BudgetRepository(self, file: budgets)
    try repository.check(against: [app])
    let store = try store()
    return try store.snapshot { try body(try repository.health(of: app, store)) }
  }

  /// The reader of crash and hang groups, with function names from uploaded symbols. `report`: receives messages about
  /// symbols that cannot be read.
  public func groups(_ settings: Settings, report: @escaping @Sendable (String) -> Void) throws -> GroupReader {
    let store = try store(samples: SQLiteSampleStore(path: folder.samples))
    let symbols = try Symbolizer.ofProcess(try symbols(settings), settings, report: report)
    return GroupReader(
      self, store, HealthReader(store: store, budgets: []), symbols: symbols, limits: try settings.sampleLimits())
  }
}

// MARK: - Symbols

extension Installation {
  /// The folder of uploaded symbols. The setting `symbols-limit` bounds its size in bytes; the default is 20 GiB.
  public func symbols(_ settings: Settings) throws -> SymbolFolder {
    let limit = try settings.number("symbols-limit", default: Settings.Default.symbolsLimit)
    return try SymbolFolder(path: folder.symbols, limit: limit)
  }

  /// The folder of uploaded symbols. Moves away a file in its place and logs it. Numbers do not depend on symbols.
  func usableSymbols(_ settings: Settings, _ logger: Logger) throws -> SymbolFolder {
    do {
      return try symbols(settings)
    } catch let error as SymbolFolderError {
      // A folder that is only not writable stays where it is.
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: folder.symbols, isDirectory: &isFolder)
      guard isThere, !isFolder.boolValue else { throw error }
      let kept = try FileQuarantine.moveAway(folder.symbols)
      logger.error(
        """
        \(error). The file in its place was moved to \(kept), and a new symbols folder was created. Upload the symbols \
        again.
        """)
      return try symbols(settings)
    }
  }

  /// The binaries named in diagnostics of an app's builds, the newest build first.
  public func imagesSeen(of app: App) throws -> [SeenImage] { try store().imagesSeen(of: app) }
}

extension SQLiteStore {
  /// The binaries named in diagnostics of an app's builds, the newest build first.
  func imagesSeen(of app: App) throws -> [SeenImage] {
    try images(of: app.id).map { image in
      SeenImage(release: image.release, name: image.name, uuid: image.uuid, isOwn: image.isOwn)
    }.sorted { VersionOrder.precedes($1.release, $0.release) }
  }
}

extension GroupReader {
  /// The reader of an installation's groups. `symbols`: the source of function names. `limits`: how many bodies of
  /// diagnostics are stored.
  init(
    _ installation: Installation, _ store: SQLiteStore, _ health: HealthReader, symbols: any SymbolSource,
    limits: SampleLimits = SampleLimits()
  ) {
    self.init(store: store, health: health, states: installation.control, symbols: symbols, limits: limits) {
      try DiagnosticSignature.callTree(CompressibleBytes($0.calls, isFrame: true))
    }
  }
}
