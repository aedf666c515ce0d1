import Foundation
import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Storage

struct JournalTests {
  private static func pending(
    _ count: Int, app: AppID = 1, receipt: UInt64? = nil, received: Timestamp = Scene.now, byte: UInt8 = 7
  ) -> PendingRecords {
    // A record of one byte behind its length.
    let bytes: [UInt8] = (0..<count).flatMap { _ -> [UInt8] in [1, byte] }
    return PendingRecords(
      app: app, bytes: bytes, count: count, receipt: receipt.map { Receipt(key: $0, content: UInt64(byte)) },
      received: received)
  }

  private static func open(_ scene: Scene, watermark: Int64 = 0) throws -> SQLiteJournal {
    try SQLiteJournal(path: scene.path("journal.db")) { _ in watermark }
  }

  private static func later(_ days: Double, milliseconds: Int64 = 0) -> Timestamp {
    Timestamp(milliseconds: Scene.now.milliseconds + Int64(days * 86_400_000) + milliseconds)
  }

  @Test("all waiting records are one batch with consecutive sequences")
  func appends() throws {
    let journal = try Self.open(try Scene())
    let first = try journal.append([Self.pending(2), Self.pending(3, app: 2)])
    #expect(first.outcomes == [.accepted(through: 2), .accepted(through: 5)])
    #expect(first.batch?.first == 1)
    #expect(first.batch?.count == 5)
    let second = try journal.append([Self.pending(1)])
    #expect(second.batch?.first == 6)
    #expect(try journal.lastSequence() == 6)
    let read = try journal.batches(after: 0, limit: 1 << 20)
    #expect(read.map(\.first) == [1, 6])
    let five: [UInt8] = [1, 7, 1, 7, 1, 7, 1, 7, 1, 7]
    #expect(read.map(\.records) == [five, [1, 7]])
    #expect(try journal.batches(after: 5, limit: 1 << 20).map(\.first) == [6])
    #expect(try journal.batches(after: 6, limit: 1 << 20).isEmpty)
    #expect(try journal.batches(after: 0, limit: 1).count == 1)
  }

  @Test("a commit of the journal is synced to disk before it returns")
  func synced() throws {
    let scene = try Scene()
    let journal = try Self.open(scene)
    let synchronous = try journal.writer.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    let mode = try journal.writer.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
    // SQLite's number of FULL: with a write-ahead log, every commit is synced.
    #expect(synchronous == 2 && mode == "wal")
    withExtendedLifetime(scene) {}
  }

  @Test("sequences never repeat after everything was purged and the journal was reopened")
  func neverRepeats() throws {
    let scene = try Scene()
    var journal = try Self.open(scene)
    let node = journal.node
    _ = try journal.append([Self.pending(10)])
    try journal.purge(through: 10, olderThan: Self.later(1), keepingAtMost: .max)
    #expect(try journal.batches(after: 0, limit: 1 << 20).isEmpty)
    journal = try Self.open(scene)
    #expect(journal.node == node)
    #expect(try journal.lastSequence() == 10)
    #expect(try journal.append([Self.pending(1)]).batch?.first == 11)
  }

  @Test("an opened journal is raised to the watermark, and never lowered")
  func lifted() throws {
    let scene = try Scene()
    #expect(try Self.open(scene, watermark: 500).append([Self.pending(2)]).batch?.first == 501)
    #expect(try Self.open(scene, watermark: 10).append([Self.pending(1)]).batch?.first == 503)
    #expect(try Self.open(scene, watermark: 900).lastSequence() == 900)
  }

  @Test("purging never goes beyond the watermark, by age or by size")
  func purges() throws {
    let journal = try Self.open(try Scene())
    for day in 0..<5 { _ = try journal.append([Self.pending(10, received: Self.later(Double(day)))]) }
    try journal.purge(through: 25, olderThan: Self.later(9), keepingAtMost: 0)
    #expect(try journal.batches(after: 0, limit: 1 << 20).map(\.first) == [21, 31, 41])
    try journal.purge(through: 50, olderThan: Self.later(3), keepingAtMost: .max)
    #expect(try journal.batches(after: 0, limit: 1 << 20).map(\.first) == [31, 41])
    try journal.purge(through: 50, olderThan: Self.later(0), keepingAtMost: 25)
    #expect(try journal.batches(after: 0, limit: 1 << 20).map(\.first) == [41])
  }

