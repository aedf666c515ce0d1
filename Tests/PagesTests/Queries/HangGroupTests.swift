import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Storage
@testable import Web

@Suite("Groups of hangs")
struct HangGroupTests {
  /// A chain of `Binary:function`, outermost first.
  private static func calls(_ text: String) -> CallTree {
    var tree = CallTree()
    for word in text.split(separator: " ") {
      let parts = word.split(separator: ":", maxSplits: 1)
      tree.binaries.append(.init(name: String(parts[0]), uuid: ""))
      tree.frames.append(
        .init(
          caller: tree.frames.count - 1, binary: tree.binaries.count - 1, symbol: .init(function: String(parts[1]))))
    }
    tree.threads = [.init(range: 0..<tree.frames.count, isAttributed: true)]
    return tree
  }

  private static let own = calls("GraphicsServices:GSEventRunModal Shop:Cart.checkout() libsystem_kernel.dylib:pread")
  private static let idle = calls(
    "GraphicsServices:GSEventRunModal CoreFoundation:__CFRunLoopServiceMachPort libsystem_kernel.dylib:mach_msg2_trap")

  /// A reader of the groups of four hangs: three with an idle main thread, one in the app's own code.
  private func reader() throws -> GroupReader {
    let scene = try Scene()
    try scene.receive(Scene.sessions(200, crashed: 0))
    let seal = Pseudonymizer(hash: { text, _ in UInt64(text.utf8.count) })
    var aggregator = RecordAggregator()
    var writer = ByteWriter()
    for (number, calls) in [Self.idle, Self.idle, Self.own, Self.idle].enumerated() {
      let report = Report(
        source: .metricKit, release: Release(version: "4.2.0", build: ""),
        device: Device(model: "iPhone15,2", system: OperatingSystem(name: "iOS", version: "17.4.1")),
        diagnostics: [
          Diagnostic(
            kind: .hang, time: .day(Scene.today - 3), identity: UInt64(number + 1), calls: calls,
            body: PackedJSON(Array("{}".utf8))
          )
        ])
      writer.blob(RecordWriter.encode(report, RecordHeader(app: 1, received: Scene.now), seal: seal))
    }
    let store: any Store = scene.store
    let first = try store.position(of: NodeID("00000000000000bb")).through + 1
    aggregator.digest(JournalBatch(first: first, count: 4, records: writer.bytes))
    let batch = aggregator.take(node: NodeID("00000000000000bb"))
    try store.apply(#require(batch))
    return GroupReader(
      store: scene.store, health: try scene.reader("sessions.crash_free >= 99.5%"), states: NoDecisions(),
      symbols: NoSymbols()
    ) { _ in CallTree() }
  }

  @Test("groups of hangs that nobody felt are last, and open no incident")
  func order() throws {
    let reader = try reader()
    let list = try reader.groups(Scene.app, ReportQuery(), kind: .hang, now: Scene.now)
    #expect(list.groups.map(\.diagnostics) == [1, 3])
    #expect(list.groups.map { $0.hangs?.hangClass } == [.ownCode, .asleep])
    #expect(list.groups.map { $0.hangs?.rule } == [.ownDisk, .idleRunLoop])
    #expect(list.groups.map { $0.hangs?.isOnlyAsleep } == [false, true])
    #expect(try reader.watch(Scene.app, now: Scene.now).map(\.group.id) == [list.groups[0].id])
    let table = try HTMLPage.parse(GroupsView.render(list, PageContext())).table("Most reports first")
    #expect(table.column("Class") == ["Own code", "Asleep"])
    #expect(table.rows.map { $0.element["class"] } == [nil, "asleep"])
  }

  @Test("the page of a group of hangs names the class, its rule and the reports of each class")
  func page() throws {
    var model = Fleet.groupPage(hang: true)
    model.group.hangs = HangCounts(parts: [
      .init(rule: .idleRunLoop, diagnostics: 3), .init(rule: .ownLock, diagnostics: 8),
      .init(rule: .ownWork, diagnostics: 4), .init(rule: nil, diagnostics: 2),
    ])
    let text = try HTMLPage.parse(GroupView.render(model, PageContext())).one("dl.facts").text
    #expect(text.contains("Own code: The app's function waits for a lock, a queue or another thread."))
    #expect(text.contains("own code 12, asleep 3, unknown 2"))
    let older = HangCounts(parts: [.init(rule: nil, diagnostics: 2)])
    #expect(older.hangClass == .unknown && !older.isOnlyAsleep)
    #expect(HangWords.sentence(older) == "Unknown: Older versions stored these reports without a class.")
  }
}
