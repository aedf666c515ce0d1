import Bytes
import Compression
import Aggregation
import GRDB
import Issues
import LabelledCauses
import Record
import SQLiteStore
import Storage
import Synchronization
import Telemetry
import Testing

import class Foundation.FileManager
import struct Foundation.Data
import struct Foundation.URL
import struct Foundation.UUID

/// A store with samples, filled by records as the server fills it.
private final class GroupScene {
  static let today = CalendarDay(number: 20_777)
  let folder: URL
  let store: SQLiteStore
  let samples: SQLiteDiagnosticBodies
  private var next: Int64 = 1

  init(limits: SampleLimits = SampleLimits()) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    samples = try SQLiteDiagnosticBodies(path: folder.appendingPathComponent("samples.db").path, limits: limits)
    store = try SQLiteStore(path: folder.appendingPathComponent("plumb.db").path, samples: samples)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func apply(_ reports: [Report]) throws {
    let seal = Pseudonymizer(
      hash: { Fingerprint.hash(of: [$1, $0]) }, compress: { Compression.compress(zstd: $0) })
    var writer = ByteWriter()
    for (place, report) in reports.enumerated() {
      let received = Timestamp(milliseconds: Self.today.startUTC.milliseconds + Int64(place) * 1000)
      writer.blob(RecordWriter.encode(report, RecordHeader(app: 1, received: received), seal: seal))
    }
    var digester = Digester()
    digester.digest(JournalBatch(first: next, count: reports.count, records: writer.bytes))
    guard let batch = digester.take(node: NodeID("00000000000000aa")) else { return }
    try store.apply(batch)
    next = batch.through + 1
  }

  func apply(_ set: LabelledSet) throws {
    try apply(set.samples.enumerated().map { Self.report($1, number: $0) })
  }

  static func report(_ sample: LabelledSet.Sample, number: Int, session: String? = nil) -> Report {
    let diagnostic = Diagnostic(
      kind: sample.kind, time: .day(today - number % 20), identity: UInt64(number + 1), exception: sample.exception,
      session: session, calls: sample.calls, body: Array("{\"number\":\(number)}".utf8))
    return Report(
      source: .metricKit, release: Release(version: "4.\(sample.build).0", build: "\(1200 + sample.build)"),
      device: Device(model: sample.model, system: OperatingSystem(parsing: sample.system)), diagnostics: [diagnostic])
  }

  /// Diagnostics of each group, by fingerprint.
  func counts() throws -> [UInt64: Int] {
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Self.today))
    return Dictionary(uniqueKeysWithValues: try store.groups(query).map { ($0.group.fingerprint, $0.diagnostics) })
  }

  /// No group that became part of another leads to one without diagnostics, and no way goes round in circles.
  func expectEndsWithSignatures() throws {
    let file = try DatabaseQueue(path: folder.appendingPathComponent("plumb.db").path)
    let (ways, live) = try file.read { database in
      let ways = try Row.fetchAll(database, sql: "SELECT id, successor FROM diagnostic_group").map { row in
        (row[0] as Int64, row[1] as Int64?)
      }
      return (ways, try Set(Int64.fetchAll(database, sql: "SELECT DISTINCT member FROM signature")))
    }
    let next = Dictionary(uniqueKeysWithValues: ways)
    for start in next.keys {
      var seen: Set<Int64> = [start]
      var end = start
      while let step = next[end] ?? nil {
        guard seen.insert(step).inserted else {
          Issue.record("a circle at \(start)")
          break
        }
        end = step
      }
      #expect(live.contains(end))
    }
  }

  /// What the pure rules say of all samples at once.
  static func expected(_ set: LabelledSet, _ symbols: [String: [UInt64: [CallTree.Symbol]]]) -> [UInt64: Int] {
    var counts: [UInt64: (fingerprint: Fingerprint, count: Int)] = [:]
    for sample in set.samples {
      let made = Grouper().fingerprint(
        of: NormalizedStack(sample.kind, sample.exception, sample.calls), symbols: symbols)
      counts[made.hash, default: (made, 0)].count += 1
    }
    let homes = TruncatedStacks.homes(of: Array(counts.values))
    return counts.values.reduce(into: [:]) { found, made in
      found[homes[made.fingerprint.hash] ?? made.fingerprint.hash, default: 0] += made.count
    }
  }
}

/// Symbols behind a symbolizer that does not work until it is told to.
private final class FailingSymbols: SymbolLookup {
  private let symbols: MemorySymbols
  private let state = Mutex((works: false, questions: 0))

  init(_ symbols: MemorySymbols) { self.symbols = symbols }