  @Test("a repeated key is a duplicate within seven days, but not later or for another app")
  func receipts() throws {
    let journal = try Self.open(try Scene())
    #expect(try journal.append([Self.pending(1, receipt: 9)]).outcomes == [.accepted(through: 1)])
    let again = try journal.append([Self.pending(1, receipt: 9, received: Self.later(7))])
    #expect(again.outcomes == [.duplicate(isReused: false)])
    #expect(again.batch == nil)
    #expect(try journal.append([Self.pending(1, app: 2, receipt: 9)]).outcomes == [.accepted(through: 2)])
    let late = try journal.append([Self.pending(1, receipt: 9, received: Self.later(7, milliseconds: 1))])
    #expect(late.outcomes == [.accepted(through: 3)])
    // The seven days begin anew.
    #expect(
      try journal.append([Self.pending(1, receipt: 9, received: Self.later(13))]).outcomes == [
        .duplicate(isReused: false)
      ])
    #expect(try journal.lastSequence() == 3)
  }

  @Test("a duplicate inside one transaction is distinguished from its neighbours and takes no sequence")
  func duplicateAmongOthers() throws {
    let journal = try Self.open(try Scene())
    let appended = try journal.append([
      Self.pending(2, receipt: 1, byte: 1), Self.pending(3, receipt: 1, byte: 2), Self.pending(1, byte: 3),
      Self.pending(1, receipt: .max, byte: 4),
    ])
    #expect(
      appended.outcomes == [
        .accepted(through: 2), .duplicate(isReused: true), .accepted(through: 3), .accepted(through: 4),
      ])
    #expect(appended.batch?.records == [1, 1, 1, 1, 1, 3, 1, 4])
  }

  @Test("receipts of idempotency keys survive a restart")
  func receiptsSurvive() throws {
    let scene = try Scene()
    _ = try Self.open(scene).append([Self.pending(1, receipt: 5)])
    #expect(try Self.open(scene).append([Self.pending(1, receipt: 5)]).outcomes == [.duplicate(isReused: false)])
  }

  /// Records of bytes that repeat, as names and buckets do, behind their lengths.
  private static func repetitive(_ count: Int) -> PendingRecords {
    let record = [UInt8]("iPhone16,3 iOS 18.1 4.7.0 production ".utf8) + (0..<80).map { $0 / 8 }
    let bytes = (0..<count).flatMap { _ in [UInt8(record.count)] + record }
    return PendingRecords(app: 1, bytes: bytes, count: count, receipt: nil, received: Scene.now)
  }

  @Test("compressed records read back unchanged, next to older uncompressed ones")
  func compressed() throws {
    let scene = try Scene()
    let journal = try Self.open(scene)
    let pending = [Self.repetitive(1), Self.repetitive(50), Self.pending(1)]
    for one in pending { #expect(try journal.append([one]).batch?.records == one.bytes) }
    let file = try DatabaseQueue(path: scene.path("journal.db"))
    try file.write {
      try $0.execute(
        sql: "INSERT INTO batch (through, first, count, received, records) VALUES (53, 53, 1, 0, ?)",
        arguments: [Data(pending[0].bytes)])
    }
    let read = try journal.batches(after: 0, limit: 1 << 20)
    #expect(read.map(\.records) == pending.map(\.bytes) + [pending[0].bytes])
    let kept = try file.read { try Int.fetchAll($0, sql: "SELECT length(records) FROM batch ORDER BY through") }
    // Of one record what repeats is saved, of fifty all but one.
    #expect(kept[0] < pending[0].bytes.count * 3 / 4 && kept[1] < 2 * kept[0] && kept[2] == 2)
    #expect(kept[3] == pending[0].bytes.count)
  }

  @Test("a damaged frame loses only its batch, and a dictionary of a newer version is an error")
  func damagedFrames() throws {
    let scene = try Scene()
    let journal = try Self.open(scene)
    for _ in 0..<3 { _ = try journal.append([Self.repetitive(4)]) }
    let file = try DatabaseQueue(path: scene.path("journal.db"))
    let frame = try file.read {
      try #require(try Data.fetchOne($0, sql: "SELECT records FROM batch WHERE through = 8"))
    }
    for position in frame.indices {
      var damaged = frame
      damaged[position] ^= 0x10
      try file.write { try $0.execute(sql: "UPDATE batch SET records = ? WHERE through = 8", arguments: [damaged]) }
      let read = try journal.batches(after: 0, limit: 1 << 20)
      #expect(read.map(\.first) == [1, 5, 9] && read.map(\.count) == [4, 4, 4])
      #expect(read[0].records == read[2].records && read[0].records == Self.repetitive(4).bytes)
      // A changed bit outside of what is checked, as a reserved one, changes nothing; else the batch is empty.
      #expect(read[1].records.isEmpty || read[1].records == read[0].records)
    }
    try file.write { try $0.execute(sql: "UPDATE batch SET records = ? WHERE through = 8", arguments: [Data()]) }
    #expect(try journal.batches(after: 0, limit: 1 << 20)[1].records.isEmpty)
    // A number alone that is damaged changes nothing: frames say which dictionary they were made with.
    try file.write {
      try $0.execute(sql: "UPDATE batch SET dictionary = 9, first = 'x', count = 'y' WHERE through = 12")
    }
    let read = try journal.batches(after: 0, limit: 1 << 20)
    #expect(read.map(\.first) == [1, 5, 9] && read[2].records == read[0].records)
    try file.write {
      try $0.execute(sql: "UPDATE batch SET dictionary = 9, records = x'28b52ffd6700112233445566' WHERE through = 12")
    }
    #expect(throws: (any Error).self) { try journal.batches(after: 0, limit: 1 << 20) }
  }

  @Test("two connections that append in turn and in parallel use every sequence once")
  func twoWriters() async throws {
    let scene = try Scene()
    let journals = [try Self.open(scene), try Self.open(scene)]
    #expect(journals[0].node == journals[1].node)
    let ranges = try await withThrowingTaskGroup(of: [JournalBatch].self) { group in
      for journal in journals {
        group.addTask {
          try (1...40).compactMap { try journal.append([Self.pending(1 + $0 % 4)]).batch }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let given: [Int64] = ranges.flatMap { Array($0.first...$0.through) }.sorted()
    let whole = Array(1...Int64(given.count))
    #expect(given == whole)
    // Forty times 1 + (n mod 4): a hundred records each.
    #expect(given.count == 200)
    let read = try journals[1].batches(after: 0, limit: 1 << 20)
    let stored: [Int64] = read.flatMap { Array($0.first...$0.through) }
    #expect(stored == given)
  }

  @Test("two processes see each other's receipts")
  func sharedReceipts() throws {
    let scene = try Scene()
    let (one, two) = (try Self.open(scene), try Self.open(scene))
    _ = try one.append([Self.pending(1, receipt: 3)])
    #expect(try two.append([Self.pending(1, receipt: 3)]).outcomes == [.duplicate(isReused: false)])
  }
}
