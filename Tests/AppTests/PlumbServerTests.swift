import Foundation
import FoundationNetworking
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import SQLiteStore
@testable import Storage

@Suite("A server in this process")
struct PlumbServerTests {
  private func send(_ request: URLRequest) async throws -> (status: Int, body: String) {
    let (data, response) = try await URLSession.shared.data(for: request)
    return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
  }

  @Test("a server stores a payload over HTTP before it stops, and locks its folder meanwhile")
  func payload() async throws {
    let scene = try AppScene()
    let settings = try scene.settings("{}")
    let options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    let server = try PlumbServer(scene.path, settings, options, logger: scene.logger)
    try server.start()
    #expect(scene.log.lines.contains("info Plumb listens on \(server.url)"), "\(scene.log.lines)")
    #expect(throws: UserFacingError.self) { try PlumbServer(scene.path, settings, options, logger: scene.logger) }
    #expect(try Installation.isInUse(scene.path))

    for (key, status) in [("0123456789abcdef0123456789abcdef", 202), ("ffffffffffffffffffffffffffffffff", 401)] {
      var request = URLRequest(url: try #require(URL(string: server.url + "/v1/payloads")))
      request.httpMethod = "POST"
      request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
      request.httpBody = Data(try #require(AppScene.sessions(1).first).utf8)
      #expect(try await send(request).status == status)
    }
    server.stop()
    #expect(try scene.report().sessions.total == 1)
    #expect(try !Installation.isInUse(scene.path))
  }

  @Test("a server shows a payload on its pages once it is digested, and other processes' changes within a second")
  func freshness() async throws {
    let scene = try AppScene()
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    let server = try PlumbServer(scene.path, try scene.settings("{}"), options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    func shown() async throws -> Int {
      let url = try #require(URL(string: server.url + "/api/v1/apps/\(AppScene.app)/report"))
      let answer = try await send(URLRequest(url: url))
      try #require(answer.status == 200, "\(answer.body)")
      let report = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
      return (report["sessions"] as? [String: Any])?["total"] as? Int ?? 0
    }
    #expect(try await shown() == 0)
    for (index, body) in AppScene.sessions(3).enumerated() {
      var request = URLRequest(url: try #require(URL(string: server.url + "/v1/payloads")))
      request.httpMethod = "POST"
      request.setValue("Bearer 0123456789abcdef0123456789abcdef", forHTTPHeaderField: "Authorization")
      request.httpBody = Data(body.utf8)
      #expect(try await send(request).status == 202)
      while try await shown() != index + 1 { try await Task.sleep(for: .milliseconds(20)) }
    }
    // Another process adds an app.
    _ = try scene.installation.control.addApp(
      bundleID: "com.example.notes", settings: AppSettings(), key: String(repeating: "a", count: 32), at: AppScene.now)
    let first = try #require(URL(string: server.url + "/"))
    while try await !send(URLRequest(url: first)).body.contains("com.example.notes") {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test("the first page shows what another process deleted, although nothing new arrives")
  func deletedByOthers() async throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(5))
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    let server = try PlumbServer(scene.path, try scene.settings("{}"), options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    let page = URLRequest(url: try #require(URL(string: server.url + "/")))
    var before = try await send(page)
    #expect(before.status == 200)
    // What the start itself changes is over when the page stays as it is.
    for _ in 0..<20 {
      try await Task.sleep(for: .milliseconds(100))
      let next = try await send(page)
      if next.body == before.body { break }
      before = next
    }
    try scene.sqlite(
      scene.installation.folder.plumb, "DELETE FROM marginal; DELETE FROM daily; DELETE FROM day_pack")
    let deadline = Date(timeIntervalSinceNow: 60)
    while try await send(page).body == before.body, Date() < deadline { try await Task.sleep(for: .milliseconds(50)) }
    #expect(Date() < deadline)
  }

  @Test("a page that meets a damaged row is answered 503; the server quarantines the row and then shows the page")
  func damagedRow() async throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(5))
    try scene.sqlite(scene.installation.folder.plumb, "UPDATE release_life SET last_day = 'garbage'")
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.isOpen = true
    let server = try PlumbServer(scene.path, try scene.settings("{}"), options, logger: scene.logger)
    try server.start()
    defer { server.stop() }
    let page = URLRequest(url: try #require(URL(string: server.url + "/apps/\(AppScene.app)")))
    let first = try await send(page)
    #expect(first.status == 503 && first.body.contains("being quarantined"), "\(first)")
    while try await send(page).status != 200 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try scene.sqlite(scene.installation.folder.plumb, "SELECT count(*) FROM quarantine") == ["1"])
  }

  @Test("a server checks its apps and sends alerts if it is configured to")
  func alerts() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(400, crashed: 40, started: AppScene.ago(days: 3)))
    let sink = Sink { _, _ in .status(200) }
    let settings = try scene.settings(
      """
      alerts:
        default: [ops]
        channels:
          ops: { kind: webhook, url: "\(sink.address)", allow-private: true }
      """)
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.checkEvery = DurationSetting("1s")
    let server = try PlumbServer(scene.path, settings, options, logger: scene.logger)
    try server.start()
    _ = eventually(within: 120) { !sink.requests.isEmpty }
    server.stop()
    #expect(sink.requests.count == 1)
    #expect(scene.log.lines.contains { $0.hasPrefix("notice BROKEN \(AppScene.app): ") }, "\(scene.log.lines)")
  }

  @Test("a server refuses to be open to readers beyond this machine, and refuses unusable settings")
  func settings() throws {
    let scene = try AppScene()
    var options = PlumbServer.Options(listen: try ListenAddress("0.0.0.0:0"))
    options.isOpen = true
    let settings = try scene.settings("{}")
    #expect(throws: UsageError.self) { try PlumbServer(scene.path, settings, options, logger: scene.logger) }
    for address in ["localhost", "localhost:x", "localhost:65536", ":"] {
      #expect(throws: UsageError.self, "\(address)") { try ListenAddress(address) }
    }
    #expect(try ListenAddress("[::1]:80").host == "::1")
    let wrong = try scene.settings("rows-per-day: none\n")
    options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    #expect(throws: UsageError.self) { try PlumbServer(scene.path, wrong, options, logger: scene.logger) }
  }
}
