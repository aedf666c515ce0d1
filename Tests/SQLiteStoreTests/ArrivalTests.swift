import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Arrivals against a dictionary of sessions that is brought up to date one update at a time.
struct ArrivalTests {
  private static let start = Scene.now.milliseconds / 300_000 * 300_000

  private struct Known {
    var isCrashed: Bool
    var user: UInt64?
    var counted: Set<UInt64> = []
  }

  private struct Bin: Equatable {
    var seen = 0
    var crashed = 0
    var users: Set<UInt64> = []
  }

  private static func record(
    _ id: UInt64, _ outcome: SessionOutcome, at milliseconds: Int64, user: UInt64?, version: String = "4.2.0",
    sequence: Int64 = 1
  ) -> SessionRecord {
    SessionRecord(
      key: CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: version, build: "7"),
        os: "iOS 18.0", model: "iPhone15,2"),
      id: id &* 0x9e37_79b9_7f4a_7c15, outcome: outcome, minute: Scene.today.number * 1440 + 300, sequence: sequence,
      isSequenceExplicit: true, user: user, received: Timestamp(milliseconds: milliseconds))
  }

  /// Updates in the order of their receipt, over two hours.
  private static func updates(seed: UInt64) -> [SessionRecord] {
    var random = SeededRandom(seed: seed)
    var time = start
    return (0..<600).map { number in
      time += Int64.random(in: 0...24_000, using: &random)
      let id = UInt64.random(in: 0..<200, using: &random)
      let outcome: SessionOutcome = Int.random(in: 0..<9, using: &random) == 0 ? .crashed : .healthy
      // A session keeps its user; some updates do not name it, and every seventh session has none.
      let user = id % 7 == 0 || Bool.random(using: &random) ? nil : id % 30 + 1
      return record(
        id, outcome, at: time, user: user, version: id % 2 == 0 ? "4.2.0" : "4.3.0",
        sequence: Int64(Int.random(in: 0..<600, using: &random)))
    }
  }

  private static func expected(_ updates: [SessionRecord]) -> [Int: Bin] {
    var sessions: [UInt64: Known] = [:]
    var bins: [Int: Bin] = [:]
    for update in updates {
      let bin = Int(update.received.milliseconds / 300_000) * 5
      var known = sessions[update.id] ?? Known(isCrashed: false)
      if sessions[update.id] == nil { bins[bin, default: Bin()].seen += 1 }
      if update.outcome == .crashed, !known.isCrashed {
        known.isCrashed = true
        bins[bin, default: Bin()].crashed += 1
      }
      known.user = known.user ?? update.user
      if known.isCrashed, let user = known.user, known.counted.insert(user).inserted {
        bins[bin, default: Bin()].users.insert(user)
      }
      sessions[update.id] = known
    }
    return bins
  }

  private static func arrivals(_ scene: Scene, release: String? = nil, from: Int = 0) throws -> [Arrival] {
    try scene.store.arrivals(ArrivalQuery(app: 1, environment: "production", release: release, from: from))
  }

  @Test(
    "a session arrives once and crashes once, at the arrival that reported it, in any batches",
    arguments: [1, 2, 3, 4] as [UInt64])
  func bruteForce(seed: UInt64) throws {
    let updates = Self.updates(seed: seed)
    var random = SeededRandom(seed: seed + 50)
    let scene = try Scene()
    var rest = updates[...]
    while !rest.isEmpty {
      let size = Int.random(in: 1...90, using: &random)
      try scene.apply(sessions: Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    for (release, holds) in [
      (nil, { _ in true }), ("4.2.0", { $0.key.release.version == "4.2.0" }),
      ("4.3.0 (7)", { $0.key.release.version == "4.3.0" }), ("4.3.0 (8)", { _ in false }),
    ] as [(String?, (SessionRecord) -> Bool)] {
      let wanted = Self.expected(updates.filter(holds))
      let found = Dictionary(grouping: try Self.arrivals(scene, release: release), by: \.start)
      #expect(Int(found.values.joined().reduce(0) { $0 + $1.seen }) == wanted.values.reduce(0) { $0 + $1.seen })
      for (start, bin) in wanted where bin != Bin() {
        let own = found[start] ?? []
        #expect(own.reduce(0) { $0 + $1.seen } == bin.seen)
        #expect(own.reduce(0) { $0 + $1.crashed } == bin.crashed)
        var users = UserSet()
        for arrival in own { users.merge(arrival.users) }
        #expect(users.estimate == bin.users.count)
      }
    }
  }

  @Test("a repeated update and a repeated crash are no arrivals")
  func retries() throws {
    let scene = try Scene()
    let crash = Self.record(1, .crashed, at: Self.start, user: 4)
    try scene.apply(sessions: [crash, crash])
    try scene.apply(sessions: [crash, Self.record(1, .healthy, at: Self.start + 400_000, user: 4, sequence: 9)])
    let found = try Self.arrivals(scene)
    #expect(found.map(\.seen) == [1])
    #expect(found.map(\.crashed) == [1])
    #expect(found.map(\.users.estimate) == [1])
  }

  @Test("a crash that is reported by the next launch counts when it is reported")
  func nextLaunch() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(1, .healthy, at: Self.start, user: 4)])
    try scene.apply(sessions: [Self.record(1, .crashed, at: Self.start + 3_600_000, user: 4, sequence: 2)])
    let found = try Self.arrivals(scene)
    #expect(found.map(\.seen) == [1, 0])
    #expect(found.map(\.crashed) == [0, 1])
    #expect(found[1].start - found[0].start == 60)
    #expect(try Self.arrivals(scene, from: found[1].start).count == 1)
  }

  @Test("arrivals of the last three days survive compaction, and older ones are deleted")
  func purge() throws {
    let scene = try Scene()
    let day: Int64 = 86_400_000
    for age in [0, 2, 3, 4] as [Int64] {
      try scene.apply(sessions: [Self.record(UInt64(age + 1), .healthy, at: Self.start - age * day, user: nil)])
    }
    let now = Timestamp(milliseconds: Self.start)
    try scene.store.compact(now: now)
    let minute = Int(Self.start / 60_000)
    #expect(try Self.arrivals(scene).map { (minute - $0.start) / 1440 } == [3, 2, 0])
  }
}
