import SQLiteStore
import Statistics
import Storage
import Telemetry
import Testing

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

  private static func refused(_ scene: Scene) throws -> Int {
    try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today)).filter { $0.kind == .limited }
      .reduce(0) { $0 + $1.count }
  }

  @Test("a user has at most 1,000 sessions a day; the rest is counted as left out, others are not concerned")
  func mostOfAUser() throws {
    let scene = try Scene()
    try scene.apply(sessions: (0..<700).map { Self.session($0, user: 7) })
    try scene.apply(sessions: (700..<1_500).map { Self.session($0, user: 7) } + [Self.session(9_000, user: 8)])
    let tally = try scene.rows().sessions
    #expect(tally.total == 1_001)
    #expect(tally.userDays.clusters == 2)
    #expect(try Self.refused(scene) == 500)
    // Known ones are still followed.
    try scene.apply(sessions: [Self.session(3, user: 7, outcome: .crashed, sequence: 2)])
    #expect(try scene.rows().sessions[.crashed] == 1)
    #expect(try scene.rows().sessions.total == 1_001)
  }

  @Test("sessions of nobody are not limited so, and cannot get in by naming the user later")
  func namedLater() throws {
    let scene = try Scene()
    try scene.apply(sessions: (0..<1_000).map { Self.session($0, user: 7) })
    try scene.apply(sessions: (1_000..<1_200).map { Self.session($0, user: nil) })
    try scene.apply(sessions: (1_000..<1_200).map { Self.session($0, user: 7, sequence: 2) })
    #expect(try scene.rows().sessions.total == 1_200)
    #expect(try scene.rows().sessions.userDays.clusters == 201)
    #expect(try Self.refused(scene) == 200)
  }
}