  var works: Bool {
    get { state.withLock { $0.works } }
    set { state.withLock { $0.works = newValue } }
  }
  var questions: Int { state.withLock { $0.questions } }
  var generation: Int { symbols.generation }

  func hasSymbols(uuid: String) -> Bool { symbols.hasSymbols(uuid: uuid) }

  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    lookUp(uuid: uuid, offsets: offsets).names
  }

  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>) {
    let works = state.withLock { state in
      state.questions += 1
      return state.works
    }
    return works ? (symbols.symbols(uuid: uuid, offsets: offsets), []) : ([:], Set(offsets))
  }
}

@Suite("Groups in the store")
struct GroupStoreTests {
  let set = LabelledSet(causes: 20, variants: 20, seed: 3)

  @Test("without symbols and with them, the store has the groups that the rules give all diagnostics at once")
  func merged() throws {
    let scene = try GroupScene()
    try scene.apply(set)
    try scene.store.regroup(symbols: NoSymbols())
    let unnamed = try scene.counts()
    #expect(unnamed == GroupScene.expected(set, [:]))
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let named = try scene.counts()
    #expect(named == GroupScene.expected(set, set.symbols))
    #expect(named.count * 3 < unnamed.count && named.values.reduce(0, +) == set.samples.count)
    // Nothing changes where nothing changed.
    #expect(try scene.store.regroup(symbols: MemorySymbols(set.symbols)).moved == 0)
  }

  @Test("the name of a group that became part of another leads there, with the releases of both")
  func successors() throws {
    let scene = try GroupScene()
    try scene.apply(set)
    try scene.store.regroup(symbols: NoSymbols())
    let before = try scene.counts()
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let after = try scene.counts()
    for fingerprint in before.keys {
      let group = try #require(try scene.store.group(of: 1, fingerprint: fingerprint))
      let count = try #require(after[group.fingerprint])
      let lives = try scene.store.lives(of: 1, group: group.id)
      #expect(lives.reduce(0) { $0 + $1.diagnostics } == count)
    }
    #expect(try scene.store.successors(of: 1).values.allSatisfy { after[$0] != nil })
    // Also when what is not in use has been deleted.
    let ends = try before.keys.map { try scene.store.group(of: 1, fingerprint: $0)?.fingerprint }
    #expect(ends.contains { $0.map { before[$0] == nil } ?? false })
    try scene.store.compact(now: GroupScene.today.startUTC)
    #expect(try before.keys.map { try scene.store.group(of: 1, fingerprint: $0)?.fingerprint } == ends)
    #expect(try scene.store.group(of: 1, fingerprint: 12) == nil)
    #expect(try scene.store.group(of: 2, fingerprint: before.keys.first ?? 0) == nil)
  }

  @Test("names that were found once stay when their symbols go, also those of frames beside others without names")
  func removed() throws {
    let scene = try GroupScene()
    let whole = LabelledSet(causes: 10, variants: 12, seed: 5, cut: 0)
    try scene.apply(whole)
    let unnamed = try scene.counts()
    try scene.store.regroup(symbols: MemorySymbols(generation: 1, whole.symbols))
    let named = try scene.counts()
    #expect(named != unnamed)
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    #expect(try scene.counts() == named)
    // And one binary after the other: each is gone when the next one comes.
    let other = try GroupScene()
    try other.apply(whole)
    for (number, binary) in whole.symbols.sorted(by: { $0.key < $1.key }).enumerated() {
      try other.store.regroup(symbols: MemorySymbols(generation: 1 + number, [binary.key: binary.value]))
    }
    #expect(try other.counts() == named)
    try other.expectEndsWithSignatures()
  }

