import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// What opens an incident, on the real road. Bounds of shares are those of SciPy 1.17: `beta.ppf(0.001, k, n - k + 1)`.
@Suite("Checks that open incidents")
struct AlertRuleInputTests {
  private static let budget = "sessions.crash_free >= 99.5%"

  /// Sessions of people of their own, or of `users` people in turn.
  private static func documents(
    _ count: Int, crashed: Int, prefix: String, users: Int? = nil, version: String = "4.2.0",
    environment: String = "production", day: String = "2026-11-17"
  ) -> [String] {
    (0..<count).map { number in
      let status = number < crashed ? "crashed" : "exited"
      return Scene.native(
        version: version, environment: environment, installation: "\(prefix)-\(users.map { number % $0 } ?? number)",
        "\"sessions\": [{\"id\": \"\(prefix)\(number)\", \"started\": \"\(day)T10:00:00Z\", \"status\": \"\(status)\"}]"
      )
    }
  }

  private static func tests(_ scene: Scene) throws -> IncidentSignificanceTest {
    let input = try scene.reader(budget).alertRuleInput(Scene.app, now: Scene.now)
    return try #require(input.results.first?.incidentTests?.budget)
  }

  @Test(
    "an incident needs 99.9 % certainty, where a verdict needs 95 %",
    arguments: [
      // k of 1,000, the lower bound at 99.9 %, broken at 95 %, opens.
      (10, 0.002969500930495864, true, false), (15, 0.005817904552064042, true, true),
      (5, 0.0, false, false),
    ])
  func levels(crashed: Int, bound: Double, isBroken: Bool, opens: Bool) throws {
    let scene = try Scene()
    try scene.receive(Self.documents(1000, crashed: crashed, prefix: "a"))
    let test = try Self.tests(scene)
    #expect(test.isBroken == isBroken && test.opens == opens)
    #expect(test.confidence == 0.999 && test.badEvents == Double(crashed) && test.affectedUsers == crashed)
    if bound > 0 { #expect(abs(1 - (test.high ?? 0) - bound) < 1e-9) }
  }

  @Test(
    "a sample in which the budget predicts less than one crash needs 99.99 %",
    arguments: [
      // k of n, the lower bound of SciPy at 99.99 % below 200 sessions and at 99.9 % from there on, opens.
      (3, 38, 0.002326950614869083, false), (3, 30, 0.002968377871652455, false), (6, 60, 0.012342242627746376, true),
      (4, 199, 0.0011729863565590394, false), (8, 199, 0.007069924030568357, true),
      (6, 200, 0.00559015258326071, true),
    ])
  func young(crashed: Int, of n: Int, bound: Double, opens: Bool) throws {
    let scene = try Scene()
    try scene.receive(Self.documents(n, crashed: crashed, prefix: "a"))
    let test = try Self.tests(scene)
    #expect(test.isBroken && test.opens == opens, "\(test)")
    #expect(test.confidence == (n < 200 ? 0.9999 : 0.999))
    #expect(abs(1 - (test.high ?? 0) - bound) < 1e-9)
  }

  @Test("check gives the same results as without incidents, to the last digit")
  func sameVerdicts() throws {
    let scene = try Scene()
    try scene.receive(Self.documents(1000, crashed: 15, prefix: "a"))
    try scene.receive(Self.documents(300, crashed: 9, prefix: "b", version: "4.3.0"))
    let reader = try scene.reader(Self.budget, "p90 screen.load <= 1 s, warn at 500 ms", "users.crash_free >= 90%")
    let plain = try reader.check(Scene.app, now: Scene.now)
    var found = try reader.alertRuleInput(Scene.app, now: Scene.now).results
    #expect(found.map(\.slice.release) == [nil, nil, nil] + ["4.3.0", "4.2.0"].flatMap { [$0, $0, $0] })
    #expect(found.contains { $0.incidentTests != nil })
    for index in found.indices { found[index].incidentTests = nil }
    // What is judged is the newest release in use.
    #expect(found.filter { $0.slice.release == "4.3.0" } == plain)
  }

  @Test("a few people never open an incident, however often they crash, but a dozen does")
  func witnesses() throws {
    for (users, opens) in [(1, false), (2, false), (3, false), (12, true)] {
      let scene = try Scene()
      try scene.receive(Self.documents(60, crashed: 0, prefix: "well"))
      // Each crashes on many days, so that days alone look independent.
      for day in 10..<18 {
        try scene.receive(
          Self.documents(users * 2, crashed: users * 2, prefix: "d\(day)x", users: users, day: "2026-11-\(day)")
            .map { $0.replacing("d\(day)x-", with: "bad-") })
      }
      let test = try Self.tests(scene)
      #expect(test.affectedUsers == users, "\(users)")
      #expect(test.opens == opens, "\(users): \(test)")
    }
  }

  @Test("a burn caused by one user in a loop is not certain, and one of many users is")
  func burn() throws {
    let loop = try Scene()
    try loop.receive(Self.documents(400, crashed: 2, prefix: "a"), at: Scene.now)
    try loop.receive(Self.documents(60, crashed: 60, prefix: "b", users: 1), at: Scene.now)
    let many = try Scene()
    try many.receive(Self.documents(460, crashed: 62, prefix: "a"), at: Scene.now)
    for (scene, isCertain) in [(loop, false), (many, true)] {
      let input = try scene.reader(Self.budget).alertRuleInput(Scene.app, now: Scene.now)
      let windows = try #require(input.burns.first).report.windows
      #expect(windows[0].fires)
      #expect(windows[0].isCertain == isCertain && windows[0].seen == 460)
    }
  }

  @Test("silence is judged by the app's usual payloads: weekends are normal, an outage is not")
  func freshness() throws {
    func usual(_ days: [Int], each: Int = 10) -> Int? {
      let tallies = days.map {
        IntakeTally(app: 1, day: CalendarDay(number: $0), kind: .accepted, reason: "native", detail: "", count: each)
      }
      let last = CalendarDay(number: days.last ?? 0)
      return PayloadFreshness(last: last.startUTC, tallies: tallies, end: last).usualSilence
    }
    #expect(usual(Array(1...28)) == 1440)
    #expect(usual((1...28).filter { $0 % 7 < 5 }) == 3 * 1440, "weekends")
    #expect(usual((1...8).filter { $0 != 6 && $0 != 7 }) == 3 * 1440, "the first weekend")
    #expect(usual((1...28).filter { !(10...14).contains($0) }, each: 100) == 1440, "an outage of five days")
    #expect(usual(Array(1...6)) == nil, "six days are too few to tell")
    #expect(usual([1, 8, 15, 22], each: 5) == 22 * 1440 / 20 * 10, "ten times the average distance")
    #expect(usual([1, 15, 28], each: 1) == nil)
  }
}
