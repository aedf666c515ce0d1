import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import Storage

/// Apps take turns: what one sends delays no other for long, and nothing is lost or counted twice by it.
@Suite("Fair turns of apps at the digest", .serialized)
struct TurnTests {
  private static func record(_ number: Int, app: AppID) -> [UInt8] {
    Fixture.record(
      Fixture.report(
        sessions: [SessionUpdate(id: "s\(number)", outcome: .healthy, started: Fixture.now)], source: .native), app: app
    )
  }

  /// Flushes of about forty records, twenty-five of an app.
  private static var narrow: DigestLoop.Configuration {
    var configuration = DigestLoop.Configuration()
    configuration.flushInterval = 20_000_000
    configuration.gathering = 20_000_000
    configuration.pollInterval = 10_000_000
    configuration.flushWork = 600
    configuration.share = 0.6
    return configuration
  }

  private static func fill(_ journal: MemoryJournal, _ apps: [AppID], by size: Int) {
    var next: Int64 = 1
    for start in stride(from: 0, to: apps.count, by: size) {
      let records = (start..<min(start + size, apps.count)).map { record($0, app: apps[$0]) }
      let batch = Fixture.batch(records, first: next)
      journal.add(batch)
      next = batch.through + 1
    }
  }

  /// Each app's sessions in the order of their records, each once.
  private static func expectEachOnce(
    _ store: MemoryStore, _ apps: [AppID], _ location: SourceLocation = #_sourceLocation
  ) {
    let sessions = store.applied.flatMap(\.sessions)
    for app in Set(apps) {
      let expected = apps.indices.filter { apps[$0] == app }.map { Fixture.hash("s\($0)", "session \(app)") }
      #expect(sessions.filter { $0.key.app == app }.map(\.id) == expected, sourceLocation: location)
    }
  }

  @Test("a record behind another app's flood is digested in the second flush at the latest")
  func flood() throws {
    let apps = [AppID](repeating: 1, count: 4_000) + [2]
    let (journal, store) = (MemoryJournal(), MemoryStore())
    Self.fill(journal, apps, by: 100)
    let loop = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { Issue.record($0) }
    try loop.start()
    loop.stop()
    let batches = store.applied
    let index = try #require(batches.firstIndex { $0.sessions.contains { $0.key.app == 2 } })
    #expect(index < 2)
    #expect(batches.count > 50)
    #expect(batches[index].behind[1] != nil)
    #expect(batches.last?.behind == [:])
    Self.expectEachOnce(store, apps)
  }

  @Test("in any order of apps and batches, each record is digested once and in its app's order", arguments: 1...6)
  func anyMixture(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let apps = (0..<1_500).map { _ in AppID([1, 1, 1, 1, 1, 2, 2, 3][random.index(below: 8)]) }
    let (journal, store) = (MemoryJournal(), MemoryStore(failures: 1))
    Self.fill(journal, apps, by: 1 + random.index(below: 300))
    // Several loops, one after the other, as processes that end at any moment.
    for _ in 0..<3 {
      let loop = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { _ in }
      try loop.start()
      wait(0.01)
      loop.stop()
    }
    #expect(try store.position(of: Fixture.node) == DigestPosition(through: 1_500))
    Self.expectEachOnce(store, apps)
  }

