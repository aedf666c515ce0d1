import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// A wall clock that a test sets, and a clock that only goes on.
private final class SetClock: Sendable {
  private let state: Mutex<(wall: Int64, elapsed: Int64)>

  init(_ time: Timestamp) { state = Mutex((time.milliseconds, 1000)) }

  var wall: @Sendable () -> Timestamp { { Timestamp(milliseconds: self.state.withLock { $0.wall }) } }
  var elapsed: @Sendable () -> Int64 { { self.state.withLock { $0.elapsed } } }

  /// Time goes by.
  func pass(hours: Double) {
    state.withLock { ($0.wall, $0.elapsed) = ($0.wall + Int64(hours * 3.6e6), $0.elapsed + Int64(hours * 3.6e6)) }
  }

  /// Somebody sets the clock.
  func jump(days: Int64) { state.withLock { $0.wall += days * 86_400_000 } }
}

@Suite("A clock that is wrong")
struct PlausibleClockTests {
  private static let now = AppScene.now

  private static func day(_ time: Timestamp) -> Int { time.day().number - now.day().number }

  @Test("a jump of the clock in either direction is ignored for some seconds", arguments: [370, -370, -20_000, 2])
  func jump(days: Int64) {
    let set = SetClock(Self.now)
    let clock = PlausibleClock(newest: Self.now, wall: set.wall, elapsed: set.elapsed)
    #expect(clock.doubt == nil)
    set.jump(days: days)
    set.pass(hours: 0.01)
    #expect(abs(clock.now().milliseconds - Self.now.milliseconds) < 60_000)
    #expect(clock.doubt?.contains("The clock shows") == true)
    set.jump(days: -days)
    #expect(clock.doubt == nil && abs(clock.now().milliseconds - Self.now.milliseconds) < 60_000)
  }

  @Test("a plausible time is accepted after an hour, any time after a day, and a confirmed time at once")
  func held() {
    let set = SetClock(Self.now)
    let clock = PlausibleClock(newest: Self.now, wall: set.wall, elapsed: set.elapsed)
    set.jump(days: 3)
    #expect(Self.day(clock.now()) == 0)
    set.pass(hours: 1.1)
    #expect(Self.day(clock.now()) >= 3 && clock.doubt == nil)
    set.jump(days: 400)
    #expect(Self.day(clock.now()) < 10)
    set.pass(hours: 2)
    #expect(Self.day(clock.now()) < 10 && clock.doubt != nil)
    set.pass(hours: 23)
    #expect(Self.day(clock.now()) > 400 && clock.doubt == nil)
    set.jump(days: 400)
    #expect(clock.doubt != nil)
    clock.confirm()
    #expect(Self.day(clock.now()) > 800 && clock.doubt == nil)
  }

  @Test("at the start a clock of 1970 is replaced by the newest receipt, and accepted as soon as it is set")
  func start() {
    let set = SetClock(Timestamp(milliseconds: 5_000))
    let clock = PlausibleClock(newest: Self.now, wall: set.wall, elapsed: set.elapsed)
    #expect(Self.day(clock.now()) == 0 && clock.doubt != nil)
    set.jump(days: Int64(Self.now.day().number + 2))
    #expect(Self.day(clock.now()) == 2 && clock.doubt == nil)
  }

  @Test("a server that was off for a year accepts its clock, deletes nothing, and is certain after a day")
  func pause() {
    let set = SetClock(Self.now)
    let clock = PlausibleClock(newest: AppScene.ago(days: 365), wall: set.wall, elapsed: set.elapsed)
    #expect(Self.day(clock.now()) == 0 && clock.doubt?.contains("--clock-is-right") == true)
    set.pass(hours: 23)
    #expect(clock.doubt != nil)
    set.pass(hours: 2)
    #expect(clock.doubt == nil)
  }

  @Test("extreme times of the clock cause no trap", arguments: [Int64.min, -1, 0, Int64.max])
  func extremes(time: Int64) {
    let extreme = Timestamp(milliseconds: time)
    for (newest, first) in [(extreme, Self.now), (Self.now, extreme), (extreme, extreme)] {
      let set = SetClock(first)
      let clock = PlausibleClock(newest: newest, wall: set.wall, elapsed: set.elapsed)
      _ = clock.now()
      _ = clock.doubt
      clock.note(newest: extreme)
      clock.confirm()
      _ = clock.doubt
    }
  }

