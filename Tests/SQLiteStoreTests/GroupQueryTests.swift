import class Foundation.FileManager
import LabelledCauses
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

@Suite("Stored groups: sessions, samples, slices, images")
struct GroupQueryTests {
  let set = LabelledSet(causes: 20, variants: 20, seed: 3)

  @Test("sessions in several groups count once, and those in a single group are known")
  func sharedSessions() throws {
    let scene = try Scene(samples: SampleLimits())
    let first = set.samples[0]
    let second = try #require(set.samples.first { $0.cause != first.cause && $0.build == first.build })
    let sent = [(first, "a"), (first, "b"), (second, "b"), (second, "c"), (second, "c"), (second, nil)]
    try scene.apply(sent.enumerated().map { Scene.report($1.0, number: $0, session: $1.1) })
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Scene.today))
    let groups = try scene.store.groups(query).map(\.group.fingerprint)
    #expect(groups.count == 2)
    let found = try scene.store.sessions(query, of: groups)
    #expect(found.together == 3 && found.alone.values.sorted() == [1, 1])
    #expect(try groups.map { try scene.store.sessions(query, of: [$0]).together } == [2, 2])
    #expect(try scene.store.sessions(query, of: []).together == 0)
  }

  @Test("counts of sessions and slices equal a list of the diagnostics")
  func counted() throws {
    let scene = try Scene(samples: SampleLimits())
    let sample = set.samples[0]
    let sessions = ["a", "b", "a", nil, "c"]
    try scene.apply(sessions.enumerated().map { Scene.report(sample, number: $0, session: $1) })
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Scene.today))
    let count = try #require(try scene.store.groups(query).first)
    #expect(count.diagnostics == 5 && count.sessions == 3 && count.withoutSession == 1 && count.users == 0)
    let days = try scene.store.counts(query, by: .day)
    #expect(days.map(\.diagnostics) == [1, 1, 1, 1, 1])
    var elsewhere = query
    elsewhere.slice.release = "9.9"
    #expect(try scene.store.groups(elsewhere).isEmpty)
    var here = query
    here.slice.release = "4.\(sample.build).0 (\(1200 + sample.build))"
    here.slice.device = sample.model
    #expect(try scene.store.groups(here).first?.diagnostics == 5)
  }

  @Test("the newest, the typical and the oldest samples of each group are kept, and all are counted")
  func kept() throws {
    let scene = try Scene(samples: SampleLimits(newest: 3, typical: 2))
    let frequent = set.samples.filter { $0.cause == 0 && $0.build == set.samples[0].build && !$0.isCut }
    let other = try #require(set.samples.first { $0.cause == 0 && $0.build != set.samples[0].build && !$0.isCut })
    let reports =
      (0..<30).map { Scene.report(frequent[0], number: $0) }
      + (30..<34).map { Scene.report(other, number: $0) }
    try scene.apply(reports)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    try scene.store.boundSamples()
    #expect(try scene.counts().values.sorted() == [34])
    let identities = try (1...34).filter { try scene.store.sample(of: 1, identity: UInt64($0)) != nil }
    #expect(identities == [1, 29, 30, 32, 33, 34])
    let group = try #require(try scene.counts().keys.first.flatMap { try scene.store.group(of: 1, fingerprint: $0) })
    let listed = try scene.store.samples(of: 1, group: group.id, newest: 3, typical: 2)
    #expect(listed.map(\.diagnostic.identity) == [34, 33, 32, 30, 29, 1])
    #expect(listed.map(\.isTypical) == [false, false, false, true, true, false])
    #expect(listed.map(\.isOldest) == [false, false, false, false, false, true])
  }

  @Test("a batch adds only its newest sample of a stack that has enough, and as many samples are listed as before")
  func flood() throws {
    let scene = try Scene(samples: SampleLimits(newest: 3, typical: 2))
    let frequent = set.samples.filter { $0.cause == 0 && $0.build == set.samples[0].build && !$0.isCut }
    let other = try #require(set.samples.first { $0.cause == 0 && $0.build != set.samples[0].build && !$0.isCut })
    func apply(_ numbers: Range<Int>, other positions: Set<Int> = []) throws {
      try scene.apply(
        numbers.map { number in
          let report = Scene.report(positions.contains(number) ? other : frequent[0], number: number)
          let second = Scene.today.startUTC.milliseconds + Int64(number) * 1000
          return Scene.record(report, received: Timestamp(milliseconds: second))
        })
    }
    func kept() throws -> [Int] { try (1...200).filter { try scene.store.sample(of: 1, identity: UInt64($0)) != nil } }
    func listed() throws -> [UInt64] {
      let group = try #require(try scene.counts().keys.first.flatMap { try scene.store.group(of: 1, fingerprint: $0) })
      return try scene.store.samples(of: 1, group: group.id, newest: 3, typical: 2).map(\.diagnostic.identity)
    }
    try apply(0..<30)
    #expect(try kept() == [1, 26, 27, 28, 29, 30])
    try apply(30..<60)
    #expect(try kept() == [1, 27, 28, 29, 30, 60])
    // None of the three newest diagnostics but one has a sample.
    #expect(try listed() == [60, 30, 29, 28, 27, 1])
    for batch in 2..<6 { try apply(batch * 30..<batch * 30 + 30) }
    #expect(try kept() == [1, 60, 90, 120, 150, 180])
    // Another stack has no samples yet, so that all of these are new.
    try apply(180..<190, other: [181, 185, 188])
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    #expect(try kept() == [1, 90, 120, 150, 180, 182, 186, 189, 190])
    #expect(try listed() == [190, 189, 186, 180, 150, 1])
  }

  @Test("of samples received in the same millisecond, those later in the batch are newer, whatever their stack")
  func ties() throws {
    let scene = try Scene(samples: SampleLimits(newest: 6, typical: 2))
    let ofCause = set.samples.filter { $0.cause == 0 && !$0.isCut }
    let stacks = try Set(ofCause.map(\.build)).sorted().prefix(3).map { build in
      try #require(ofCause.first { $0.build == build })
    }
    try #require(stacks.count == 3)
    try scene.apply((0..<24).map { Scene.record(Scene.report(stacks[$0 % 3], number: $0)) })
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let group = try #require(try scene.counts().keys.first.flatMap { try scene.store.group(of: 1, fingerprint: $0) })
    func listed() throws -> [GroupSample] { try scene.store.samples(of: 1, group: group.id, newest: 6, typical: 2) }
    #expect(try listed().prefix(6).map(\.diagnostic.identity) == [24, 23, 22, 21, 20, 19])
    #expect(try listed().last?.isOldest == true && listed().last?.diagnostic.identity == 1)
    try scene.store.boundSamples()
    let kept = try (1...24).filter { try scene.store.sample(of: 1, identity: UInt64($0)) != nil }
    #expect(kept.count == 9 && kept.first == 1 && Array(kept.suffix(6)) == [19, 20, 21, 22, 23, 24])
    #expect(try Set(listed().map(\.diagnostic.identity)) == Set(kept.map(UInt64.init)))
  }

  @Test("samples stay within their byte limit while they arrive: groups are thinned first, then the oldest are evicted")
  func bounded() throws {
    let limits = SampleLimits(newest: 3, typical: 2, bytes: 4 << 20)
    let scene = try Scene(samples: limits)
    let file = scene.path("samples.db")
    var random = SeededRandom(seed: 7)
    let noise = (0..<200_000).map { _ in UInt8.random(in: 32...255, using: &random) }
    var most = 0
    for turn in 0..<60 {
      // Of 40 causes, each a stack of its own, 100 kB that do not compress.
      let reports = (0..<10).map { number -> Report in
        var report = Scene.report(set.samples[(turn * 10 + number) % 400], number: turn * 10 + number)
        report.diagnostics[0].body = PackedJSON(Array(noise[random.index(below: 100_000)...].prefix(100_000)))
        return report
      }
      try scene.apply(reports)
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      most = max(most, try #require(attributes[.size] as? Int))
    }
    // The limit, and one batch on its way in.
    #expect(most <= 4 << 20 + 1_200_000, "\(most)")
    #expect(try scene.counts().values.reduce(0, +) == 600)
    #expect(try scene.store.sample(of: 1, identity: 600) != nil)
    #expect(try scene.store.sample(of: 1, identity: 1) == nil)
  }

  @Test("each build's binaries are known, and which of them belong to the app")
  func images() throws {
    let scene = try Scene(samples: SampleLimits())
    try scene.apply(set)
    let images = try scene.store.images(of: 1)
    for build in Set(set.samples.map(\.build)) {
      let own = Set(
        set.samples.filter { $0.build == build }.flatMap(\.calls.binaries).filter {
          ["Shop", "ShopKit", "Tracker"].contains($0.name)
        })
      let stored = images.filter { $0.release.build == "\(1200 + build)" && $0.isOwn }
      #expect(Set(stored.map { CallTree.Binary(name: $0.name, uuid: $0.uuid) }) == own)
    }
    #expect(images.contains { $0.name == "UIKitCore" && !$0.isOwn })
  }
}
