import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Which hangs count, and what is stored about them.
@Suite("Hangs that count and hangs that nobody felt")
struct HangClassTests {
  private static let start = Scene.now.milliseconds - 3 * 3_600_000

  /// A chain of `Binary:function`, outermost first.
  private static func calls(_ text: String) -> CallTree {
    var tree = CallTree()
    for word in text.split(separator: " ") {
      let parts = word.split(separator: ":", maxSplits: 1)
      tree.binaries.append(.init(name: String(parts[0]), uuid: ""))
      tree.frames.append(
        .init(
          caller: tree.frames.count - 1, binary: tree.binaries.count - 1,
          symbol: .init(function: String(parts[1]))))
    }
    tree.threads = [.init(range: 0..<tree.frames.count, isAttributed: true)]
    return tree
  }

  private static let loop = "GraphicsServices:GSEventRunModal CoreFoundation:__CFRunLoopRun "
  private static let own = calls(loop + "Shop:Cart.checkout() libsystem_kernel.dylib:__ulock_wait")
  private static let system = calls(loop + "UIKitCore:-[UIView_layout] libsystem_kernel.dylib:__ulock_wait")
  private static let idle = calls(
    loop + "CoreFoundation:__CFRunLoopServiceMachPort libsystem_kernel.dylib:mach_msg2_trap")

  private static func hang(
    _ calls: CallTree, identity: UInt64, user: String? = "u", milliseconds: Double? = nil,
    isInBackground: Bool = false
  ) -> Report {
    var report = Scene.report([], source: .sentry)
    report.diagnostics = [
      Diagnostic(
        kind: .hang, time: .instant(Timestamp(milliseconds: start + 20 * 60_000)), identity: identity,
        exception: ExceptionDetails(name: "App Hanging"), quantity: milliseconds, user: user,
        isInBackground: isInBackground, calls: calls, body: PackedJSON(Array("{}".utf8)))
    ]
    return report
  }

  private static func session(user: String) -> Report {
    var report = Scene.report([], source: .sentry)
    report.sessions = [
      SessionUpdate(
        id: user, outcome: .healthy, started: Timestamp(milliseconds: start), sequence: 1, user: user)
    ]
    return report
  }

  private static func scene(_ hangs: [Report]) throws -> Scene {
    let scene = try Scene()
    try scene.apply([Scene.record(session(user: "u"))] + hangs.map { Scene.record($0) })
    return scene
  }

  /// The sessions with a hang, and the value of `hang.count`.
  private static func counted(_ scene: Scene) throws -> [Int64] {
    [
      try scene.rows(metrics: ["sessions"]).sessions.hangs.x,
      try scene.rows(metrics: ["hang.count"]).steps,
    ]
  }

  @Test("a hang in own or system code, or without a stack, counts; one that is asleep does not")
  func classes() throws {
    let felt = [Self.own, Self.system, CallTree()].map { Self.hang($0, identity: 1) }
    for report in felt { #expect(try Self.counted(Self.scene([report])) == [1, 1]) }
    let asleep = [
      Self.hang(Self.idle, identity: 1), Self.hang(Self.own, identity: 1, isInBackground: true),
      Self.hang(Self.own, identity: 1, milliseconds: 816_400),
      Self.hang(Self.system, identity: 1, milliseconds: 60_000),
    ]
    for report in asleep { #expect(try Self.counted(Self.scene([report])) == [0, 0]) }
    #expect(try Self.counted(Self.scene(felt.prefix(1) + [Self.hang(Self.idle, identity: 2)])) == [1, 1])
  }

  @Test("every hang is stored with its rule, and groups count their rules")
  func stored() throws {
    let scene = try Self.scene([
      Self.hang(Self.own, identity: 1), Self.hang(Self.own, identity: 2, isInBackground: true),
      Self.hang(Self.own, identity: 3), Self.hang(Self.idle, identity: 4),
    ])
    let found = try scene.store.diagnostics(DiagnosticQuery(app: 1, kind: .hang, limit: 9))
    #expect(found.map(\.hang) == [.idleRunLoop, .ownLock, .background, .ownLock])
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 28, endingOn: Scene.today), kind: .hang)
    let counts = try scene.store.counts(query, by: .hangRule)
    #expect(Set(counts.map(\.group)).count == 2)
    let byRule = Dictionary(counts.map { (UInt8($0.part).flatMap(HangRule.init), $0.diagnostics) }, uniquingKeysWith: +)
    #expect(byRule == [.ownLock: 2, .background: 1, .idleRunLoop: 1])
  }

  @Test("the state of the app survives in a record")
  func recorded() throws {
    var report = Self.hang(Self.own, identity: 1, isInBackground: true)
    report.diagnostics += Self.hang(Self.own, identity: 2, user: "v").diagnostics
    let diagnostics = try Self.digested(report)
    #expect(diagnostics.map(\.isInBackground) == [true, false])
    #expect(diagnostics.map { DiagnosticSignature($0).hang } == [.background, .ownLock])
  }

  @Test("the OS of a report decides whether a long hang counts")
  func systems() throws {
    var report = Self.hang(Self.own, identity: 1, milliseconds: 816_400)
    for (system, rule) in [("macOS 15.1", HangRule.ownLock), ("Mac OS X 10.14", .ownLock), ("iOS 18.1", .tooLong)] {
      report.device.system = OperatingSystem(parsing: system)
      #expect(try Self.digested(report).map { DiagnosticSignature($0).hang } == [rule])
    }
  }

  private static func digested(_ report: Report) throws -> [DiagnosticRecord] {
    var aggregator = RecordAggregator()
    var writer = ByteWriter()
    writer.blob(Scene.record(report))
    aggregator.digest(JournalBatch(first: 1, count: 1, records: writer.bytes))
    let taken = aggregator.take(node: Scene.node)
    return try #require(taken).diagnostics
  }
}