  @Test("after symbols went away, the same crash joins the group that has its names, and other code does not")
  func predecessor() throws {
    let scene = try GroupScene()
    let fault = ExceptionDetails(type: 1, name: "EXC_BAD_ACCESS")
    func sample(_ uuid: String, _ deepest: UInt64) -> Diagnostic {
      let images = [
        CallTree.Binary(name: "dyld", uuid: ""), .init(name: "UIKitCore", uuid: ""), .init(name: "Shop", uuid: uuid),
      ]
      // Two frames make the fingerprint; the third tells the stems apart.
      let stack: [(Int, UInt64)] = [(0, 4), (1, 9), (2, deepest), (2, 501), (2, 800)]
      let frames = stack.enumerated().map { place, frame in
        CallTree.Frame(caller: place - 1, binary: frame.0, offset: frame.1)
      }
      return Diagnostic(
        kind: .crash, time: .day(GroupScene.today), identity: deepest << 8 | UInt64(uuid.utf8.first ?? 0),
        exception: fault,
        calls: CallTree(binaries: images, frames: frames, threads: [.init(range: 0..<5, isAttributed: true)]),
        body: [])
    }
    func apply(_ diagnostics: [Diagnostic]) throws {
      try scene.apply(
        diagnostics.map {
          Report(
            source: .metricKit, release: Release(version: "4", build: "1"),
            device: Device(model: "x", system: OperatingSystem(parsing: "iOS 18.0")), diagnostics: [$0])
        })
    }
    let build = String(repeating: "A", count: 32)
    let names: [UInt64: [CallTree.Symbol]] = [
      800: [.init(function: "Cart.checkout()")], 500: [.init(function: "Cart.tap()")],
      600: [.init(function: "Root.a()")], 700: [.init(function: "Root.b()")],
    ]
    try apply([sample(build, 601)])
    let unnamed = try #require(try scene.counts().keys.first)
    try scene.store.regroup(symbols: MemorySymbols(generation: 1, [build: names]))
    let named = try #require(try scene.counts().keys.first)
    #expect(named != unnamed)
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    try apply([sample(build, 701)])
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    #expect(try scene.counts() == [named: 2])
    // Another build has other code at the same places.
    try apply([sample(String(repeating: "B", count: 32), 701)])
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    #expect(try scene.counts() == [named: 2, unnamed: 1])
  }