  @Test("records of a flood wait their turn, and an app that sends little is never behind")
  func live() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    let loop = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { Issue.record($0) }
    try loop.start()
    var apps: [AppID] = []
    for round in 0..<40 {
      let new = [AppID](repeating: 1, count: 100) + [2]
      let records = new.enumerated().map { Self.record(apps.count + $0, app: $1) }
      let batch = Fixture.batch(records, first: Int64(apps.count + 1))
      apps += new
      journal.add(batch)
      loop.offer(batch)
      if round % 10 == 9 { wait(0.01) }
    }
    loop.stop()
    #expect(store.applied.allSatisfy { $0.behind[2] == nil })
    #expect(store.applied.contains { $0.behind[1] != nil })
    Self.expectEachOnce(store, apps)
  }

  @Test("when records are tried one by one, the one that the store refuses is quarantined and the others count")
  func oneByOne() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    let apps: [AppID] = [1, 2, 1, 3, 1]
    Self.fill(journal, apps, by: 2)
    store.refuse(Fixture.hash("s3", "session 3"))
    let marks = MemoryMarker()
    let errors = ErrorCount()
    let loop = DigestLoop(journal: journal, store: store, marker: marks, configuration: Self.narrow) { _ in errors.add()
    }
    try loop.digestOneByOne(to: DigestPosition(through: 5), settingAside: [2])
    let batches = store.applied
    #expect(batches.map(\.through) == [1, 2, 3, 4, 5])
    #expect(batches.flatMap(\.quarantined).map(\.sequence) == [2, 4])
    #expect(batches.flatMap(\.quarantined).map(\.app) == [2, 3])
    #expect(batches.tallies["2 quarantined could not be digested"] == 1)
    #expect(batches.tallies["3 quarantined could not be digested"] == 1)
    #expect(batches.flatMap(\.sessions).map(\.key.app) == [1, 1, 1])
    #expect(errors.count == 1)
    #expect(Set(marks.set.map(\.through)).isSuperset(of: [1, 3, 4, 5]))
  }

  @Test("a store that always refuses one record delays no other record")
  func refusedForEver() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    Self.fill(journal, [1, 1, 2, 1], by: 4)
    store.refuse(Fixture.hash("s2", "session 2"))
    let loop = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { _ in }
    try loop.start()
    #expect(try eventually { try store.position(of: Fixture.node).through == 4 })
    loop.stop()
    #expect(store.applied.flatMap(\.sessions).map(\.key.app) == [1, 1, 1])
    #expect(store.applied.flatMap(\.quarantined).map(\.sequence) == [3])
  }

  @Test("the records that ended a process are recovered first, and only if they were not finished")
  func recovery() throws {
    for (marked, isRecovered) in [(Int64(2), true), (0, false)] {
      let (journal, store) = (MemoryJournal(), MemoryStore())
      Self.fill(journal, [1, 1, 2], by: 3)
      let marks = MemoryMarker()
      try marks.set(DigestPosition(through: marked))
      let asked = Mutex<[DigestPosition]>([])
      let loop = DigestLoop(
        journal: journal, store: store, marker: marks, recovery: { target in asked.withLock { $0.append(target) } },
        configuration: Self.narrow
      ) { Issue.record($0) }
      try loop.start()
      loop.stop()
      #expect(asked.withLock { $0 } == (isRecovered ? [DigestPosition(through: 2)] : []))
      #expect(store.applied.flatMap(\.sessions).count == 3)
      #expect(try marks.read() == nil)
    }
  }

  @Test("records that a recovery applied are not applied again")
  func afterRecovery() throws {
    let (journal, store) = (MemoryJournal(), MemoryStore())
    Self.fill(journal, [1, 1, 2], by: 3)
    let marks = MemoryMarker()
    try marks.set(DigestPosition(through: 2))
    let child = DigestLoop(journal: journal, store: store) { Issue.record($0) }
    let loop = DigestLoop(
      journal: journal, store: store, marker: marks, recovery: { try child.digest(to: $0) }, configuration: Self.narrow
    ) { Issue.record($0) }
    try loop.start()
    loop.stop()
    #expect(store.applied.flatMap(\.sessions).map(\.key.app) == [1, 1, 2])
    #expect(try store.position(of: Fixture.node) == DigestPosition(through: 3))
  }

  @Test("records that a stopping digest has no time for are left to the next start, and count exactly once")
  func stopsInTime() throws {
    let apps = (0..<20_000).map { AppID($0 % 3 + 1) }
    let (journal, store) = (MemoryJournal(), MemoryStore())
    Self.fill(journal, apps, by: 500)
    let hurried = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { Issue.record($0) }
    try hurried.start()
    hurried.stop(within: 0)
    #expect(try store.position(of: Fixture.node).applied < 20_000)
    let patient = DigestLoop(journal: journal, store: store, configuration: Self.narrow) { Issue.record($0) }
    try patient.start()
    patient.stop()
    #expect(try store.position(of: Fixture.node) == DigestPosition(through: 20_000))
    Self.expectEachOnce(store, apps)
  }

  @Test("a marker reads back the line that it wrote, and nothing else")
  func markerLine() {
    let position = DigestPosition(through: 1_200, behind: [7: 1_100, -3: 5])
    #expect(DigestPosition(marker: position.marker) == position)
    for line in ["idle", "", "digesting", "digesting x", "digesting 5 7", "digesting 5 7=x", "digesting 5 7=1=2"] {
      #expect(DigestPosition(marker: line) == nil)
    }
  }
}

/// A marker in memory.
final class MemoryMarker: DigestMarker {
  private let state = Mutex<(set: [DigestPosition], current: DigestPosition?)>(([], nil))

  var set: [DigestPosition] { state.withLock { $0.set } }

  func set(_ target: DigestPosition) throws {
    state.withLock {
      $0.set.append(target)
      $0.current = target
    }
  }

  func clear() throws { state.withLock { $0.current = nil } }
  func read() throws -> DigestPosition? { state.withLock { $0.current } }
}
