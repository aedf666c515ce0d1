import GRDB
import Storage

/// Gives pages that deleted rows left back to the file system.
///
/// Files are made with `auto_vacuum` INCREMENTAL. Files of versions before that have no way to shrink until they are
/// written anew once, which needs the room of another copy.
struct FreePages {
  private let writer: any DatabaseWriter

  init(_ writer: any DatabaseWriter) { self.writer = writer }

  /// Pages that one transaction gives back, so that other writers wait for a moment only.
  private static let portion = 2_000
  /// The share of free pages that a file keeps for new rows unless all are asked for: giving them back and taking them
  /// again every hour would cost more than they are worth.
  private static let kept = 8

  /// Gives free pages back: all of them, or those of a file that is more than an eighth free. Returns the bytes.
  func release(all: Bool) throws -> Int {
    let (before, size) = try writer.read { (try Self.free($0), try Self.number("page_count", $0)) }
    guard before > 0, all || before > size / Self.kept else { return 0 }
    guard try writer.read({ try Self.number("auto_vacuum", $0) }) == Self.incremental else { return 0 }
    var free = before
    while free > 0 {
      let left = try writer.writeWithoutTransaction { database in
        // The pragma frees a page with each step, so that all of its rows must be read.
        _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum(\(Self.portion))")
        return try Self.free(database)
      }
      if left >= free { break }
      free = left
    }
    let pageSize = try writer.read { try Self.number("page_size", $0) }
    try truncateLog()
    return (before - free) * pageSize
  }

  /// Writes a file of an older version anew, so that it can shrink. `room`: the bytes that may be used for the copy.
  /// False if there is not enough room, or nothing to do.
  func convert(room: Int) throws -> Bool {
    let (mode, bytes) = try writer.read {
      (try Self.number("auto_vacuum", $0), try Self.number("page_count", $0) * Self.number("page_size", $0))
    }
    // The copy is made in a file beside it, and then goes through the log.
    guard mode != Self.incremental, bytes * 2 < room else { return false }
    try vacuum()
    try truncateLog()
    return true
  }

  private func vacuum() throws {
    try writer.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try database.execute(sql: "VACUUM")
    }
  }

  /// Writes the file anew, so that it has no byte of deleted rows: SQLite leaves them in free pages and, where a page was
  /// rearranged, within pages that are in use. `room`: the bytes that the disk has. Other writers of the file wait.
  func rewrite(room: Int) throws -> FileRewrite {
    let bytes = try writer.read { try Self.number("page_count", $0) * Self.number("page_size", $0) }
    // A copy in a file without a name, and one in the log.
    let needed = bytes.multipliedReportingOverflow(by: 2).partialValue + Self.spare
    guard needed <= room else { return .needs(bytes: needed) }
    try vacuum()
    return try emptyLog() ? .done : .isRead
  }

  /// Moves the log into the file, and empties it. False while someone reads what it was before.
  func emptyLog() throws -> Bool {
    try writer.writeWithoutTransaction { database in
      // Other writers wait with it.
      try database.execute(sql: "PRAGMA busy_timeout = 200")
      let answer = Result { try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
      try database.execute(sql: "PRAGMA busy_timeout = \(Connections.busyMilliseconds)")
      return try answer.get().map { try $0.value(0, as: Int.self) == 0 } ?? false
    }
  }

  private static let spare = 1 << 20

  /// Moves the log into the file, whose end is cut off then. Does nothing while others read it.
  private func truncateLog() throws {
    try writer.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  private static let incremental = 2

  private static func free(_ database: Database) throws -> Int { try number("freelist_count", database) }

  private static func number(_ pragma: String, _ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
  }
}

extension SQLiteStore {
  /// Gives free pages of `plumb.db` and `samples.db` back; see `SQLiteJournal.releaseSpace`.
  public func releaseSpace(all: Bool, convertingWithin room: Int = 0) throws -> Int {
    var bytes = 0
    for writer in [file] + (samples.map { [$0.database as any DatabaseWriter] } ?? []) {
      if room > 0 { _ = try FreePages(writer).convert(room: room) }
      bytes += try FreePages(writer).release(all: all)
    }
    return bytes
  }
}

extension SQLiteJournal {
  /// Gives free pages back to the file system: all of them, or those of a file that is more than an eighth free. Files of
  /// older versions are written anew first if that fits into `room` bytes; nothing else can be written meanwhile.
  public func releaseSpace(all: Bool, convertingWithin room: Int = 0) throws -> Int {
    if room > 0 { _ = try FreePages(writer).convert(room: room) }
    return try FreePages(writer).release(all: all)
  }
}

/// A database that can be written anew as a whole.
protocol PagedFile: RewritableFile {
  var pages: FreePages { get }
}

extension PagedFile {
  public func rewrite(room: Int) throws -> FileRewrite { try pages.rewrite(room: room) }
  public func emptyLog() throws -> Bool { try pages.emptyLog() }
}

extension SQLiteStore: PagedFile {
  var pages: FreePages { FreePages(file) }
}

extension SQLiteDiagnosticBodies: PagedFile {
  var pages: FreePages { FreePages(database) }
}

extension SQLiteJournal: PagedFile {
  var pages: FreePages { FreePages(writer) }
}

extension SQLiteControlStore: PagedFile {
  var pages: FreePages { FreePages(database) }
}