  @Test(
    "a binary that is called like the system's is the app's own once there are symbols for it, and its groups split")
  func ownBinary() throws {
    let scene = try GroupScene()
    func report(_ offset: UInt64) -> Report {
      let images = [
        CallTree.Binary(name: "dyld", uuid: ""), .init(name: "UIKitCore", uuid: ""),
        .init(name: "Shop", uuid: String(repeating: "A", count: 32)),
        .init(name: "Charts", uuid: String(repeating: "C", count: 32)),
      ]
      let stack: [(Int, UInt64)] = [(0, 4), (1, 9), (2, 501), (3, offset)]
      let frames = stack.enumerated().map { CallTree.Frame(caller: $0 - 1, binary: $1.0, offset: $1.1) }
      let calls = CallTree(binaries: images, frames: frames, threads: [.init(range: 0..<4, isAttributed: true)])
      return Report(
        source: .metricKit, release: Release(version: "4", build: "1"),
        device: Device(model: "x", system: OperatingSystem(parsing: "iOS 18.0")),
        diagnostics: [
          Diagnostic(
            kind: .crash, time: .day(GroupScene.today), identity: offset,
            exception: .init(type: 1, name: "EXC_BAD_ACCESS"), calls: calls, body: [])
        ])
    }
    try scene.apply([report(800), report(900)])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts().values.sorted() == [2])
    // The team may say so, and take it back.
    try scene.store.setOwnBinaries([1: ["Charts"]])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts().values.sorted() == [1, 1])
    #expect(try scene.store.images(of: 1).filter(\.isOwn).map(\.name).contains("Charts"))
    try scene.apply([report(900 + 64)])
    #expect(try scene.counts().values.sorted() == [1, 1, 1])
    try scene.store.setOwnBinaries([:])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts().values.sorted() == [3])
    let old = try #require(try scene.counts().keys.first)
    #expect(try scene.store.images(of: 1).filter { !$0.isOwn }.map(\.name).contains("Charts"))
    let names: [UInt64: [CallTree.Symbol]] = [
      800: [.init(function: "Axis.draw()")], 900: [.init(function: "Legend.draw()")],
      964: [.init(function: "Legend.draw()")],
    ]
    let done = try scene.store.regroup(
      symbols: MemorySymbols(generation: 1, [String(repeating: "C", count: 32): names]))
    #expect(done.merges.count == 2 && done.merges.allSatisfy { $0.part == old })
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: GroupScene.today))
    #expect(Set(try scene.store.groups(query).map(\.group.place)) == ["Axis.draw()", "Legend.draw()"])
    try scene.expectEndsWithSignatures()
  }

  @Test("a name that led to a part of a group that was taken apart does not take other crashes there")
  func takenApart() throws {
    let scene = try GroupScene()
    // Cut before anything that a program begins with. Without an offset nothing of Charts is in it.
    func report(_ offset: UInt64?, identity: UInt64) -> Report {
      let images = [
        CallTree.Binary(name: "UIKitCore", uuid: ""), .init(name: "Shop", uuid: String(repeating: "A", count: 32)),
        .init(name: "Charts", uuid: String(repeating: "C", count: 32)),
      ]
      let stack: [(Int, UInt64)] = [(1, 501), (0, 9)] + (offset.map { [(2, $0 + 32), (2, $0)] } ?? [])
      let frames = stack.enumerated().map { CallTree.Frame(caller: $0 - 1, binary: $1.0, offset: $1.1) }
      let calls = CallTree(
        binaries: images, frames: frames, threads: [.init(range: 0..<frames.count, isAttributed: true)])
      return Report(
        source: .metricKit, release: Release(version: "4", build: "1"),
        device: Device(model: "x", system: OperatingSystem(parsing: "iOS 18.0")),
        diagnostics: [
          Diagnostic(
            kind: .crash, time: .day(GroupScene.today), identity: identity,
            exception: .init(type: 1, name: "EXC_BAD_ACCESS"), calls: calls, body: [])
        ])
    }
    try scene.apply([report(800, identity: 1), report(900, identity: 2)])
    try scene.store.regroup(symbols: NoSymbols())
    let whole = try #require(try scene.counts().keys.first)
    #expect(try scene.counts() == [whole: 2])
    try scene.store.setOwnBinaries([1: ["Charts"]])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts().values.sorted() == [1, 1] && scene.counts()[whole] == nil)
    try scene.apply([report(nil, identity: 3)])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts()[whole] == 1)
    #expect(try scene.counts().values.sorted() == [1, 1, 1])
    // Taken back, all of them are what they were, and are called so.
    try scene.store.setOwnBinaries([:])
    try scene.store.regroup(symbols: NoSymbols())
    #expect(try scene.counts() == [whole: 3])
    try scene.expectEndsWithSignatures()
  }

  @Test("what older rules put together is worked out once more, and its name leads on")
  func olderRules() throws {
    let scene = try GroupScene()
    let sample = try #require(
      set.samples.first { $0.exception.signal == 6 && $0.exception.name == "NSInvalidArgumentException" && !$0.isCut })
    try scene.apply([GroupScene.report(sample, number: 0)])
    let now = try scene.counts()
    let old = NormalizedStack(sample.kind, .init(type: 10, signal: 6), sample.calls)
    let fingerprint = Grouper().fingerprint(of: old)
    #expect(now[fingerprint.hash] == nil)
    let file = try DatabaseQueue(path: scene.folder.appendingPathComponent("plumb.db").path)
    try file.write { database in
      try database.execute(
        sql: "UPDATE signature SET generation = -3, stem = ?; UPDATE diagnostic_group SET fingerprint = ?, cut = 0",
        arguments: [Data(old.encoded()), Int64(bitPattern: fingerprint.hash)])
    }
    #expect(try scene.counts() == [fingerprint.hash: 1])
    let done = try scene.store.regroup(symbols: NoSymbols())
    #expect(done.merges.map(\.isEmptied) == [true])
    #expect(try scene.counts() == now)
    #expect(try scene.store.group(of: 1, fingerprint: fingerprint.hash)?.fingerprint == now.keys.first)
  }

  @Test("sessions of several groups count once, and those of one alone are known")
  func sharedSessions() throws {
    let scene = try GroupScene()
    let first = set.samples[0]
    let second = try #require(set.samples.first { $0.cause != first.cause && $0.build == first.build })
    let sent = [(first, "a"), (first, "b"), (second, "b"), (second, "c"), (second, "c"), (second, nil)]
    try scene.apply(sent.enumerated().map { GroupScene.report($1.0, number: $0, session: $1.1) })
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: GroupScene.today))
    let groups = try scene.store.groups(query).map(\.group.fingerprint)
    #expect(groups.count == 2)
    let found = try scene.store.sessions(query, of: groups)
    #expect(found.together == 3 && found.alone.values.sorted() == [1, 1])
    #expect(try groups.map { try scene.store.sessions(query, of: [$0]).together } == [2, 2])
    #expect(try scene.store.sessions(query, of: []).together == 0)
  }

  @Test("groups that lost their names before names were kept get them again, and their names lead to them")
  func lost() throws {
    let scene = try GroupScene()
    let whole = LabelledSet(causes: 10, variants: 12, seed: 5, cut: 0)
    try scene.apply(whole)
    try scene.store.regroup(symbols: MemorySymbols(generation: 1, whole.symbols))
    let named = try scene.counts()
    // As it was: signatures without names, in groups without names, to which those with names lead.
    let file = try DatabaseQueue(path: scene.folder.appendingPathComponent("plumb.db").path)
    try file.write { database in
      try database.execute(
        sql: """
          UPDATE signature SET generation = 2, member = (SELECT min(id) FROM diagnostic_group WHERE symbolic = 0);
          UPDATE diagnostic_group SET successor = (SELECT min(id) FROM diagnostic_group WHERE symbolic = 0);
          UPDATE diagnostic_group SET successor = NULL WHERE id = successor
          """)
    }
    try scene.store.regroup(symbols: MemorySymbols(generation: 3, whole.symbols))
    #expect(try scene.counts() == named)
    for fingerprint in named.keys {
      #expect(try scene.store.group(of: 1, fingerprint: fingerprint)?.fingerprint == fingerprint)
    }
    try scene.expectEndsWithSignatures()
  }

  @Test("places that could not be looked up are asked again, and those without names are not")
  func unanswered() throws {
    let scene = try GroupScene()
    try scene.apply(set)
    let failing = FailingSymbols(MemorySymbols(generation: 1, set.symbols))
    let first = try scene.store.regroup(symbols: failing)
    #expect(first.unanswered > 0)
    let asked = failing.questions
    // What is new is no reason to ask again for what is old.
    #expect(try scene.store.regroup(symbols: failing, retrying: false).unanswered == 0 && failing.questions == asked)
    failing.works = true
    #expect(try scene.store.regroup(symbols: failing).unanswered == 0)
    #expect(try scene.counts() == GroupScene.expected(set, set.symbols))
    let done = failing.questions
    try scene.store.regroup(symbols: failing)
    #expect(failing.questions == done)
  }

  @Test("diagnostics from before there were groups get theirs from what is kept of them")
  func old() throws {
    let scene = try GroupScene(limits: SampleLimits(newest: 100, typical: 0))
    try scene.apply(set)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    let known = try scene.counts()
    let file = try DatabaseQueue(path: scene.folder.appendingPathComponent("plumb.db").path)
    try file.write { database in
      try database.execute(
        sql: """
          UPDATE diagnostic SET signature = NULL, examined = 0; DELETE FROM signature; DELETE FROM signature_life;
          DELETE FROM diagnostic_group; DELETE FROM image
          """)
    }
    #expect(try scene.counts().isEmpty)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    #expect(try scene.counts() == known)
    #expect(try !scene.store.images(of: 1).isEmpty)
  }

  @Test("of each group the newest and the typical samples are kept, and all are counted")
  func kept() throws {
    let scene = try GroupScene(limits: SampleLimits(newest: 3, typical: 2))
    let frequent = set.samples.filter { $0.cause == 0 && $0.build == set.samples[0].build && !$0.isCut }
    let other = try #require(set.samples.first { $0.cause == 0 && $0.build != set.samples[0].build && !$0.isCut })
    let reports =
      (0..<30).map { GroupScene.report(frequent[0], number: $0) }
      + (30..<34).map { GroupScene.report(other, number: $0) }
    try scene.apply(reports)
    try scene.store.regroup(symbols: MemorySymbols(set.symbols))
    try scene.store.boundSamples()
    #expect(try scene.counts().values.sorted() == [34])
    let identities = try (1...34).filter { try scene.store.sample(of: 1, identity: UInt64($0)) != nil }
    #expect(identities == [29, 30, 32, 33, 34])
    let group = try #require(try scene.counts().keys.first.flatMap { try scene.store.group(of: 1, fingerprint: $0) })
    let listed = try scene.store.samples(of: 1, group: group.id, newest: 3, typical: 2)
    #expect(listed.map(\.identity) == [34, 33, 32, 30, 29])
  }

  @Test("all samples together stay within their bytes while they come in: groups are thinned first, then the oldest go")
  func bounded() throws {
    let limits = SampleLimits(newest: 3, typical: 2, bytes: 4 << 20)
    let scene = try GroupScene(limits: limits)
    let file = scene.folder.appendingPathComponent("samples.db").path
    var random = SplitMix(seed: 7)
    var most = 0
    for turn in 0..<60 {
      // Of 40 causes, each a stack of its own, 100 kB that do not compress.
      let reports = (0..<10).map { number -> Report in
        var report = GroupScene.report(set.samples[(turn * 10 + number) % 400], number: turn * 10 + number)
        report.diagnostics[0].body = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
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

  @Test("sessions and slices are counted as a list of the diagnostics says")
  func counted() throws {
    let scene = try GroupScene()
    let sample = set.samples[0]
    let sessions = ["a", "b", "a", nil, "c"]
    try scene.apply(sessions.enumerated().map { GroupScene.report(sample, number: $0, session: $1) })
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: GroupScene.today))
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

  @Test("each build's binaries are known, and which of them came with the app")
  func images() throws {
    let scene = try GroupScene()
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
