import Foundation
import Testing
import TestSupport

/// What a stranger with an app's key, or without one, does to a server. Each attack runs against a real `plumb serve` beside
/// an honest second app, and must leave the server alive, quick and right (`Watch`).
///
/// They measure, so they run one after the other, and in a run of their own: see `Tests/run`.
@Suite("Attacks", .serialized)
struct Attacks {}

/// A server with an attacked app, whose key the attacker has, and an honest one.
final class AttackScene: Sendable {
  static let attacked = "com.example.attacked"
  static let honest = "com.example.honest"

  let stage: Stage
  let server: ServerProcess
  let token: String
  private let keys: [String: String]

  init(before: (Stage) throws -> Void = { _ in }) throws {
    stage = try Stage(limit: 120)
    keys = [Self.attacked: try stage.addApp(Self.attacked), Self.honest: try stage.addApp(Self.honest)]
    token = try stage.addToken()
    try before(stage)
    server = try stage.serve()
  }

  private init(_ scene: AttackScene, _ server: ServerProcess) {
    (stage, keys, token) = (scene.stage, scene.keys, scene.token)
    self.server = server
  }

  /// The same folder with a server that was started anew; nil when it did not come up.
  func restarted() -> AttackScene? {
    _ = server.stop(seconds: 20)
    return (try? stage.serve()).map { AttackScene(self, $0) }
  }

  /// A process that ended and was not waited for has no memory.
  var isAlive: Bool {
    (try? String(contentsOfFile: "/proc/\(server.child.pid)/status", encoding: .utf8))?.contains("VmHWM:") == true
  }

  func key(_ app: String) -> String { keys[app] ?? "" }

  /// Posts on a connection of its own; 0 without an answer.
  @discardableResult
  func post(
    _ app: String = attacked, _ body: some Sequence<UInt8>, to target: String = "/v1/payloads", gzip: Bool = false,
    type: String? = nil, timeout: Int = 15
  ) -> Int {
    var headers = target.hasPrefix("/api/") ? [] : [("X-Plumb-Key", key(app))]
    if target.hasPrefix("/api/") { headers.append(("X-Sentry-Auth", "Sentry sentry_key=\(key(app))")) }
    if gzip { headers.append(("Content-Encoding", "gzip")) }
    if let type { headers.append(("Content-Type", type)) }
    return server.connect(timeout: timeout).post(body, headers, target: target)?.status ?? 0
  }

  func get(_ target: String, _ headers: [(String, String)] = [], timeout: Int = 15) -> HTTPClient.Answer? {
    server.connect(timeout: timeout).get(target, [("Authorization", "Bearer \(token)")] + headers)
  }

  /// Sends every body at the same time, each on a connection of its own, and waits for the answers.
  func atOnce(_ bodies: [[UInt8]], to target: String = "/v1/payloads", type: String? = nil) {
    let crew = Crew(bodies.count) { index in
      self.post(Self.attacked, bodies[index], to: target, gzip: true, type: type)
    }
    _ = crew.wait(seconds: 20)
  }

  /// Calls `act` from three threads until so many seconds are over.
  func flood(seconds: Double, _ act: @escaping @Sendable (inout SeededRandom) -> Void) {
    let end = Date().addingTimeInterval(seconds)
    let crew = Crew(3) { thread in
      var random = SeededRandom(seed: UInt64(thread + 1))
      while Date() < end, self.isAlive { act(&random) }
    }
    _ = crew.wait(seconds: seconds + 20)
  }

  /// What gzip makes of it.
  func packed(_ bytes: [UInt8]) throws -> [UInt8] {
    let name = "plain-\(UUID().uuidString)"
    let path = stage.folder + "/" + name
    try Data(bytes).write(to: URL(filePath: path))
    let child = try stage.start(["-c", path], program: "/usr/bin/gzip")
    try #require(child.waitFor(seconds: 30) == .exit(0))
    return [UInt8](try Data(contentsOf: URL(filePath: child.outputFile)))
  }

  func packed(_ text: String) throws -> [UInt8] { try packed(Array(text.utf8)) }

  /// A list of the same text, without its brackets.
  static func list(_ element: String, _ count: Int) -> String {
    String(repeating: element + ",", count: count - 1) + element
  }
}

extension SeededRandom {
  /// A name that never came before.
  mutating func word() -> String { String(next(), radix: 36) }
}

extension [UInt8] {
  /// Protobuf, by hand: what no encoder would write.
  static func field(_ number: Int, _ body: [UInt8]) -> [UInt8] { varint(number << 3 | 2) + varint(body.count) + body }

  static func text(_ number: Int, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  static func double(_ number: Int, _ value: Double) -> [UInt8] { fixed(number, value.bitPattern) }

  static func fixed(_ number: Int, _ value: UInt64) -> [UInt8] {
    varint(number << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  static func varint(_ value: Int) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), UInt(value))
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// An empty message in field `number`, many times: two bytes each.
  static func empty(_ number: Int, _ count: Int) -> [UInt8] {
    var bytes = [UInt8(number << 3 | 2), 0]
    // Doubling: millions of small arrays would take seconds in a debug build.
    while bytes.count < 2 * count { bytes += bytes.prefix(2 * count - bytes.count) }
    return bytes
  }
}
