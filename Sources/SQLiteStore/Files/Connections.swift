import Foundation
import GRDB

/// Opens SQLite databases with Plumb's settings: WAL, a busy timeout of five seconds, small caches.
enum Connections {
  enum Durability: String {
    /// A commit returns only once it is on disk.
    case full = "FULL"
    /// A commit survives a crash of the process. A power failure may undo the last ones and leaves the database
    /// consistent.
    case normal = "NORMAL"
  }

  static let busyMilliseconds = 5_000

  static func configuration(_ durability: Durability, readonly: Bool = false) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readonly
    configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
    configuration.maximumReaderCount = 6
    configuration.prepareDatabase { database in
      // Before the first table is made: a new file can shrink. It changes nothing in a file that has tables.
      if !database.configuration.readonly { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
      try database.execute(sql: "PRAGMA synchronous = \(durability.rawValue)")
      // Debian's SQLite has secure_delete on by default, which would write every purged page once more.
      try database.execute(sql: "PRAGMA secure_delete = OFF")
      try database.execute(sql: "PRAGMA cache_size = -\(cache.usual)")
      if !readonly { try database.execute(sql: "PRAGMA journal_size_limit = 16777216") }
    }
    return configuration
  }

  /// The memory for a connection's pages in KiB, and that for changes all over a large table.
  private static let cache = (usual: 8 << 10, large: 32 << 10)

  /// Runs `body` with room for four times as many pages. Sessions are spread over the index by user: in a small cache each
  /// row would write out a changed page and read another.
  static func withLargeCache<Value>(
    _ database: Database, if isNeeded: Bool, _ body: () throws -> Value
  ) throws -> Value {
    guard isNeeded else { return try body() }
    try database.execute(sql: "PRAGMA cache_size = -\(cache.large)")
    let value = Result { try body() }
    try database.execute(sql: "PRAGMA cache_size = -\(cache.usual)")
    return try value.get()
  }

  /// Opens one connection with write-ahead logging.
  static func queue(_ path: String, _ durability: Durability) throws -> DatabaseQueue {
    try naming(path) {
      let queue = try DatabaseQueue(path: path, configuration: configuration(durability))
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try protect(path)
      return queue
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

  /// Runs `body`, whose errors then name the file: SQLite's own say only what is wrong.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as DatabaseError { throw DatabaseFileError(path: path, cause: error) }
  }

  private static func protect(_ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }
}

/// The error of a database that cannot be opened, read or written, with its file.
public struct DatabaseFileError: Error, CustomStringConvertible {
  let path: String
  let cause: DatabaseError

  /// Which of the data folder's databases it is; nil for another file.
  public var file: DatabaseFile? { DatabaseFile(rawValue: URL(fileURLWithPath: path).lastPathComponent) }

  /// Whether the file's bytes are the cause, and not the disk or another process.
  public var isDamage: Bool { Self.isDamage(cause) }

  /// Whether an error means that the bytes of a database are damaged.
  public static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? DatabaseFileError { return error.isDamage }
    return (error as? DatabaseError).map(isDamage) ?? false
  }

  static func isDamage(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
  }

  public var description: String {
    "\(path): \(cause.message ?? "\(cause.resultCode)") (SQLite \(cause.resultCode.rawValue))"
  }
}