  @Test("records received a year ahead move no maximum and no window, and the numbers are right after the correction")
  func ahead() throws {
    let scene = try AppScene()
    let body = AppScene.sessions(20, prefix: "before")
    try scene.fill(body)
    let (window, names) = (try scene.report().window, try scene.names())
    let ahead = Timestamp(milliseconds: Self.now.milliseconds + 370 * 86_400_000)
    // Without times of their own, sessions begin when they are received.
    let timeless = AppScene.sessions(3, prefix: "ahead").map {
      $0.replacing(/,"started":"[^"]*"/, with: "")
    }
    try scene.fill(timeless, at: ahead)
    #expect(try scene.report().window == window)
    #expect(try scene.names().filter { $0.hasPrefix("lifetime") } == names.filter { $0.hasPrefix("lifetime") })
    let store = try scene.installation.store()
    #expect(try store.lastReceived()[scene.app.id] == Self.now)
    #expect(try store.newestReceipt() == Self.now)
    let held = "SELECT count(*) FROM session WHERE received > \(Self.now.day().number + 1)"
    #expect(try scene.sqlite(scene.path + "/plumb.db", held) == ["3"])
    let pipeline = try scene.pipeline()
    #expect(try pipeline.reviewClock() == nil)
    pipeline.stop()
    #expect(try scene.sqlite(scene.path + "/plumb.db", held) == ["0"])
    let late = "SELECT count(*) FROM batch WHERE received > \(Self.now.milliseconds + 86_400_000)"
    #expect(try scene.sqlite(scene.path + "/journal.db", late) == ["0"])
    // And what arrives then counts as ever.
    try scene.fill(AppScene.sessions(1, prefix: "after"))
    #expect(try scene.report().window == window)
  }

  @Test("pruning a year ahead or behind deletes nothing, states the reason, and resumes when the clock is confirmed")
  func prune() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(30))
    let settings = try scene.settings("listen: 127.0.0.1:1\n")
    func sessions() throws -> [String] { try scene.sqlite(scene.path + "/plumb.db", "SELECT count(*) FROM session") }
    for days in [370, -370] {
      let wrong = AppScene.ago(days: -days)
      let refusal = #expect(throws: UserFacingError.self) {
        try RetentionPruning.run(scene.installation, settings, logger: scene.logger, clock: { wrong })
      }
      #expect(refusal?.description.contains("--clock-is-right") == true)
      #expect(try sessions() == ["30"])
    }
    let later = AppScene.ago(days: -370)
    _ = try RetentionPruning.run(
      scene.installation, settings, clockIsRight: true, logger: scene.logger, clock: { later })
    #expect(try sessions() == ["0"])
    // Confirmed once, other commands take it too.
    _ = try RetentionPruning.run(scene.installation, settings, logger: scene.logger, clock: { later })
  }

  @Test("a server whose clock jumps a year reports it, uses the right time, and deletes nothing")
  func server() async throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(5))
    let set = SetClock(Self.now)
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    options.clocks = (set.wall, set.elapsed)
    let server = try PlumbServer(scene.path, try scene.settings("{}"), options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    func text(_ path: String) async throws -> String {
      let (data, _) = try await URLSession.shared.data(from: #require(URL(string: server.url + path)))
      return String(decoding: data, as: UTF8.self)
    }
    #expect(try await text("/readyz") == "ready\n")
    set.jump(days: 370)
    #expect(try await text("/readyz").contains("The clock shows"))
    var request = URLRequest(url: try #require(URL(string: server.url + "/v1/payloads")))
    request.httpMethod = "POST"
    request.setValue("Bearer 0123456789abcdef0123456789abcdef", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(try #require(AppScene.sessions(1, prefix: "b").first).utf8)
    let (_, answer) = try await URLSession.shared.data(for: request)
    #expect((answer as? HTTPURLResponse)?.statusCode == 202)
    set.jump(days: -370)
    #expect(try await text("/readyz") == "ready\n")
    server.stop()
    #expect(
      try scene.sqlite(scene.path + "/journal.db", "SELECT max(received) FROM batch") == ["\(Self.now.milliseconds)"])
  }
}
