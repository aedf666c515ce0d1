import Foundation
import Logging
import Synchronization
import Testing
import TestSupport

@testable import App
@testable import Core
@testable import Storage

@Suite("Disk space")
struct SpaceTests {
  private static let gib = 1 << 30

  @Test("the minimum of free space is the smaller of 1 GiB and 5 %, or the setting")
  func floor() throws {
    let scene = try AppScene()
    #expect(SpaceFloor.standard.bytes(of: 100 * Self.gib) == Self.gib)
    #expect(SpaceFloor.standard.bytes(of: 10 * Self.gib) == Self.gib / 2)
    #expect(try scene.settings("free-space: 2GiB\n").spaceFloor().bytes(of: Self.gib) == 2 * Self.gib)
    #expect(try scene.settings("free-space: 10%\n").spaceFloor().bytes(of: 1000) == 100)
    #expect(try scene.settings("free-space: 12345\n").spaceFloor().bytes(of: Self.gib) == 12345)
    #expect(try scene.settings("listen: 127.0.0.1:1\n").spaceFloor() == .standard)
    for wrong in ["-1", "2TB", "x", "150%", "9999999999999GiB"] {
      #expect(throws: UsageError.self, "\(wrong)") { try scene.settings("free-space: \"\(wrong)\"\n").spaceFloor() }
    }
  }

