import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage

struct VersionTests {
  /// Oldest first, as people and semver.org order them.
  private static let ordered = [
    "1.9", "1.10-beta", "1.10-beta.2", "1.10", "1.10.1", "1.010.2", "1.10.3", "2.0.0-rc", "2.0", "2.0.0", "2.0.0.1",
    "v3.1",
    "10.0", "20261120103000999999999",
  ]

  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test(
    "releases are listed newest version first, with numbers in numeric order and after words",
    arguments: [UInt64.random(in: 0...999_999)])
  func order(seed: UInt64) throws {
    let scene = try Scene()
    var random = SeededRandom(seed: seed)
    try scene.receive(
      Self.ordered.shuffled(using: &random).map {
        Scene.native(version: $0, #""sessions": [{"id": "\#($0)", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
      })
    #expect(try scene.report().releases.map(\.release.version) == Self.ordered.reversed())
  }

  @Test(
    "titles with builds are in the order of their releases",
    arguments: [UInt64.random(in: 0...999_999)])
  func titles(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let ordered = [("4.9.0", "9"), ("4.10.0-beta", "3"), ("4.10.0", "2"), ("4.10.0", "10")]
    let scene = try Scene()
    try scene.receive(
      ordered.shuffled(using: &random).map { version, build in
        Scene.native(
          version: version, build: build,
          #""sessions": [{"id": "\#(version)-\#(build)", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
      })
    let titles = ordered.reversed().map { "\($0.0) (\($0.1))" }
    #expect(try scene.report().releases.map { "\($0.release.version) (\($0.release.build))" } == titles)
  }

  @Test("data without a version is (unknown), listed last and filtered by that name")
  func unknown() throws {
    let scene = try Scene()
    try scene.receive(
      [("", ""), ("", "7"), ("4.2.0", "1"), ("4.2 (beta)", ""), ("4.2", "beta")].map { version, build in
        Scene.native(
          version: version, build: build,
          #""sessions": [{"id": "\#(version)/\#(build)", "started": "2026-11-20T10:00:00Z", "status": "crashed"}]"#)
      })
    func total(_ release: String) throws -> Int { try scene.report(ReportQuery(release: release)).sessions.total }
    #expect(try total("(unknown)") == 2)
    #expect(try total("(unknown) (7)") == 1)
    #expect(try total("4.2.0 (1)") == 1)
    // A version that looks like one with its build: both are meant.
    #expect(try total("4.2 (beta)") == 2)
    let reader = HealthReader(store: scene.store, budgets: [])
    #expect(
      try reader.report(Scene.app, now: Scene.now).releases.map(\.title).suffix(2) == ["(unknown) (7)", "(unknown)"])
  }

  @Test("users who turn out to belong elsewhere leave none behind, whether estimated or not", arguments: [30, 3_000])
  func moved(users: Int) throws {
    let scene = try Scene()
    func send(_ version: String, sequence: Int, day: String, _ users: Range<Int>) throws {
      try scene.receive(
        users.map { user in
          let session =
            #"{"id": "s\#(user)", "started": "2026-11-\#(day)T10:00:00Z", "status": "crashed", "seq": \#(sequence)}"#
          return Scene.native(version: version, installation: "u\(user)", #""sessions": [\#(session)]"#)
        })
    }
    try send("", sequence: 1, day: "18", 0..<users)
    try send("4.2.0", sequence: 2, day: "18", 0..<users)
    let report = try scene.report()
    #expect(report.releases.map(\.title) == ["4.2.0"])
    #expect(report.releases.first?.adoptionDevices == nil || report.releases.first?.adoptionDevices == 1)
    let all = try #require(report.users.total)
    #expect(abs(all - users) <= users / 33, "\(all)")
    let gone = try scene.report(ReportQuery(release: "(unknown)")).users
    #expect((gone.total ?? 0) == 0 && (gone.crashed ?? 0) == 0)
    // Half of them belong to the release before: of the rest no more than the estimate's error is left over.
    try send("4.1.0", sequence: 3, day: "18", 0..<users / 2)
    let left = try #require(try scene.report(ReportQuery(release: "4.2.0")).users.total)
    #expect(abs(left - users / 2) <= users / 33, "\(left)")
  }

  @Test("control characters of a name become spaces, so that a version cannot begin a line")
  func controls() throws {
    let scene = try Scene()
    try scene.receive([
      Scene.native(
        version: #"10.0\n::error::pwn\u001b[31m"#,
        #""sessions": [{"id": "a", "started": "2026-11-20T10:00:00Z", "status": "ok"}]"#)
    ])
    #expect(try scene.report().releases.map(\.release.version) == ["10.0 ::error::pwn [31m"])
  }
}
