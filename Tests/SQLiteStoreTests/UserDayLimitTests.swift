import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// One id that all devices share is no user: what it may cost is bounded.
struct UserDayLimitTests {
  private static func session(_ number: Int, user: UInt64?, outcome: SessionOutcome = .healthy, sequence: Int64 = 1)
    -> SessionRecord
  {
    SessionRecord(
      key: CellKey(
        app: 1, source: .sentry, environment: "production", release: Release(version: "4.2.0"), os: "iOS 17.4.1",
        model: "iPhone15,2"), id: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, outcome: outcome,
      minute: Scene.today.number * 1440 + 60, sequence: sequence, isSequenceExplicit: true, user: user,
      received: Scene.now)
  }

  private static func unnamed(_ scene: Scene) throws -> Int {
    try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today)).filter {
      $0.kind == .setApart && $0.reason == IntakeTally.withoutUser
    }.reduce(0) { $0 + $1.count }
  }

  @Test("a user has at most 10,000 sessions a day, and further ones count without a user and are still updated")
  func mostOfAUser() throws {
    let scene = try Scene()
    try scene.apply(sessions: (0..<7_000).map { Self.session($0, user: 7) })
    try scene.apply(sessions: (7_000..<10_300).map { Self.session($0, user: 7) } + [Self.session(90_000, user: 8)])
    let tally = try scene.rows().sessions
    #expect(tally.total == 10_301)
    // Two users, and each session of nobody.
    #expect(tally.userDays.clusters == 302)
    #expect(tally.knownUserDays == 2)
    #expect(try Self.unnamed(scene) == 300)
    try scene.apply(sessions: [
      Self.session(3, user: 7, outcome: .crashed, sequence: 2),
      Self.session(10_200, user: 7, outcome: .crashed, sequence: 2),
    ])
    #expect(try scene.rows().sessions[.crashed] == 2)
    #expect(try scene.rows().sessions.total == 10_301)
    #expect(try scene.rows().sessions.crashedUserDays == 1)
    #expect(try Self.unnamed(scene) == 300)
  }

  @Test("a user who is named later gets no sessions beyond the limit")
  func namedLater() throws {
    let scene = try Scene()
    try scene.apply(sessions: (0..<10_000).map { Self.session($0, user: 7) })
    try scene.apply(sessions: (10_000..<10_200).map { Self.session($0, user: nil) })
    try scene.apply(sessions: (10_000..<10_200).map { Self.session($0, user: 7, sequence: 2) })
    #expect(try scene.rows().sessions.total == 10_200)
    #expect(try scene.rows().sessions.userDays.clusters == 201)
  }
}
