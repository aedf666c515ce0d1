import Core
import Foundation
import GRDB
public import Ingest
public import Storage

extension SQLiteJournal {
  /// The sequences of the records that an app sent with an idempotency key, by the key's hash; nil if the key is
  /// unknown, or from a version that did not store them.
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

  /// Removes parts of an app's records from the journal, so that they are not digested again. `range` limits it to some
  /// sequences. Unreadable records stay and are reported.
  public func erase(
    _ filter: ErasedParts, of app: AppID, in range: ClosedRange<Int64> = 1...Int64.max
  ) throws -> ErasedRecords {
    var (erased, next) = (ErasedRecords(), range.lowerBound - 1)
    while let batch = try batches(after: next, limit: 1).first, batch.first <= range.upperBound {
      if let edited = Self.edited(batch, filter, app, range, &erased) { try replace(edited) }
      next = batch.through
    }
    return erased
  }

  /// The ids of a user's sessions that are updated by the journal's records up to `last`.
  public func sessions(of user: UInt64, app: AppID, through last: Int64) throws -> Set<UInt64> {
    var (found, next): (Set<UInt64>, Int64) = ([], 0)
    while let batch = try batches(after: next, limit: 1).first, batch.first <= last {
      Self.forEachRecord(of: batch) { _, bytes in
        // Unreadable records are reported when they are erased.
        guard (try? RecordReader(bytes).app()) == app, let ids = try? RecordErasure.sessions(of: user, in: bytes)
        else { return }
        found.formUnion(ids)
      }
      next = batch.through
    }
    return found
  }

  /// Deletes the idempotency keys of an app.
  public func eraseReceipts(of app: AppID) throws {
    while try writer.write({ try ReceiptTable($0).dropOldest(.max, of: app) }) > 0 {}
  }

  /// A batch with only an app's records of some sequences, without the removed parts; nil if there are none. The
  /// sequences of this batch are meaningless.
  ///
  /// - Parameter removed: the removed parts, and the records that they are removed from.
  public static func part(
    _ batch: JournalBatch, of app: AppID, in sequences: ClosedRange<Int64>,
    without removed: (filter: ErasedParts, range: ClosedRange<Int64>)? = nil
  ) -> JournalBatch? {
    var writer = ByteWriter(reserving: batch.records.count)
    var count = 0
    forEachRecord(of: batch) { sequence, bytes in
      guard sequences.contains(sequence), (try? RecordReader(bytes).app()) == app else { return }
      count += 1
      if let removed, removed.range.contains(sequence), let edited = try? RecordErasure.edit(bytes, removed.filter) {
        writer.blob(edited)
      } else {
        writer.blob(bytes)
      }
    }
    return count == 0 ? nil : JournalBatch(first: batch.first, count: count, records: writer.bytes)
  }

  /// The batch without the parts that the filter removes; nil if it removes nothing.
  private static func edited(
    _ batch: JournalBatch, _ filter: ErasedParts, _ app: AppID, _ range: ClosedRange<Int64>,
    _ erased: inout ErasedRecords
  ) -> JournalBatch? {
    var writer = ByteWriter(reserving: batch.records.count)
    let before = erased.changed
    let rest = forEachRecord(of: batch) { sequence, bytes in
      do {
        let isConcerned = try range.contains(sequence) && RecordReader(bytes).app() == app
        if isConcerned, let edited = try RecordErasure.edit(bytes, filter) {
          erased.changed += 1
          return writer.blob(edited)
        }
      } catch {
        // The app of the record is also unknown.
        erased.note(unreadable: sequence...sequence)
      }
      writer.blob(bytes)
    }
    if let rest { erased.note(unreadable: (rest.first...batch.through).clamped(to: range)) }
    guard erased.changed > before else { return nil }
    let records = writer.bytes + (rest?.bytes ?? [])
    return JournalBatch(first: batch.first, count: batch.count, records: records)
  }

  /// Returns the bytes after the last record that can be separated; nil if all can.
  @discardableResult private static func forEachRecord(
    of batch: JournalBatch, _ body: (Int64, UnsafeRawBufferPointer) -> Void
  ) -> (first: Int64, bytes: [UInt8])? {
    batch.records.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      for index in 0..<max(0, batch.count) {
        let rest = reader.remaining
        guard let bytes = try? reader.slice() else {
          return (batch.first + Int64(index), Array(buffer.suffix(rest)))
        }
        body(batch.first + Int64(index), bytes)
      }
      return nil
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

/// The changes of a deletion in the journal, and the records that it could not read.
public struct ErasedRecords: Sendable, Equatable {
  /// The number of records from which a part was removed.
  public internal(set) var changed = 0
  /// The number of records that cannot be read.
  public private(set) var unreadable = 0
  /// The sequences of the unreadable records; only the first ranges.
  public private(set) var ranges: [ClosedRange<Int64>] = []

  private static let mostRanges = 10

  mutating func note(unreadable range: ClosedRange<Int64>) {
    unreadable = unreadable.saturatingAdd(range.count)
    if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...range.upperBound
    } else if ranges.count < Self.mostRanges {
      ranges.append(range)
    }
  }
}
