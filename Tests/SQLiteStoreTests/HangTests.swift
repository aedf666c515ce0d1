import Testing

@testable import Core
@testable import Statistics
@testable import Storage

/// Which sessions had a hang, from their own updates and from hangs that arrive beside them.
@Suite("Hang-free sessions")
struct HangTests {
  private static let start = Scene.now.milliseconds - 3 * 3_600_000

  private static func session(
    _ id: String, user: String?, minute: Int64 = 0, outcome: SessionOutcome = .healthy, sequence: Int64 = 1,
    hasHang: Bool = false
  ) -> Report {
    var report = Scene.report([], source: .sentry)
    report.sessions = [
      SessionUpdate(
        id: id, outcome: outcome, started: Timestamp(milliseconds: start + minute * 60_000), sequence: sequence,
        user: user, hasHang: hasHang)
    ]
    return report
  }

  private static func hang(
    user: String?, minute: Int64, session: String? = nil, name: String = "App Hanging", source: Source = .sentry,
    kind: DiagnosticKind = .hang, identity: UInt64 = 1
  ) -> Report {
    var report = Scene.report([], source: source)
    report.diagnostics = [
      Diagnostic(
        kind: kind, time: .instant(Timestamp(milliseconds: start + minute * 60_000)), identity: identity,
        exception: ExceptionDetails(name: name), session: session, user: user, calls: CallTree(),
        body: PackedJSON(Array("{}".utf8))
      )
    ]
    return report
  }

  /// The sums over user-days: sessions with a hang, sessions, and the squares of the first.
  private static func hangs(_ batches: [[Report]]) throws -> [Int64] {
    let scene = try Scene()
    for batch in batches { try scene.apply(batch.map { Scene.record($0) }) }
    let sums = try scene.rows(metrics: ["sessions"]).sessions.hangs
    return [sums.x, sums.y, Int64(sums.xx)]
  }

  @Test("a session with a hang keeps it, whichever update reports it and in any order")
  func updates() throws {
    let first = Self.session("a", user: "u", hasHang: true)
    let second = Self.session("a", user: "u", outcome: .crashed, sequence: 2)
    let other = Self.session("b", user: "u")
    for batches in [[[first, second, other]], [[second], [first], [other]], [[other], [first], [second], [first]]] {
      #expect(try Self.hangs(batches) == [1, 2, 1])
    }
    #expect(
      try Self.hangs([[first, Self.session("b", user: "u", hasHang: true), Self.session("c", user: nil)]]) == [2, 3, 4])
  }

  @Test("a hang counts for the session that it names, or for the latest session of its user")
  func diagnostics() throws {
    let sessions = [
      Self.session("a", user: "u"), Self.session("b", user: "u", minute: 30), Self.session("c", user: "v", minute: 10),
    ]
    // At minute 20 the first session of u is the latest.
    let batches = [sessions, [Self.hang(user: "u", minute: 20)]]
    #expect(try Self.hangs(batches) == [1, 3, 1])
    #expect(try Self.hangs([sessions + [Self.hang(user: "u", minute: 20)]]) == [1, 3, 1])
    #expect(
      try Self.hangs(batches + [[Self.hang(user: "u", minute: 25, identity: 2)]]) == [1, 3, 1], "the same session")
    #expect(try Self.hangs(batches + [[Self.hang(user: "u", minute: 31, identity: 2)]]) == [2, 3, 4])
    #expect(try Self.hangs([sessions, [Self.hang(user: nil, minute: 31, session: "c")]]) == [1, 3, 1])
    // An update of the session that comes later does not know of the hang.
    #expect(try Self.hangs(batches + [[Self.session("a", user: "u", outcome: .errored, sequence: 2)]]) == [1, 3, 1])
  }

  @Test("a hang without a user, before any session, from MetricKit, or another diagnostic affects no session")
  func strangers() throws {
    let session = Self.session("a", user: "u", minute: 10)
    let strangers = [
      Self.hang(user: nil, minute: 20), Self.hang(user: "w", minute: 20), Self.hang(user: "u", minute: 9),
      Self.hang(user: "u", minute: 20, name: "MXHangDiagnostic"), Self.hang(user: "u", minute: 20, source: .otlp),
      Self.hang(user: "u", minute: 20, kind: .crash), Self.hang(user: nil, minute: 20, session: "unknown"),
      Self.hang(user: "u", minute: 10 + 1441),
    ]
    for stranger in strangers { #expect(try Self.hangs([[session], [stranger]]) == [0, 1, 0]) }
    #expect(
      try Self.hangs([[session], [Self.hang(user: "u", minute: 10 + 1440)]]) == [1, 1, 1], "a day later at most")
  }

  @Test("hang-free sessions are not shown for clients that never report hangs")
  func others() throws {
    var native = Self.session("a", user: "u")
    native.source = .native
    #expect(try Self.hangs([[native]]) == [0, 0, 0])
  }
}
