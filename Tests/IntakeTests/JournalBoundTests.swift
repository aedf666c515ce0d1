import Dispatch
import Testing

@testable import Core
@testable import Ingest
@testable import Storage

@Suite("Limits of the journal's queue")
struct JournalBoundTests {
  private static func pending(_ app: AppID, _ size: Int) -> PendingRecords {
    PendingRecords(
      app: app, bytes: [UInt8](repeating: 1, count: size), count: 1, receipt: nil, received: Timestamp(milliseconds: 0))
  }

  @Test("while the journal is blocked, one app fills half of the queue, another still has room, and all is bounded")
  func bounded() {
    let journal = BlockingJournal(isBlocking: true)
    let heard = Heard()
    let writer = JournalWriter(journal: journal, limit: 1 << 20, counts: { [] }, committed: { _ in })
    writer.start()
    writer.append(Self.pending(1, 1000), completion: heard.completion(0))
    #expect(journal.waitUntilBlocked())
    var taken = 1
    // 200 MB of one app.
    for _ in 0..<20_000 where writer.room(for: 1) == .enough {
      writer.append(Self.pending(1, 10_000), completion: heard.completion(taken))
      taken += 1
    }
    #expect(writer.room(for: 1) == .appHasTooMuch)
    #expect((500_000...600_000).contains(writer.pendingBytes))
    #expect(writer.room(for: 2) == .enough)
    // Whoever does not ask is refused in the end, too.
    let unasked = Heard()
    for number in 0..<1000 { writer.append(Self.pending(3, 10_000), completion: unasked.completion(number)) }
    #expect(unasked.failures > 800)
    #expect(writer.pendingBytes <= 2 << 20)
    #expect(writer.room(for: 2) == .none)
    journal.release()
    writer.stop()
    #expect(heard.count == taken)
    #expect(heard.isOnceEach)
    #expect(heard.failures == 0)
    #expect(writer.pendingBytes == 0)
    #expect(writer.room(for: 1) == .enough)
  }

  @Test("an app may have exactly as many bytes waiting as it leaves free")
  func exactHalf() {
    let records = Self.pending(1, 1000)
    for (free, room) in [(0, JournalRoom.enough), (-1, .appHasTooMuch)] {
      var quota = PendingQuota(limit: 2 * PendingQuota.size(records) + free)
      quota.add(records)
      #expect(quota.room(for: 1) == room)
      #expect(quota.room(for: 2) == .enough)
    }
  }

  @Test("if the queue is long, each transaction takes from every app, so that a flood waits behind itself")
  func fair() {
    let journal = BlockingJournal(isBlocking: true)
    let heard = Heard()
    let writer = JournalWriter(journal: journal, limit: 64 << 20, counts: { [] }, committed: { _ in })
    writer.start()
    writer.append(Self.pending(1, 1), completion: heard.completion(0))
    #expect(journal.waitUntilBlocked())
    for number in 1...200 { writer.append(Self.pending(1, 100_000), completion: heard.completion(number)) }
    writer.append(Self.pending(2, 1000), completion: heard.completion(201))
    journal.release()
    writer.stop()
    #expect(heard.count == 202)
    #expect(heard.isOnceEach && heard.failures == 0)
    // The first after the one that was held.
    #expect(journal.transactions[1].contains { $0.app == 2 })
    #expect(journal.transactions.count >= 5)
    #expect(journal.transactions.allSatisfy { $0.reduce(0) { $0 + $1.bytes.count } <= 5 << 20 })
    // Of one app they stay in their order.
    #expect((1..<200).allSatisfy { through(heard.outcome($0)) < through(heard.outcome($0 + 1)) })
  }

  private func through(_ outcome: AppendOutcome?) -> Int64 {
    if case .accepted(let through)? = outcome { through } else { -1 }
  }
}
