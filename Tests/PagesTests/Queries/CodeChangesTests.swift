import HealthScene
import TestSupport
import Testing

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage
@testable import Web

@Suite("What changed in the code")
struct CodeChangesTests {
  /// `main` calls `load` and `draw`; the samples in `parse`, which `load` calls, are `parse`.
  private static func calls(parse: Int) -> CallTree {
    let names = ["main", "load()", "parse()", "draw()"]
    let (callers, samples) = ([-1, 0, 1, 0], [100 + parse, 40 + parse, parse, 60])
    var tree = CallTree(binaries: [.init(name: "Shop", uuid: "", origin: .app)])
    for index in names.indices {
      tree.frames.append(
        .init(
          caller: callers[index], binary: 0, offset: UInt64(index), samples: samples[index],
          symbol: .init(function: names[index])))
    }
    tree.threads = [.init(range: 0..<names.count, isAttributed: true)]
    return tree
  }

  /// 150 hangs of each release; those of the newer one spend `parse` samples instead of 100 in `parse()`.
  private func reader(parse: Int, hasSessions: Bool = true) throws -> GroupReader {
    let scene = try Scene(samples: SampleLimits())
    if hasSessions {
      try scene.receive(Scene.sessions(400, crashed: 0, prefix: "a", version: "4.1.0"))
      try scene.receive(Scene.sessions(400, crashed: 0, prefix: "b", version: "4.2.0"))
    }
    try scene.receive(
      ["4.1.0", "4.2.0"].map { version in
        Scene.native(
          version: version,
          #""counters": [{"metric": "time.foreground", "value": 3600000, "unit": "s", "at": "2026-11-17T12:00:00Z"}]"#)
      })
    let seal = Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) })
    var random = SeededRandom(seed: 5)
    var aggregator = RecordAggregator()
    var writer = ByteWriter()
    for number in 0..<300 {
      let isHead = number % 2 == 0
      let own = isHead ? parse : 100
      let report = Report(
        source: .metricKit, release: Release(version: isHead ? "4.2.0" : "4.1.0", build: ""),
        device: Device(model: "iPhone15,2", system: OperatingSystem(parsing: "iOS 18.1")),
        diagnostics: [
          Diagnostic(
            kind: .hang, time: .day(Scene.today - 3), identity: UInt64(number + 1),
            quantity: Double(100 + own) * 10 * (0.7 + 0.6 * Double.random(in: 0...1, using: &random)),
            calls: Self.calls(parse: own), body: PackedJSON(Array("{}".utf8)))
        ])
      writer.blob(RecordWriter.encode(report, RecordHeader(app: 1, received: Scene.now), seal: seal))
    }
    let node = NodeID("00000000000000bb")
    let first = try scene.store.position(of: node).through + 1
    aggregator.digest(JournalBatch(first: first, count: 300, records: writer.bytes))
    let taken = aggregator.take(node: node)
    try scene.store.apply(#require(taken))
    return GroupReader(
      store: scene.store, health: try scene.reader("sessions.crash_free >= 99.5%"), states: NoDecisions(),
      symbols: NoSymbols()
    ) { try DiagnosticSignature.callTree(CompressibleBytes($0.calls, isFrame: true)) }
  }

  private func changes(_ reader: GroupReader) throws -> CodeChanges {
    let comparison = try reader.health.compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    let found = try reader.codeChanges(Scene.app, comparison, now: Scene.now)
    #expect(found.map(\.kind) == [.hang])
    return try #require(found.first)
  }

  @Test("a function that takes twice as long is named, in hang-seconds per 1,000 hours, on the pages of both")
  func slower() throws {
    let reader = try reader(parse: 200)
    let found = try changes(reader)
    #expect((found.head, found.base) == ("4.2.0", "4.1.0"))
    let flame = found.flame
    #expect(flame.headDiagnostics == 150 && flame.baseDiagnostics == 150)
    #expect(flame.unit == .seconds && flame.headHours == 1_000)
    let change = try #require(flame.changes.first)
    let names = (change.callers + [change.node]).map { flame.nodes[$0].name }
    #expect(names.contains("parse()") && change.kind == .more)
    // 150 hangs of 300 samples, 10 ms each, two thirds of them in `parse()`: 300 s in 1,000 hours.
    let parse = try #require(flame.nodes.first { $0.name == "parse()" })
    #expect(abs(parse.head - 300) < 16 && abs(parse.base - 150) < 10)
    #expect(parse.isColoured)
    #expect(flame.nodes.first { $0.name == "draw()" }?.isColoured == false)

    let query = ReportQuery(release: "4.2.0")
    let groups = try reader.groups(Scene.app, query, kind: .hang, now: Scene.now)
    let group = try #require(try reader.group(Scene.app, named: groups.groups[0].id, query, now: Scene.now))
    #expect(group.costs == CostReleases(release: "4.2.0", base: "4.1.0"))
    #expect(group.code?.flame.changes.isEmpty == false)
    let page = try HTMLPage.parse(GroupView.render(group, PageContext()))
    #expect(try page.one("section.code-changes").text.contains("parse()"))
  }

  @Test("the group's page of an app without sessions shows what changed in the code, too")
  func withoutSessions() throws {
    let reader = try reader(parse: 200, hasSessions: false)
    let groups = try reader.groups(Scene.app, kind: .hang, now: Scene.now)
    let group = try #require(try reader.group(Scene.app, named: groups.groups[0].id, now: Scene.now))
    #expect(group.costs == nil && group.code?.head == "4.2.0" && group.code?.flame.changes.isEmpty == false)
  }

  @Test("equal releases have no coloured function, and the page says so")
  func equal() throws {
    let reader = try reader(parse: 100)
    let flame = try changes(reader).flame
    #expect(flame.changes.isEmpty && !flame.nodes.contains(where: \.isColoured) && flame.tested > 0)
    let comparison = try reader.health.compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    let code = try reader.codeChanges(Scene.app, comparison, now: Scene.now)
    let page = try HTMLPage.parse(CompareView.render(comparison, code: code, PageContext()))
    #expect(try page.one("section.code-changes").text.contains("Nothing in the code stands out"))
  }
}
