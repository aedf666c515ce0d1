import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// Burn rates by arrival, against numbers that were worked out by hand.
struct BurnTests {
  private static let budget = "sessions.crash_free >= 99.5%"

  private static func before(_ minutes: Int) -> Timestamp {
    Timestamp(milliseconds: Scene.now.milliseconds - Int64(minutes) * 60_000)
  }

  /// Documents of `count` sessions each of a user of their own, the first `crashed` of them crashed.
  private static func documents(
    _ count: Int, crashed: Int, prefix: String, users: Int? = nil, started: String = "2026-11-20T03:00:00Z",
    version: String = "4.2.0"
  ) -> [String] {
    (0..<count).map { number in
      let status = number < crashed ? "crashed" : "exited"
      return Scene.native(
        version: version, installation: users.map { "user-\(number % $0)" },
        "\"sessions\": [{\"id\": \"\(prefix)\(number)\", \"started\": \"\(started)\", \"status\": \"\(status)\"}]")
    }
  }

  private static func burn(_ scene: Scene, _ query: ReportQuery = .init(), now: Timestamp = Scene.now) throws
    -> BurnReport
  { try scene.report(query, now: now, budgets: budget).burn }

  private static func isNear(_ value: Double?, _ wanted: Double) -> Bool {
    value.map { abs($0 - wanted) < 1e-9 } ?? false
  }

  @Test("burn rates divide the crashed share by the allowed share, and fire if both windows exceed the factor")
  func rates() throws {
    let scene = try Scene()
    // Two days ago all was well; in the last minutes 20 of 100 sessions crashed.
    try scene.receive(Self.documents(400, crashed: 0, prefix: "a", users: 40), at: Self.before(2 * 1440))
    try scene.receive(Self.documents(100, crashed: 20, prefix: "b", users: 50), at: Self.before(3))
    let burn = try Self.burn(scene)
    #expect(burn.target == 0.995)
    // 20 of 500 sessions where 2.5 may crash.
    #expect(Self.isNear(burn.budgetLeft, 1 - 20 / 2.5))
    // "The Site Reliability Workbook", chapter 5, table 5-8, and Kubernetes' pair of a day.
    #expect(
      burn.windows.map { "\($0.policy.long) \($0.policy.short) \($0.policy.factor)" } == [
        "60 5 14.4", "360 30 6.0", "1440 120 3.0", "4320 360 1.0",
      ])
    // 0.2 ÷ 0.005 = 40 in all windows but the three days: 20 of 500 ÷ 0.005 = 8.
    for window in burn.windows.prefix(3) { #expect(Self.isNear(window.longRate, 40)) }
    #expect(Self.isNear(burn.windows[3].longRate, 8))
    #expect(burn.windows.allSatisfy { Self.isNear($0.shortRate, 40) && $0.crashed == 20 && $0.users == 20 && $0.fires })
  }

  @Test("a burst that is over no longer fires, because the short window is calm")
  func over() throws {
    let scene = try Scene()
    try scene.receive(Self.documents(100, crashed: 20, prefix: "a", users: 50), at: Self.before(45))
    try scene.receive(Self.documents(100, crashed: 0, prefix: "b", users: 50), at: Self.before(2))
    let burn = try Self.burn(scene)
    // The hour: 20 of 200. Its last five minutes: 0 of 100.
    #expect(Self.isNear(burn.windows[0].longRate, 20))
    #expect(burn.windows[0].shortRate == 0)
    #expect(!burn.windows[0].fires)
    // Two hours of the day still hold it: 20 of 200 is 20, beyond 3.
    #expect(burn.windows[2].fires)
  }

  @Test("one crash at night, nine crashes, or a hundred crashes of two users do not fire")
  func accidents() throws {
    for (crashed, users) in [(1, 1), (9, 50), (100, 2)] {
      let scene = try Scene()
      try scene.receive(Self.documents(crashed, crashed: crashed, prefix: "a", users: users), at: Self.before(2))
      let burn = try Self.burn(scene)
      #expect(burn.windows.allSatisfy { !$0.fires }, "\(crashed) crashes of \(users) users")
      #expect(Self.isNear(burn.windows[0].longRate, 200))
      #expect(burn.windows[0].users == min(crashed, users))
    }
  }

  @Test("ten crashes of three users fire, as do ten without users, and users are then unknown")
  func fewest() throws {
    for users in [3, nil] {
      let scene = try Scene()
      try scene.receive(Self.documents(10, crashed: 10, prefix: "a", users: users), at: Self.before(2))
      let burn = try Self.burn(scene)
      #expect(burn.windows.allSatisfy { $0.fires })
      #expect(burn.windows[0].users == users)
    }
  }

  @Test("a crash that the next launch reports burns when it is reported, on its own release")
  func nextLaunch() throws {
    let scene = try Scene()
    try scene.receive(Self.documents(20, crashed: 0, prefix: "a", users: 20), at: Self.before(600))
    try scene.receive(Self.documents(20, crashed: 12, prefix: "a", users: 20), at: Self.before(4))
    let windows = try Self.burn(scene).windows
    // In the last hour nothing was seen for the first time: a rate of nothing is unknown.
    #expect(windows[0].longRate == nil)
    #expect(windows[0].crashed == 12)
    #expect(Self.isNear(windows[2].longRate, 120))
    #expect(try Self.burn(scene, ReportQuery(release: "4.2.0")).windows == windows)
    #expect(try Self.burn(scene, ReportQuery(release: "9.9")).windows.allSatisfy { $0.crashed == 0 })
  }

  @Test("without a budget, for the past and with other filters burn rates are unknown, and the budget is unchanged")
  func unknown() throws {
    let scene = try Scene()
    try scene.receive(
      Self.documents(100, crashed: 20, prefix: "a", users: 50, started: "2026-10-01T03:00:00Z"), at: Self.before(90))
    try scene.receive(Self.documents(100, crashed: 20, prefix: "b", users: 50), at: Self.before(2))
    #expect(try scene.report().burn == BurnReport())
    let past = try Self.burn(scene, ReportQuery(from: Scene.today - 60, to: Scene.today - 30))
    #expect(past.windows == BurnReport().windows)
    #expect(Self.isNear(past.budgetLeft, 1 - 20 / 0.5))
    let filtered = try Self.burn(scene, ReportQuery(device: "iPhone15,2"))
    #expect(filtered.windows == BurnReport().windows)
    #expect(Self.isNear(filtered.budgetLeft, 1 - 20 / 0.5))
    // An hour later nothing has arrived for five minutes.
    let later = try Self.burn(scene, now: Self.before(-50))
    #expect(later.windows[0].shortRate == nil)
    #expect(!later.windows[0].fires)
  }
}
