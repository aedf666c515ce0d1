import GRDB
import Synchronization

/// The size of the journal records that wait for the digest or, on an ingest node, for the relay.
///
/// Each row is measured once, when it is new, and remembered in portions, so that a backlog of many gigabytes is not
/// read again every second.
public final class JournalBacklogSize: Sendable {
  private struct Portion {
    var through: Int64
    var bytes: Int
  }

  private let journal: SQLiteJournal
  private let portions = Mutex<[Portion]>([])
  /// The approximate size of a portion, in bytes. A portion counts until all of it is applied.
  private static let portion = 1 << 20

  public init(_ journal: SQLiteJournal) { self.journal = journal }

  /// The stored size of the records after `applied`, in bytes.
  public func measure(after applied: Int64) throws -> Int {
    let known = portions.withLock { $0.last?.through }
    let fresh = try read(after: max(known ?? applied, applied))
    return portions.withLock { portions in
      for row in fresh {
        if let last = portions.indices.last, portions[last].bytes < Self.portion {
          portions[last] = Portion(through: row.through, bytes: portions[last].bytes + row.bytes)
        } else {
          portions.append(row)
        }
      }
      portions.removeAll { $0.through <= applied }
      return portions.reduce(0) { $0 + $1.bytes }
    }
  }

  private func read(after sequence: Int64) throws -> [Portion] {
    try journal.reader.read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT through, length(records) FROM batch WHERE through > ? ORDER BY through")
      var found: [Portion] = []
      let rows = try Row.fetchCursor(statement, arguments: [sequence])
      while let row = try rows.next() {
        let (through, bytes): (Int64, Int) = (try row.value(0), try row.value(1))
        if let last = found.indices.last, found[last].bytes < Self.portion {
          found[last] = Portion(through: through, bytes: found[last].bytes + bytes)
        } else {
          found.append(Portion(through: through, bytes: bytes))
        }
      }
      return found
    }
  }
}
