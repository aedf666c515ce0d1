import Core
import Foundation
import GRDB
public import Storage

/// The disk usage of the kinds of data in a data folder. It reads every page of the databases.
public struct StorageUsage {
  private let folder: DataFolder

  public init(_ folder: DataFolder) { self.folder = folder }

  /// The kinds of rows with their tables; the rows of the first table are counted.
  private static let kinds: [(name: String, file: File, tables: [String], oldest: String)] = [
    (
      "fine", .plumb, [rows(.cells), RowTables.packs, rows(.daySums), "arrival"],
      "SELECT min(start) / 1440 FROM \(rows(.cells))"
    ),
    (
      "daily", .plumb, [rows(.rollups), "release_life", "slice", "tally"],
      "SELECT min(first_day) FROM release_life"
    ),
    (
      "sessions", .plumb, ["session", "stream", "installation", "session_age", "measurement_age", "arrival_delay"],
      "SELECT min(received) FROM session"
    ),
    (
      "diagnostics", .plumb, ["diagnostic", "signature", "signature_life", "diagnostic_group", "image"],
      "SELECT min(day) FROM diagnostic"
    ),
    ("samples", .samples, ["sample", "stack"], "SELECT min(received) / 86400000 FROM sample"),
    ("journal", .journal, ["batch", "receipt"], "SELECT min(received) / 86400000 FROM batch"),
  ]

  private static func rows(_ table: RowTables.Table) -> String { table.rawValue }

  private enum File: CaseIterable {
    case plumb
    case samples
    case journal
    case control
  }

  private func path(of file: File) -> String {
    switch file {
    case .plumb: folder.plumb
    case .samples: folder.samples
    case .journal: folder.journal
    case .control: folder.control
    }
  }

  /// The kinds in a fixed order, then symbols, the other contents of the files, and their free pages.
  public func kinds() throws -> [StoredKind] {
    var (kinds, other, free): ([StoredKind], Int, Int) = ([], 0, 0)
    for part in File.allCases where FileManager.default.fileExists(atPath: path(of: part)) {
      let path = path(of: part)
      try Connections.naming(path) {
        let file = try Connections.readOnly(path)
        try file.read { database in
          var bytes = try Self.bytes(database)
          for kind in Self.kinds where kind.file == part {
            kinds.append(try Self.measure(kind.name, kind.tables, kind.oldest, &bytes, database))
          }
          other += bytes.values.reduce(0, +)
          free +=
            try (Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0)
            * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
      }
      for suffix in DataFolderDatabase.companions { other += Self.size(path + suffix) }
    }
    kinds.append(StoredKind(name: "symbols", bytes: Self.folderSize(folder.symbols)))
    kinds.append(StoredKind(name: "other", bytes: other))
    kinds.append(StoredKind(name: "free pages", bytes: free))
    return kinds
  }

  /// The size of all files in the folder, in bytes.
  public func size() -> Int { Self.folderSize(folder.url.path) }

  private static func measure(
    _ name: String, _ tables: [String], _ oldest: String, _ bytes: inout [String: Int], _ database: Database
  ) throws -> StoredKind {
    var kind = StoredKind(name: name, bytes: 0)
    for table in tables { kind.bytes += bytes.removeValue(forKey: table) ?? 0 }
    kind.rows = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(tables[0])")
    kind.oldest = try Int.fetchOne(database, sql: oldest).map(CalendarDay.init(number:))
    return kind
  }

  /// The size of each table with its indexes, in bytes, from SQLite's `dbstat`.
  private static func bytes(_ database: Database) throws -> [String: Int] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT coalesce(object.tbl_name, dbstat.name), sum(dbstat.pgsize) FROM dbstat
        LEFT JOIN sqlite_schema AS object ON object.name = dbstat.name WHERE aggregate = TRUE GROUP BY 1
        """)
    return try rows.reduce(into: [:]) { found, row in found[try row.value(0, as: String.self)] = row.count(1) }
  }

  private static func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  private static func folderSize(_ path: String) -> Int {
    var sum = 0
    let names = FileManager.default.enumerator(atPath: path)
    while let name = names?.nextObject() as? String { sum = sum.saturatingAdd(size(path + "/" + name)) }
    return sum
  }
}
