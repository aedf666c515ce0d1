import Core
import Foundation
import GRDB
import Storage

/// The division of an ingest node's batch into requests: the column `requests`. With it the primary counts an
/// idempotency key once, whichever nodes received it.
///
/// Each entry has the number of records, then 0 for requests without a key, or 1 with app, key, hash of the body and
/// time of receipt. Consecutive requests without a key form one entry.
struct BatchRequestList {
  struct Entry {
    var count: Int
    /// Nil for requests without a key.
    var keyed: (app: AppID, receipt: Receipt, received: Timestamp)?
  }

  private(set) var entries: [Entry] = []

  init() {}

  mutating func append(_ request: PendingRecords) {
    if let receipt = request.receipt {
      entries.append(Entry(count: request.count, keyed: (request.app, receipt, request.received)))
    } else if let last = entries.indices.last, entries[last].keyed == nil {
      entries[last].count += request.count
    } else {
      entries.append(Entry(count: request.count, keyed: nil))
    }
  }

  /// Stores the list of the batch that ends with `through`.
  func store(for through: Int64, in database: Database) throws {
    let statement = try database.cachedStatement(sql: "UPDATE batch SET requests = ? WHERE through = ?")
    try statement.execute(arguments: [Data(bytes), through])
  }

  private var bytes: [UInt8] {
    var writer = ByteWriter(reserving: entries.count * 32)
    for entry in entries {
      writer.count(entry.count)
      writer.byte(entry.keyed == nil ? 0 : 1)
      guard let keyed = entry.keyed else { continue }
      writer.count(Int(keyed.app))
      writer.fixed(keyed.receipt.key)
      writer.fixed(keyed.receipt.content)
      writer.signed(keyed.received.milliseconds)
    }
    return writer.bytes
  }

  /// The list of a batch of `total` records. A damaged list is replaced by a single entry without a key.
  init(_ stored: UnsafeRawBufferPointer, total: Int) {
    if let entries = try? Self.entries(stored), entries.reduce(0, { $0.saturatingAdd($1.count) }) == total {
      self.entries = entries
    } else {
      entries = [Entry(count: total, keyed: nil)]
    }
  }

  private static func entries(_ stored: UnsafeRawBufferPointer) throws(DamagedBytes) -> [Entry] {
    var reader = ByteReader(stored)
    var entries: [Entry] = []
    while !reader.isAtEnd {
      let count = try reader.count()
      guard try reader.byte() == 1 else {
        entries.append(Entry(count: count, keyed: nil))
        continue
      }
      guard let app = AppID(exactly: try reader.count()) else { throw DamagedBytes(offset: reader.remaining) }
      let receipt = Receipt(key: try reader.fixed(), content: try reader.fixed())
      entries.append(
        Entry(count: count, keyed: (app, receipt, Timestamp(milliseconds: try reader.signed()))))
    }
    return entries
  }
}