  @Test("low disk space is reported below twice the minimum, or with less than a week left")
  func levels() {
    func status(_ free: Int, growth: Int? = nil) -> SpaceStatus {
      SpaceStatus(space: FreeSpace(free: free, total: 100 * Self.gib), floor: Self.gib, growth: growth)
    }
    #expect(status(2 * Self.gib).level == .enough && status(2 * Self.gib).warning == nil)
    #expect(status(2 * Self.gib - 1).level == .low)
    #expect(status(50 * Self.gib, growth: 7 * Self.gib).level == .enough)
    #expect(status(50 * Self.gib, growth: 8 * Self.gib).level == .low, "49 GiB at 8 a day are six days")
    #expect(
      status(8 * Self.gib, growth: Self.gib).level == .enough
        && status(8 * Self.gib - 1, growth: Self.gib).level == .low)
    #expect(status(50 * Self.gib, growth: 8 * Self.gib).warning?.contains("reached in 6 days") == true)
    #expect(status(Self.gib - 1).level == .short && status(Self.gib / 2).level == .short)
    #expect(status(Self.gib / 2 - 1).level == .none && status(0).level == .none)
    #expect(status(0, growth: -5).daysLeft == nil)
  }

  @Test("the file reserve is an eighth of the floor, at most 32 MiB, and is deleted when the disk is full")
  func reserve() throws {
    let scene = try AppScene()
    let reserve = SpaceReserve(scene.installation.folder)
    func status(_ free: Int) -> SpaceStatus {
      SpaceStatus(space: FreeSpace(free: free, total: 100 * Self.gib), floor: 8 << 20, growth: nil)
    }
    func size() -> Int? {
      (try? FileManager.default.attributesOfItem(atPath: scene.path + "/reserve")[.size]) as? Int
    }
    #expect(SpaceReserve.bytes(floor: Self.gib) == 32 << 20)
    try reserve.fillIfRoomy(status(Self.gib))
    #expect(size() == 1 << 20)
    #expect(try reserve.releaseIfFull(status(1 << 18)) == nil)
    #expect(try reserve.releaseIfFull(status((1 << 18) - 1)) == 1 << 20)
    #expect(size() == nil)
  }

  @Test("below the minimum uploads and then payloads are refused while reading works, and all are accepted with space")
  func server() throws {
    let scene = try AppScene()
    let free = Atomic<Int>(10 * Self.gib)
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    let shared = Free(free)
    options.freeSpace = { FreeSpace(free: shared.bytes, total: 100 * Self.gib) }
    let server = try PlumbServer(scene.path, try scene.settings("listen: 127.0.0.1:1\n"), options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    let key = "0123456789abcdef0123456789abcdef"
    func send() throws -> (status: Int, retry: String?) {
      let answer = try ask(server, "/v1/payloads?key=\(key)", body: AppScene.sessions(1, prefix: UUID().uuidString)[0])
      return (answer.status, answer.headers["retry-after"])
    }
    func becomes(_ path: String, _ status: Int) throws -> String {
      var answer = try ask(server, path)
      #expect(
        try eventually {
          answer = try ask(server, path)
          return answer.status == status
        }, "\(answer.body)")
      return answer.body
    }
    #expect(try send().status == 202)
    shared.bytes = Self.gib / 2 + 1
    #expect(try becomes("/readyz", 503).contains("Disk space is short"))
    #expect(try send().status == 202, "payloads are taken until half the floor is left")
    #expect(try ask(server, "/").body.contains("Disk space is short"))
    #expect(try ask(server, "/metrics").body.contains("plumb_disk_free_bytes \(Self.gib / 2 + 1)"))
    shared.bytes = 1000
    var refused = try send()
    _ = try eventually {
      refused = try send()
      return refused.status == 503
    }
    #expect(refused.status == 503 && refused.retry == "300")
    #expect(try ask(server, "/server").body.contains("Disk space has run out"))
    #expect(try ask(server, "/api/v1/server").body.contains("\"free\":1000"))
    #expect(try ask(server, "/healthz").status == 200)
    shared.bytes = 10 * Self.gib
    _ = try becomes("/readyz", 200)
    #expect(try send().status == 202)
    #expect(
      scene.log.lines.contains { $0.contains("Disk space has run out") }
        && scene.log.lines.contains { $0.contains("enough space again") })
  }

  /// A document of a release of its own, with metrics of its own.
  private static func wide(_ number: Int) -> String {
    let values = (0..<100).map {
      "{\"metric\":\"own.metric\($0)\",\"unit\":\"ms\",\"value\":\(1 + (number * 7919 + $0 * 37) % 5000)}"
    }
    return """
      {"app":{"bundle_id":"\(AppScene.app)","version":"1.\(number)"},\
      "device":{"model":"iPhone\(number % 40),1","os":"iOS 17.\(number % 10)"},\
      "measurements":[\(values.joined(separator: ","))]}
      """
  }

  @Test("an app that used its bytes of a day gets 429 with the reason, even after a restart, and others continue")
  func bytesPerDay() throws {
    let scene = try AppScene()
    _ = try scene.installation.control.addApp(
      bundleID: "com.example.notes", settings: AppSettings(), key: String(repeating: "a", count: 32), at: AppScene.now)
    let budget = 2 << 20
    let settings = try scene.settings("bytes-per-day: 2MiB\n")
    func size() throws -> Int {
      try ["plumb.db", "journal.db"].reduce(0) {
        let file = try FileManager.default.attributesOfItem(atPath: scene.path + "/" + $1)
        return $0 + (file[.size] as? Int ?? 0)
      }
    }
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    var server = try PlumbServer(scene.path, settings, options, logger: scene.logger)
    try server.start()
    let before = try size()
    let key = "0123456789abcdef0123456789abcdef"
    var refused: (status: Int, headers: [String: String], body: String)?
    for number in 0..<2_000 where refused == nil {
      let answer = try ask(server, "/v1/payloads?key=\(key)", body: Self.wide(number))
      if answer.status != 202 { refused = answer }
    }
    #expect(refused?.status == 429 && refused?.headers["retry-after"] != nil, "\(String(describing: refused))")
    #expect(refused?.body.contains("too many bytes in a day") == true, "\(refused?.body ?? "")")
    let other = "/v1/payloads?key=\(String(repeating: "a", count: 32))"
    let document = AppScene.sessions(1)[0].replacingOccurrences(of: AppScene.app, with: "com.example.notes")
    #expect(try ask(server, other, body: document).status == 202)
    server.stop()
    let grown = try size() - before
    #expect(grown < 2 * budget, "\(grown) bytes")
    server = try PlumbServer(scene.path, settings, options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    // What the estimate held back may be left; no more than that.
    var taken = 0
    while taken < 2_000, try ask(server, "/v1/payloads?key=\(key)", body: Self.wide(taken)).status == 202 { taken += 1 }
    #expect(try size() - before < 2 * budget, "\(taken) more")
    #expect(try ask(server, other, body: document).status == 202)
    #expect(
      try ask(server, "/api/v1/apps/\(AppScene.app)/data-quality").body.contains("too many bytes in a day"))
  }

  /// The free bytes that the test sets.
  private final class Free: Sendable {
    private let value: Mutex<Int>

    init(_ start: borrowing Atomic<Int>) { value = Mutex(start.load(ordering: .relaxed)) }

    var bytes: Int {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  /// Asks with curl, which knows nothing of this code.
  private func ask(
    _ server: PlumbServer, _ path: String, body: String? = nil
  ) throws -> (status: Int, headers: [String: String], body: String) {
    let data = body.map { ["--data-binary", $0] } ?? []
    let text = try Program.text("curl", ["-s", "-i", "--max-time", "60"] + data + [server.url + path])
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    let head = (parts.first ?? "").split(separator: "\r\n").map(String.init)
    let status = Int(head.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
    let headers = head.dropFirst().reduce(into: [String: String]()) { found, line in
      let pair = line.split(separator: ":", maxSplits: 1)
      if pair.count == 2 { found[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces) }
    }
    return (status, headers, parts.count > 1 ? parts[1] : "")
  }
}
