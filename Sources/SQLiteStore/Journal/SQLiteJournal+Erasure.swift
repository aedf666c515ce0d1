import Bytes
import Foundation
import GRDB
public import Record
public import Storage

extension SQLiteJournal {
  /// The sequences of the records that an app sent with an idempotency key, by the key's hash; nil when the key is not
  /// known, or from a version that did not remember them.
  public func records(of app: AppID, receipt key: UInt64) throws -> ClosedRange<Int64>? {
    try Connections.naming(path) {
      try reader.read { database in
        let row = try Row.fetchOne(
          database, sql: "SELECT through, count FROM receipt WHERE app = ? AND key = ?",
          arguments: [app, Int64(bitPattern: key)])
        guard let through: Int64 = try row?.value(0), let count: Int64 = try row?.value(1), count > 0, count <= through
        else { return nil }
        return through - count + 1...through
      }
    }
  }

  /// Takes parts of an app's records out of the journal, so that nothing digests them again. `range` limits it to some
  /// sequences. Returns the number of changed records. Damaged records stay.
  public func erase(_ filter: RecordFilter, of app: AppID, in range: ClosedRange<Int64> = 1...Int64.max) throws -> Int {
    var (changed, next) = (0, range.lowerBound - 1)
    while let batch = try batches(after: next, limit: 1).first, batch.first <= range.upperBound {
      if let edited = Self.edited(batch, filter, app, range) {
        try replace(edited.batch)
        changed += edited.count
      }
      next = batch.through
    }
    return changed
  }

  /// Deletes the idempotency keys of an app.
  public func eraseReceipts(of app: AppID) throws {
    while try writer.write({ try ReceiptTable($0).dropOldest(.max, of: app) }) > 0 {}
  }

  /// A batch with only an app's records of some sequences, of which parts may be taken out; nil when there is none. Its
  /// own sequences mean nothing.
  ///
  /// - Parameter removed: what is taken out, and of which records.
  public static func part(
    _ batch: JournalBatch, of app: AppID, in sequences: ClosedRange<Int64>,
    without removed: (filter: RecordFilter, range: ClosedRange<Int64>)? = nil
  ) -> JournalBatch? {
    var writer = ByteWriter(reserving: batch.records.count)
    var count = 0
    forEachRecord(of: batch) { sequence, bytes in
      guard sequences.contains(sequence), (try? RecordReader(bytes).app()) == app else { return }
      count += 1
      if let removed, removed.range.contains(sequence), let edited = try? RecordEditor.edit(bytes, removed.filter) {
        writer.blob(edited)
      } else {
        writer.blob(bytes)
      }
    }
    return count == 0 ? nil : JournalBatch(first: batch.first, count: count, records: writer.bytes)
  }

  private static func edited(
    _ batch: JournalBatch, _ filter: RecordFilter, _ app: AppID, _ range: ClosedRange<Int64>
  ) -> (batch: JournalBatch, count: Int)? {
    var writer = ByteWriter(reserving: batch.records.count)
    var (changed, seen) = (0, 0)
    forEachRecord(of: batch) { sequence, bytes in
      seen += 1
      if range.contains(sequence), (try? RecordReader(bytes).app()) == app,
        let edited = try? RecordEditor.edit(bytes, filter)
      {
        changed += 1
        writer.blob(edited)
      } else {
        writer.blob(bytes)
      }
    }
    // A batch whose records cannot all be separated is left as it is.
    guard changed > 0, seen == batch.count else { return nil }
    return (JournalBatch(first: batch.first, count: batch.count, records: writer.bytes), changed)
  }

  private static func forEachRecord(of batch: JournalBatch, _ body: (Int64, UnsafeRawBufferPointer) -> Void) {
    batch.records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for index in 0..<max(0, batch.count) {
        guard let bytes = try? reader.slice() else { return }
        body(batch.first + Int64(index), bytes)
      }
    }
  }

  private func replace(_ batch: JournalBatch) throws {
    let frame = compressing.compress(batch.records)
    try Connections.naming(path) {
      try writer.write { database in
        try database.execute(
          sql: "UPDATE batch SET records = ?, dictionary = ? WHERE through = ?",
          arguments: [
            Data(frame ?? batch.records), frame == nil ? RecordCompression.plain : RecordCompression.current,
            batch.through,
          ])
      }
    }
  }
}
