import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import Storage

/// The loop against a journal and a store in memory that count what they are asked and fail when told.
@Suite(.serialized)
struct DigestLoopTests {
  private static func session(_ number: Int64) -> [UInt8] {
    Fixture.record(
      Fixture.report(
        [Measurement(.known(203), at: .day(Fixture.today), .samples([Double(number)]))],
        sessions: [SessionUpdate(id: "s\(number)", outcome: .healthy, started: Fixture.now)], source: .native))
  }

  private static func batch(_ range: ClosedRange<Int64>) -> JournalBatch {
    Fixture.batch(range.map(session), first: range.lowerBound)
  }

  private static var quick: DigestLoop.Configuration {
    var configuration = DigestLoop.Configuration()
    configuration.flushInterval = 5_000_000
    configuration.gathering = 5_000_000
    configuration.pollInterval = 10_000_000
    return configuration
  }

  private static func run(
    _ journal: MemoryJournal, _ store: MemoryStore, _ configuration: DigestLoop.Configuration = quick,
    errors: ErrorCount = ErrorCount(), body: (DigestLoop) throws -> Void
  ) throws {
    let loop = DigestLoop(journal: journal, store: store, configuration: configuration) { _ in errors.add() }
    try loop.start()
    try body(loop)
    loop.stop()
  }

  /// Every record exactly once, in ranges that follow each other.
  private static func expectWhole(
    _ store: MemoryStore, through last: Int64, _ location: SourceLocation = #_sourceLocation
  ) {
    let batches = store.applied
    #expect(batches.last?.through == last, sourceLocation: location)
    let ids = batches.flatMap(\.sessions).map(\.id)
    #expect(ids == (1...last).map { Fixture.hash("s\($0)", "session 1") }, sourceLocation: location)
    #expect(batches.sums.values.reduce(0) { $0 + $1.samples } == Int(last), sourceLocation: location)
  }

  @Test("stopping with a time limit does not wait for a store that does not return, and reports that")
  func hangingStore() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    let release = DispatchSemaphore(value: 0)
    journal.add(Self.batch(1...5))
    let loop = DigestLoop(
      journal: HangingJournal(journal, release), store: store, configuration: Self.quick
    ) { _ in }
    try loop.start()
    let began = ContinuousClock.now
    #expect(!loop.stop(within: 0.1, grace: 0.1))
    #expect(began.duration(to: .now) < .seconds(30))
    release.signal()
    release.signal()
  }

  /// A journal whose reads wait.
  private struct HangingJournal: Journal {
    let journal: MemoryJournal
    let release: DispatchSemaphore

    init(_ journal: MemoryJournal, _ release: DispatchSemaphore) { (self.journal, self.release) = (journal, release) }

    var node: NodeID { journal.node }
    func append(_ pending: [PendingRecords]) throws -> Appended { try journal.append(pending) }
    func lastSequence() throws -> Int64 { try journal.lastSequence() }
    func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws {}
    func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch] {
      release.wait()
      return []
    }
  }

  @Test("live batches reach the store, and stopping digests the rest")
  func live() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    try Self.run(journal, store) { loop in
      for start in stride(from: Int64(1), to: 50, by: 5) {
        let batch = Self.batch(start...start + 4)
        journal.add(batch)
        loop.offer(batch)
      }
    }
    Self.expectWhole(store, through: 50)
  }

  @Test("records from before the start are digested from the journal")
  func backlog() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    for start in stride(from: Int64(1), to: 1000, by: 100) { journal.add(Self.batch(start...start + 99)) }
    try Self.run(journal, store) { _ in }
    Self.expectWhole(store, through: 1000)
  }

  @Test("if the live queue overflows, the digest reads the journal and loses nothing")
  func overflow() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    var configuration = Self.quick
    configuration.queueLimit = 2000
    try Self.run(journal, store, configuration) { loop in
      for number in Int64(1)...400 {
        let batch = Self.batch(number...number)
        journal.add(batch)
        loop.offer(batch)
      }
    }
    Self.expectWhole(store, through: 400)
  }

  @Test("the end of a backlog is written at once, not after the interval between flushes")
  func endOfBacklog() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    for start in stride(from: Int64(1), to: 3_000, by: 100) { journal.add(Self.batch(start...start + 99)) }
    var configuration = Self.quick
    configuration.flushInterval = 3_600_000_000_000
    configuration.flushWork = 5_000
    try Self.run(journal, store, configuration) { _ in
      #expect(eventually { store.applied.last?.through == 3_000 })
      #expect(store.applied.count >= 2)
    }
    Self.expectWhole(store, through: 3_000)
  }

  @Test("if the store throws once, nothing is lost and nothing counts twice")
  func failingStore() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore(failures: 1))
    let errors = ErrorCount()
    try Self.run(journal, store, errors: errors) { loop in
      for start in stride(from: Int64(1), to: 30, by: 10) {
        let batch = Self.batch(start...start + 9)
        journal.add(batch)
        loop.offer(batch)
        wait(0.03)
      }
      #expect(eventually { store.applied.last?.through == 30 })
    }
    #expect(errors.count == 1)
    Self.expectWhole(store, through: 30)
  }

  @Test("records that another process appends to the journal are digested without being offered")
  func otherProcess() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    try Self.run(journal, store) { loop in
      let live = Self.batch(1...5)
      journal.add(live)
      loop.offer(live)
      #expect(eventually { store.applied.last?.through == 5 })
      journal.add(Self.batch(6...20))
      #expect(eventually { store.applied.last?.through == 20 })
    }
    Self.expectWhole(store, through: 20)
  }

  @Test("gaps before and between waiting live batches are read from the journal")
  func holesInQueue() throws {
    var configuration = Self.quick
    // The first batch waits for its flush, so that the loop has no reason of its own to look into the journal.
    configuration.gathering = 10_000_000_000
    for ranges: [(ClosedRange<Int64>, isOffered: Bool)] in [
      [(2...3, true), (4...6, false), (7...9, true)], [(2...6, false), (7...9, true)],
    ] {
      let (journal, store) = (MemoryJournal(), MemoryStore())
      try Self.run(journal, store, configuration) { loop in
        journal.whenDry {
          for (range, isOffered) in ranges {
            journal.add(Self.batch(range))
            if isOffered { loop.offer(Self.batch(range)) }
          }
        }
        journal.add(Self.batch(1...1))
        wait(0.1)
      }
      Self.expectWhole(store, through: 9)
    }
  }

  @Test("a restarted digest continues after the store's watermark")
  func restart() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    journal.add(Self.batch(1...10))
    try Self.run(journal, store) { _ in }
    journal.add(Self.batch(11...20))
    try Self.run(journal, store) { loop in
      #expect(loop.appliedThrough >= 10)
    }
    Self.expectWhole(store, through: 20)
  }
}
