import Core
import Foundation
import GRDB
import Storage

/// The result of checking one database.
public struct DatabaseVerification: Sendable {
  /// The amount of data read, such as `12,400 rows`.
  public var summary: String
  /// A sentence for each fault.
  public var faults: [String]
  /// Sentences about facts that are not damage.
  public var notes: [String] = []
}

/// The verification of whole databases and of the references in them. It only reads; a server may use the databases in
/// the meantime.
public enum StoreVerification {
  /// The maximum number of faults of one kind that are listed.
  private static let most = 20

  /// Checks every row of `plumb.db`, its counts, and the consistency of groups and diagnostics.
  public static func store(at path: String) throws -> DatabaseVerification {
    try DataFolderDatabase.read(path) { queue in
      try queue.read { database in
        var (rows, faults) = (0, [String]())
        for table in CheckedTable.all where try database.tableExists(table.name) {
          rows += try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name)") ?? 0
          let found = try DamageScan(database).findings(in: table, limit: most)
          faults += found.map { "\($0.place): \($0.about) cannot be read" }
        }
        for (sql, text) in relations {
          guard let count = try Int.fetchOne(database, sql: sql), count > 0 else { continue }
          faults.append("\(count) \(text)")
        }
        var found = DatabaseVerification(summary: "\(rows) rows", faults: faults)
        let sessions = try Int.fetchOne(
          database, sql: "SELECT count(*) FROM quarantine WHERE reason LIKE ?",
          arguments: ["%" + DamageScan.stillCounted])
        let lost = try Int.fetchOne(
          database,
          sql: "SELECT sum(count) FROM quarantine WHERE place = '' AND reason LIKE '%are no longer in the journal'")
        if let lost, lost > 0 {
          found.notes.append(
            "\(lost) records were lost from the journal before they were digested, and are not in the numbers: `plumb "
              + "redigest --from BACKUP` restores those that are in a backup")
        }
        if let sessions, sessions > 0 {
          found.notes += [
            "\(sessions) damaged sessions were quarantined, and the sums of their days still count them: `plumb "
              + "redigest --from BACKUP` recounts these days"
          ]
        }
        return found
      }
    }
  }

  /// Diagnostics that are newer than this many days are always counted by their stack, whatever the retention settings.
  private static let leastCounted = 35

  /// Counts of rows that are inconsistent with others.
  private static let relations = [
    (
      "SELECT count(*) FROM diagnostic WHERE signature NOT NULL AND signature NOT IN (SELECT id FROM signature)",
      "diagnostics belong to a stack that is not stored"
    ),
    (
      "SELECT count(*) FROM signature WHERE member NOT IN (SELECT id FROM diagnostic_group)",
      "stacks belong to a group that is not stored"
    ),
    (
      """
      SELECT count(*) FROM (SELECT signature, count(*) AS found FROM diagnostic
        WHERE signature NOT NULL AND day > unixepoch() / 86400 - \(leastCounted) GROUP BY signature) AS rows
      WHERE found > (SELECT total(count) FROM signature_life WHERE signature_life.signature = rows.signature)
      """,
      "stacks of groups have more diagnostics than they count"
    ),
    (
      """
      SELECT count(*) FROM diagnostic_group WHERE successor NOT NULL
      AND successor NOT IN (SELECT id FROM diagnostic_group)
      """,
      "groups were merged into one that is not stored"
    ),
    (
      """
      SELECT count(*) FROM row_count WHERE kind = 1 AND count <> (SELECT count(*) FROM session
        WHERE session.app = row_count.app)
      """, "apps whose counter of sessions disagrees with their sessions"
    ),
    (
      """
      SELECT count(*) FROM row_count WHERE kind = 2 AND count <> (SELECT count(*) FROM stream
        WHERE stream.app = row_count.app)
      """, "apps whose counter of streams disagrees with their streams"
    ),
    (
      """
      SELECT count(*) FROM row_count WHERE kind = 3 AND count <> (SELECT count(*) FROM diagnostic
        WHERE diagnostic.app = row_count.app)
      """, "apps whose counter of diagnostics disagrees with their diagnostics"
    ),
    (
      """
      SELECT count(*) FROM slice WHERE environment NOT IN (SELECT id FROM environment)
      OR release > 0 AND release NOT IN (SELECT id FROM release) OR os > 0 AND os NOT IN (SELECT id FROM os)
      OR device > 0 AND device NOT IN (SELECT id FROM device)
      OR attribute > 0 AND attribute NOT IN (SELECT id FROM attribute)
      """, "slices that refer to a name that is missing"
    ),
    (
      """
      SELECT count(*) FROM attribute_member WHERE attribute_set NOT IN (SELECT id FROM attribute)
      OR attribute NOT IN (SELECT id FROM attribute)
      """, "members of sets of attribute values that refer to a value that is missing"
    ),
  ]

  /// Checks that the records of every batch in `journal.db` can be separated.
  public static func journal(at path: String) throws -> DatabaseVerification {
    try DataFolderDatabase.read(path) { queue in
      try queue.read { database in
        let compression = RecordCompression()
        var (records, faults): (Int64, [String]) = (0, [])
        var last: Int64?
        let rows = try Row.fetchCursor(
          database, sql: "SELECT through, first, count, dictionary, records FROM batch ORDER BY through")
        while faults.count < most, let row = try rows.next() {
          let through: Int64 = try row.value(0)
          guard let first = try? row.value(1, as: Int64.self), let count = try? row.value(2, as: Int64.self),
            let number = try? row.value(3, as: Int.self), first > 0, first <= through, count == through - first + 1
          else {
            faults.append("the batch that ends with record \(through) has a damaged number")
            last = through
            continue
          }
          if let last, first <= last { faults.append("records \(first)–\(min(last, through)) are stored twice") }
          last = through
          records = records.saturatingAdd(count)
          let content = try row.withUnsafeData(atIndex: 4) { data in
            try (data ?? Data()).withUnsafeBytes { try compression.records($0, dictionary: number) }
          }
          let batch = JournalBatch(first: first, count: Int(count), records: content ?? [])
          if content == nil || !batch.isSeparable { faults.append("records \(first)–\(through) cannot be read") }
        }
        return DatabaseVerification(summary: "\(records) records", faults: faults)
      }
    }
  }

  /// Checks that every body and call tree in `samples.db` can be unpacked.
  public static func samples(at path: String) throws -> DatabaseVerification {
    try DataFolderDatabase.read(path) { queue in
      try queue.read { database in
        var (count, faults) = (0, [String]())
        let rows = try Row.fetchCursor(
          database,
          sql: """
            SELECT app, identity, calls, body, 1 FROM sample
            UNION ALL SELECT app, identity, calls, x'', 0 FROM stack
            """)
        while faults.count < most, let row = try rows.next() {
          count += row.count(4)
          for (index, name) in [(2, "call stacks"), (3, "body")] {
            let isWhole = try row.withUnsafeData(atIndex: index) { data in
              guard let data, !data.isEmpty else { return data != nil }
              let content = data.withUnsafeBytes { try? Compression.decompress(zstd: $0, limit: largest) }
              return index == 2 ? content != nil : content.flatMap { try? PackedJSON($0).text(limit: largest) } != nil
            }
            if !isWhole {
              faults.append(
                "app \(row[0] as DatabaseValue), diagnostic \(row[1] as DatabaseValue): its \(name) cannot be read")
            }
          }
        }
        return DatabaseVerification(summary: "\(count) diagnostics", faults: faults)
      }
    }
  }

  private static let largest = 64 << 20
}
