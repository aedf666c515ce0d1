import GRDB

/// The return of free pages, which deleted rows left behind, to the file system.
///
/// Files are created with `auto_vacuum` INCREMENTAL. Files of older versions cannot shrink until they are rewritten
/// once, which needs the space of another copy.
struct FreePages {
  let writer: any DatabaseWriter

  init(_ writer: any DatabaseWriter) { self.writer = writer }

  /// The number of pages that one transaction returns, so that other writers wait only for a moment.
  private static let portion = 2_000
  /// The fraction (one in eight) of the file that stays free for new rows by default. Returning pages and allocating
  /// them again every hour would cost more than it saves.
  private static let kept = 8

  /// Returns free pages to the file system: all of them, or those of a file that is more than an eighth free. The
  /// result is their size in bytes.
  func release(all: Bool) throws -> Int {
    let (before, size) = try writer.read { (try Self.free($0), try Self.number("page_count", $0)) }
    guard before > 0, all || before > size / Self.kept else { return 0 }
    guard try writer.read({ try Self.number("auto_vacuum", $0) }) == Self.incremental else { return 0 }
    var free = before
    while free > 0 {
      let left = try writer.writeWithoutTransaction { database in
        // The pragma frees one page per step, so all of its rows must be read.
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

  /// Rewrites a file of an older version so that it can shrink. `room`: the number of bytes that the copy may use.
  /// Returns false if there is not enough space or nothing to do.
  func convert(room: Int) throws -> Bool {
    let (mode, bytes) = try writer.read {
      (try Self.number("auto_vacuum", $0), try Self.number("page_count", $0) * Self.number("page_size", $0))
    }
    // The copy is created in a temporary file and then goes through the log.
    guard mode != Self.incremental, bytes * 2 < room else { return false }
    try vacuum()
    try truncateLog()
    return true
  }

  func vacuum() throws {
    try writer.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      try database.execute(sql: "VACUUM")
    }
  }

  /// Moves the log into the file and truncates it. Does nothing while others read it.
  private func truncateLog() throws {
    try writer.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  private static let incremental = 2

  private static func free(_ database: Database) throws -> Int { try number("freelist_count", database) }

  static func number(_ pragma: String, _ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
  }
}

extension SQLiteStore {
  /// Returns free pages of `plumb.db` and `samples.db`; see `SQLiteJournal.releaseSpace`.
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
  /// Returns free pages to the file system: all of them, or those of a file that is more than an eighth free. Files of
  /// older versions are first rewritten if that fits into `room` bytes; nothing else can be written in the meantime.
  public func releaseSpace(all: Bool, convertingWithin room: Int = 0) throws -> Int {
    if room > 0 { _ = try FreePages(writer).convert(room: room) }
    return try FreePages(writer).release(all: all)
  }
}

enum UsedPages {
  /// The size of the used pages of a database, in bytes.
  static func bytes(in database: Database) throws -> Int {
    func value(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
    return try (value("page_count") - value("freelist_count")) * value("page_size")
  }
}
