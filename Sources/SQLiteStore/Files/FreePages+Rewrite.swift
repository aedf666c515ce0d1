import GRDB
import Storage

extension FreePages {
  /// Rewrites the file so that it has no bytes of deleted rows. SQLite leaves them in free pages and, if a page was
  /// rearranged, within used pages. `room`: the free bytes of the disk. Other writers of the file wait.
  func rewrite(room: Int) throws -> FileRewrite {
    let bytes = try writer.read { try Self.number("page_count", $0) * Self.number("page_size", $0) }
    // One copy in an unnamed file, and one in the log.
    let needed = bytes.multipliedReportingOverflow(by: 2).partialValue + Self.spare
    guard needed <= room else { return .needs(bytes: needed) }
    try vacuum()
    return try emptyLog() ? .done : .isRead
  }

  /// Moves the log into the file and empties it. Returns false while a reader uses an older state.
  func emptyLog() throws -> Bool {
    try writer.writeWithoutTransaction { database in
      // Other writers wait during this time.
      try database.execute(sql: "PRAGMA busy_timeout = 200")
      let answer = Result { try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
      try database.execute(sql: "PRAGMA busy_timeout = \(Connections.busyMilliseconds)")
      return try answer.get().map { try $0.value(0, as: Int.self) == 0 } ?? false
    }
  }

  private static let spare = 1 << 20
}

/// A database that can be rewritten completely.
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

extension SQLiteSampleStore: PagedFile {
  var pages: FreePages { FreePages(database) }
}

extension SQLiteJournal: PagedFile {
  var pages: FreePages { FreePages(writer) }
}

extension SQLiteControlStore: PagedFile {
  var pages: FreePages { FreePages(database) }
}
