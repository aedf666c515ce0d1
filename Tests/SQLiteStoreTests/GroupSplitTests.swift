import LabelledCauses
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

@Suite("Groups after removed symbols or a declared binary")
struct GroupSplitTests {
  @Test("names from symbols stay after the symbols are removed, also next to frames without names")
  func removed() throws {
    let scene = try Scene(samples: SampleLimits())
    let whole = LabelledSet(causes: 10, variants: 12, seed: 5, cut: 0)
    try scene.apply(whole)
    let unnamed = try scene.counts()
    try scene.store.regroup(symbols: MemorySymbols(generation: 1, whole.symbols))
    let named = try scene.counts()
    #expect(named != unnamed)
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    #expect(try scene.counts() == named)
    // And one binary after the other: each is gone when the next one comes.
    let other = try Scene(samples: SampleLimits())
    try other.apply(whole)
    for (number, binary) in whole.symbols.sorted(by: { $0.key < $1.key }).enumerated() {
      try other.store.regroup(symbols: MemorySymbols(generation: 1 + number, [binary.key: binary.value]))
    }
    #expect(try other.counts() == named)
    try other.expectEndsWithSignatures()
  }

  @Test("after symbols were removed, the same crash joins the group with its names, and other code does not")
  func predecessor() throws {
    let scene = try Scene(samples: SampleLimits())
    let fault = ExceptionDetails(type: 1, name: "EXC_BAD_ACCESS")
    func sample(_ uuid: String, _ deepest: UInt64) -> Diagnostic {
      let images = [
        CallTree.Binary(name: "dyld", uuid: ""), .init(name: "UIKitCore", uuid: ""), .init(name: "Shop", uuid: uuid),
      ]
      // Two frames make the fingerprint; the third tells the stems apart.
      let stack: [(Int, UInt64)] = [(0, 4), (1, 9), (2, deepest), (2, 501), (2, 800)]
      let frames = stack.enumerated().map { index, frame in
        CallTree.Frame(caller: index - 1, binary: frame.0, offset: frame.1)
      }
      return Diagnostic(
        kind: .crash, time: .day(Scene.today), identity: deepest << 8 | UInt64(uuid.utf8.first ?? 0),
        exception: fault,
        calls: CallTree(binaries: images, frames: frames, threads: [.init(range: 0..<5, isAttributed: true)]),
        body: PackedJSON([]))
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
    // Another build has other code at the same offsets.
    try apply([sample(String(repeating: "B", count: 32), 701)])
    try scene.store.regroup(symbols: MemorySymbols(generation: 2, [:]))
    #expect(try scene.counts() == [named: 2, unnamed: 1])
  }

  @Test("a binary named like the system's is the app's once it has symbols, and its groups split")
  func ownBinary() throws {
    let scene = try Scene(samples: SampleLimits())
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
            kind: .crash, time: .day(Scene.today), identity: offset,
            exception: .init(type: 1, name: "EXC_BAD_ACCESS"), calls: calls, body: PackedJSON([]))
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
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Scene.today))
    #expect(Set(try scene.store.groups(query).map(\.group.place)) == ["Axis.draw()", "Legend.draw()"])
    try scene.expectEndsWithSignatures()
  }

  @Test("a name that pointed to part of a split group does not move other crashes there")
  func takenApart() throws {
    let scene = try Scene(samples: SampleLimits())
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
            kind: .crash, time: .day(Scene.today), identity: identity,
            exception: .init(type: 1, name: "EXC_BAD_ACCESS"), calls: calls, body: PackedJSON([]))
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
}
