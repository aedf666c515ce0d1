import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Ingest
@testable import Storage

struct JournalWriterTests {
  private static func pending(_ receipt: UInt64? = nil) -> PendingRecords {
    PendingRecords(
      app: 1, bytes: [1, 7], count: 1, receipt: receipt.map { Receipt(key: $0, content: 0) },
      received: Timestamp(milliseconds: 0))
  }

  private static func writer(
    _ journal: BlockingJournal, counts: @escaping @Sendable () -> [PendingRecords] = { [] },
    committed: @escaping @Sendable (JournalBatch) -> Void = { _ in }
  ) -> JournalWriter {
    let writer = JournalWriter(journal: journal, counts: counts, committed: committed)
    writer.start()
    return writer
  }

  @Test("all waiting requests are one transaction, and none is answered before it is committed")
  func groupCommit() {
    let journal = BlockingJournal(isBlocking: true)
    let heard = Heard()
    let batches = Mutex<[JournalBatch]>([])
    let writer = Self.writer(journal, committed: { batch in batches.withLock { $0.append(batch) } })
    writer.append(Self.pending(), completion: heard.completion(0))
    #expect(journal.waitUntilBlocked())
    for number in 1...100 { writer.append(Self.pending(), completion: heard.completion(number)) }
    #expect(heard.count == 0)
    #expect(batches.withLock { $0.isEmpty })
    journal.release()
    writer.stop()
    #expect(journal.transactions.map(\.count) == [1, 100])
    #expect(heard.count == 101)
    #expect(heard.isOnceEach)
    #expect(heard.outcome(0) == .accepted(through: 1))
    #expect(heard.outcome(57) == .accepted(through: 58))
    #expect(batches.withLock { $0.map(\.first) } == [1, 2])
  }

  @Test("if a transaction fails, its requests get the error, and the next one is written")
  func failure() {
    let journal = BlockingJournal(failures: 1, isBlocking: true)
    let heard = Heard()
    let writer = Self.writer(journal)
    writer.append(Self.pending(), completion: heard.completion(0))
    #expect(journal.waitUntilBlocked())
    for number in 1...5 { writer.append(Self.pending(), completion: heard.completion(number)) }
    journal.release()
    writer.stop()
    #expect(heard.count == 6)
    #expect(heard.isOnceEach)
    #expect(heard.failures == 1)
    #expect(journal.transactions.map(\.count) == [5])
  }

  @Test("a request after the stop fails at once instead of waiting forever")
  func afterStop() {
    let journal = BlockingJournal()
    let heard = Heard()
    let writer = Self.writer(journal)
    writer.stop()
    writer.append(Self.pending(), completion: heard.completion(0))
    #expect(heard.failures == 1)
    #expect(journal.transactions.isEmpty)
  }

  @Test("counts of a failed transaction are written with the next one")
  func countsSurviveFailure() {
    let journal = BlockingJournal(failures: 1)
    let due = Mutex(3)
    let writer = Self.writer(
      journal,
      counts: {
        let waiting = due.withLock { due in
          defer { due = 0 }
          return due
        }
        return (0..<waiting).map { _ in Self.pending() }
      })
    Thread.sleep(forTimeInterval: 1.2)
    writer.stop()
    #expect(journal.transactions.flatMap { $0 }.count == 3)
  }
}
