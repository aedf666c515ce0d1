import Foundation
import Synchronization
import Testing
import TestSupport

/// Looks at a server during an attack: asks `/healthz`, posts for the honest app, reads that app's numbers, and the memory
/// that the server holds.
final class Watch: Sendable {
  private struct State {
    var isEnding = false
    var health: [Double] = []
    var answers: [Double] = []
    var refusals: [Int] = []
    /// When each honest payload was acknowledged.
    var acknowledged: [Date] = []
    var lag = 0.0
    var turn = 0
  }

  private let scene: AttackScene
  private let state = Mutex(State())

  private init(_ scene: AttackScene) { self.scene = scene }

  /// The most seconds until an honest payload is counted.
  static let mostLag = 10.0

  /// Runs `attack`, and expects that nothing of it hurt: the process lives, `/healthz` takes a second at most, honest payloads
  /// are acknowledged within 2 s and counted within 10, and memory stays below 400 MB. In the apps of `news`, a release and a
  /// crash that were never seen before are seen afterwards. Returns the longest time in seconds until something honest was
  /// counted; without `limitsLag` the caller judges it.
  @discardableResult static func during(
    in scene: AttackScene, news: [String] = [AttackScene.honest], limitsLag: Bool = true,
    location: SourceLocation = #_sourceLocation, _ attack: () throws -> Void
  ) throws -> Double {
    let watch = Watch(scene)
    let crew = Crew(3) { [watch] index in [watch.askHealth, watch.send, watch.readNumbers][index]() }
    usleep(300_000)
    do {
      defer { watch.state.withLock { $0.isEnding = true } }
      try attack()
      if scene.isAlive { watch.expectNews(of: news, location) }
    }
    #expect(crew.wait(seconds: 40), "a connection hangs", sourceLocation: location)
    watch.drain()
    let found = watch.state.withLock { $0 }
    try #require(scene.isAlive, "the process ended: \(scene.server.child.errors.suffix(400))", sourceLocation: location)
    #expect(found.health.max() ?? 99 <= 1, "/healthz", sourceLocation: location)
    #expect(found.answers.max() ?? 99 <= 2, "until acknowledged", sourceLocation: location)
    #expect(found.refusals.isEmpty, "honest payloads refused", sourceLocation: location)
    #expect(!limitsLag || found.lag <= mostLag, "until counted", sourceLocation: location)
    #expect(try scene.server.peakMemory() >> 20 < 400, "MB resident", sourceLocation: location)
    return found.lag
  }

  private func repeated(every microseconds: UInt32, _ act: () -> Void) {
    while !state.withLock({ $0.isEnding }), scene.isAlive {
      act()
      usleep(microseconds)
    }
  }

  private func timed<Answer>(_ act: () -> Answer) -> (Answer, seconds: Double) {
    let start = Date()
    return (act(), Date().timeIntervalSince(start))
  }

  private func askHealth() {
    repeated(every: 100_000) {
      let (answer, seconds) = timed { scene.server.connect(timeout: 10).get("/healthz") }
      guard scene.isAlive else { return }
      state.withLock { $0.health.append(answer?.status == 200 ? seconds : 99) }
    }
  }

  private func send() {
    repeated(every: 200_000) {
      let (status, seconds) = timed {
        scene.post(AttackScene.honest, Self.document(version: "1.0.0").utf8, timeout: 10)
      }
      guard scene.isAlive else { return }
      state.withLock {
        $0.answers.append(seconds)
        if status == 202 { $0.acknowledged.append(Date()) } else { $0.refusals.append(status) }
      }
    }
  }

  private func readNumbers() { repeated(every: 400_000) { noteLag() } }

  /// All that was acknowledged must be counted; until then the lag grows.
  private func drain() {
    let end = Date().addingTimeInterval(11)
    while scene.isAlive, Date() < end, !noteLag() { usleep(100_000) }
  }

  /// The first that is acknowledged and not counted tells how late the numbers are. True when all are counted.
  @discardableResult
  private func noteLag() -> Bool {
    let asked = Date()
    guard let report = try? read("report"), let sum = report.metric("time.foreground")["sum"].integer ?? 0 as Int?
    else { return false }
    return state.withLock { state in
      guard sum < state.acknowledged.count else { return true }
      state.lag = max(state.lag, asked.timeIntervalSince(state.acknowledged[sum]))
      return false
    }
  }

  /// Part of the API. Answers stay in memory for some seconds by address, so each asks a little differently.
  private func read(_ part: String, of app: String = AttackScene.honest) throws -> JSON? {
    let turn = state.withLock { state in
      state.turn += 1
      return state.turn
    }
    let day = Date(timeIntervalSinceNow: -86_400 * Double(1 + turn % 33)).ISO8601Format().prefix(10)
    let query = part == "groups" ? "limit=\(500 - turn % 200)" : "from=\(day)"
    guard let answer = scene.get("/api/v1/apps/\(app)/\(part)?\(query)", timeout: 10), answer.status == 200 else {
      return nil
    }
    return try JSON(answer.text)
  }

  /// A fleet ships a release with a crash of its own: some phones of it send.
  private func expectNews(of apps: [String], _ location: SourceLocation) {
    let (version, function) = ("77.1.4", "Fresh.burst()")
    for app in apps {
      let phones = app == AttackScene.honest ? 1 : 20
      for phone in 0..<phones {
        let body = Self.document(version: version, function: function, phone: "phone-\(phone)", counts: false)
        let isTaken = waited(seconds: 10) { [200, 202].contains(scene.post(app, body.utf8, timeout: 10)) }
        #expect(isTaken, "\(app) cannot send any more", sourceLocation: location)
        guard isTaken else { return }
      }
    }
    for app in apps {
      // What the flooded app sent itself is before its news in the journal.
      let patience = app == AttackScene.honest ? 10.0 : 40.0
      let hasRelease = waited(seconds: patience) {
        (try? read("releases", of: app)?["releases"].list.contains { $0["release"].text == version }) == true
      }
      #expect(hasRelease, "new release of \(app)", sourceLocation: location)
      let hasGroup = waited(seconds: patience) {
        (try? read("groups", of: app)?["groups"].list.contains { $0["title"].text?.contains(function) == true }) == true
      }
      #expect(hasGroup, "new crash of \(app)", sourceLocation: location)
    }
  }

  private func waited(seconds: Double, _ condition: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while scene.isAlive, Date() < end {
      if condition() { return true }
      usleep(200_000)
    }
    return false
  }

  /// What an honest app sends: a session, and a second in the foreground, which is counted.
  private static func document(
    version: String, function: String? = nil, phone: String = "phone", counts: Bool = true
  ) -> String {
    let session = UUID().uuidString
    let counters = counts ? ",\"counters\":[{\"metric\":\"time.foreground\",\"value\":1}]" : ""
    let crashes = function.map {
      """
      ,"crashes":[{"exception":"EXC_BAD_ACCESS","session":"\(session)","threads":[{"crashed":true,"frames":[
      {"binary":"Shop","offset":4096,"function":"\($0)"},{"binary":"Shop","offset":99,"function":"main"}]}]}]
      """
    }
    return """
      {"app":{"version":"\(version)","build":"7"},"device":{"model":"iPhone15,2","os":"iOS 17.4.1"},
      "installation":"\(phone)","sessions":[{"id":"\(session)","status":"exited"}]\(counters)\(crashes ?? "")}
      """
  }
}
