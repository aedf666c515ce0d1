import Foundation
import GRDB

/// The opening of SQLite databases with Plumb's settings: WAL, a busy timeout of five seconds, small caches.
enum Connections {
  enum Durability: String {
    /// A commit returns only when it is on disk.
    case full = "FULL"
    /// A commit survives a crash of the process. A power failure may undo the last commits but leaves the database
    /// consistent.
    case normal = "NORMAL"
  }

  static let busyMilliseconds = 5_000

  /// `cache`: the size of the page cache in KiB.
  static func configuration(
    _ durability: Durability, readonly: Bool = false, cache: Int = Cache.usual
  ) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readonly
    configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
    configuration.maximumReaderCount = 6
    configuration.prepareDatabase { database in
      // Set before the first table is created, so that a new file can shrink. It changes nothing in a file with tables.
      if !database.configuration.readonly { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
      try database.execute(sql: "PRAGMA synchronous = \(durability.rawValue)")
      // Debian's SQLite enables secure_delete by default, which would write every purged page once more.
      try database.execute(sql: "PRAGMA secure_delete = OFF")
      try database.execute(sql: "PRAGMA cache_size = -\(cache)")
      if !readonly { try database.execute(sql: "PRAGMA journal_size_limit = 16777216") }
    }
    return configuration
  }

  /// Sizes of page caches in KiB.
  enum Cache {
    /// For the journal, which is written at its end and read from its beginning, and for samples, which are rarely read.
    static let small = 512
    static let usual = 8 << 10
    /// For changes that are spread over a large table.
    static let large = 32 << 10
  }

  /// Runs `body` with a page cache four times as large. Sessions are spread over the index by user, so with a small
  /// cache each row would write out a changed page and read another one.
  static func withLargeCache<Value>(
    _ database: Database, if isNeeded: Bool, _ body: () throws -> Value
  ) throws -> Value {
    guard isNeeded else { return try body() }
    try database.execute(sql: "PRAGMA cache_size = -\(Cache.large)")
    let value = Result { try body() }
    try database.execute(sql: "PRAGMA cache_size = -\(Cache.usual)")
    return try value.get()
  }

  /// Opens one connection with write-ahead logging.
  static func queue(_ path: String, _ durability: Durability, cache: Int = Cache.usual) throws -> DatabaseQueue {
    try naming(path) {
      let queue = try DatabaseQueue(path: path, configuration: configuration(durability, cache: cache))
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try protect(path)
      return queue
    }
  }

  /// Opens one connection that changes nothing.
  static func readOnly(_ path: String, _ durability: Durability = .normal) throws -> DatabaseQueue {
    func open() throws -> DatabaseQueue {
      try DatabaseQueue(path: path, configuration: configuration(durability, readonly: true))
    }
    do {
      return try open()
    } catch DatabaseError.SQLITE_READONLY_ROLLBACK {
      // A process was killed in a transaction, before the file used write-ahead logging: a copied file is switched to
      // it when it is first opened. Only a connection that may write undoes the transaction.
      let repairing = try DatabaseQueue(path: path, configuration: configuration(.full))
      try repairing.close()
      return try open()
    }
  }

  /// Opens a pool of one writer and a few readers.
  static func pool(_ path: String, _ durability: Durability) throws -> DatabasePool {
    try naming(path) {
      let pool = try DatabasePool(path: path, configuration: configuration(durability))
      try protect(path)
      return pool
    }
  }

  /// Runs `body` and adds the file name to its errors, which SQLite's own errors lack.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DatabaseError { throw DatabaseFileError(path: path, cause: error) }
  }

  private static func protect(_ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }
}
