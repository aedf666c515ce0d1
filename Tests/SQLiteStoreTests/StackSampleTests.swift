import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

@Suite("Random samples of call trees")
struct StackSampleTests {
  /// A hang whose stack has one function.
  private static func hang(_ number: Int, day: CalendarDay, version: String = "4.2.0", slow: Bool) -> Report {
    let tree = CallTree(
      binaries: [.init(name: "Shop", uuid: String(repeating: "A", count: 32), origin: .app)],
      frames: [.init(caller: -1, binary: 0, offset: slow ? 0x100 : 0x200, samples: 10)],
      threads: [.init(range: 0..<1, isAttributed: true)])
    let diagnostic = Diagnostic(
      kind: .hang, time: .day(day), identity: UInt64(number), quantity: Double(number), user: "u\(number % 50)",
      calls: tree, body: PackedJSON(Array("{\"n\":\(number)}".utf8)))
    return Report(
      source: .metricKit, release: Release(version: version, build: "1"),
      device: Device(
        model: slow ? "iPhone15,2" : "iPhone12,1", system: OperatingSystem(name: "iOS", version: "17.4.1")),
      diagnostics: [diagnostic])
  }

  private static func query(_ change: (inout GroupQuery) -> Void = { _ in }) -> GroupQuery {
    var query = GroupQuery(
      app: 1, slice: Slice(), window: Window(days: 28, endingOn: Scene.today), kind: .hang)
    query.slice.release = "4.2.0"
    change(&query)
    return query
  }

  /// A Monday-like first day of a slot, two slots before today's.
  private static let week = CalendarDay(number: (Scene.today.number / 7 - 2) * 7)

  @Test("a week keeps 200 call trees of a version, whatever the order in which they arrive, and weights add up to all")
  func even() throws {
    let reports = (1...1_000).map { Self.hang($0, day: Self.week + $0 % 7, slow: $0 % 4 == 0) }
    var found: [Set<UInt64>] = []
    for order in [reports, reports.reversed(), reports.shuffled()] {
      let scene = try Scene(samples: SampleLimits())
      for start in stride(from: 0, to: order.count, by: 130) {
        try scene.apply(Array(order[start..<min(start + 130, order.count)]))
      }
      let samples = try scene.store.stacks(Self.query())
      #expect(samples.diagnostics == 1_000 && samples.stacks.count == 200)
      found.append(Set(samples.stacks.map(\.identity)))
      let sum = samples.stacks.reduce(0) { $0 + $1.weight }
      #expect((850...1_150).contains(sum), "\(sum)")
      #expect(samples.stacks.allSatisfy { $0.quantity == Double($0.identity) && $0.user != nil && !$0.calls.isEmpty })
      // A quarter of all; 24 is four standard deviations of a random sample of 200.
      let slow = try scene.store.stacks(Self.query { $0.slice.device = "iPhone15,2" })
      #expect(abs(slow.stacks.count - 50) <= 24 && slow.diagnostics == 250)
    }
    #expect(found[0] == found[1] && found[1] == found[2])
  }

  @Test("weeks, versions and kinds have their own 200; a slice without a release has all of its versions")
  func slots() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply((1...300).map { Self.hang($0, day: Self.week, slow: false) })
    try scene.apply((301...350).map { Self.hang($0, day: Self.week + 7, slow: false) })
    try scene.apply((351...390).map { Self.hang($0, day: Self.week, version: "4.1.0", slow: false) })
    #expect(try scene.store.stacks(Self.query()).stacks.count == 250)
    #expect(
      try scene.store.stacks(Self.query { $0.slice.release = "4.1.0" }).stacks.map(\.weight)
        == Array(repeating: 1, count: 40))
    #expect(try scene.store.stacks(Self.query { $0.slice.release = nil }).stacks.count == 290)
    #expect(try scene.store.stacks(Self.query { $0.slice.release = "4.2.0 (1)" }).stacks.count == 250)
    #expect(try scene.store.stacks(Self.query { $0.slice.release = "4.2.0 (2)" }).stacks.isEmpty)
    #expect(try scene.store.stacks(Self.query { $0.kind = .crash }).stacks.isEmpty)
    let first = Window(from: Self.week, to: Self.week + 6)
    #expect(try scene.store.stacks(Self.query { $0.window = first }).stacks.count == 200)
  }

  @Test("deleting, expiring and making room remove call trees as they remove bodies")
  func removed() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply((1...20).map { Self.hang($0, day: Self.week, slow: false) })
    #expect(try scene.store.stacks(Self.query()).stacks.count == 20)
    try scene.store.dropSamples(receivedBefore: Timestamp(milliseconds: Scene.today.startUTC.milliseconds + 10_000))
    #expect(try scene.store.stacks(Self.query()).stacks.count == 10)
    _ = try scene.store.erase(.app, of: 1, replay: JournalReplay(forEach: { _, _ in }))
    #expect(try scene.store.stacks(Self.query()).stacks.isEmpty)
  }
}
