import Foundation
import Synchronization
import Testing
import TestSupport

/// What needs no key.
extension Attacks {
  @Test("endless bodies without a key take no memory from bodies with one")
  func heldBodies() throws {
    let scene = try AttackScene()
    let half = [UInt8](repeating: 10, count: (2 << 20) + 1)
    let clients = (0..<17).map { _ in scene.server.connect(timeout: 2) }
    try Watch.during(in: scene) {
      for client in clients {
        client.write(Array("POST /api/1/envelope/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n".utf8))
        client.write(half)
      }
      for _ in 0..<6 {
        for client in clients { client.write([10]) }
        usleep(500_000)
      }
    }
    _ = clients.count
  }

  @Test("thousands of connections from one address leave room for others")
  func connections() throws {
    let scene = try AttackScene()
    let held = HeldConnections(port: scene.server.port, count: 4200)
    try #require(held.count > 4000, "the machine lets nobody have so many")
    // Those that count come from another address. What is limited is the server's work until they are answered: on a busy
    // machine the kernel tries a connection again after a second, and after three.
    let before = try scene.server.processorTime()
    let other = exchange(
      port: scene.server.port, from: "127.0.0.2", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      seconds: 20)
    #expect(other.hasPrefix("HTTP/1.1 200"))
    let body = "{\"app\":{\"version\":\"1\"}}"
    let payload = exchange(
      port: scene.server.port, from: "127.0.0.2",
      "POST /v1/payloads HTTP/1.1\r\nHost: x\r\nX-Plumb-Key: \(scene.key(AttackScene.honest))\r\n"
        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)", seconds: 20)
    #expect(payload.hasPrefix("HTTP/1.1 202"))
    #expect(try scene.server.processorTime() - before < 2)
    #expect(scene.isAlive)
    #expect(try scene.server.peakMemory() >> 20 < 400)
  }

  @Test("a request is answered, whatever its parameters, cookies and headers")
  func parameters() throws {
    let scene = try AttackScene()
    try Watch.during(in: scene, news: []) {
      for count in [100, 420, 480, 1000, 4000] {
        let query = (0..<count).map { "a\($0)=1" }.joined(separator: "&")
        for path in ["/healthz", "/", "/api/1/envelope/", "/nothing", "/v1/payloads"] {
          let answer = scene.server.connect(timeout: 3).get("\(path)?\(query)")
          #expect(answer != nil, "\(count) parameters at \(path)")
        }
      }
      let queries = ["&", "a&", "=", "%", ";"].map { String(repeating: $0, count: 3000) }
      for query in queries {
        #expect(scene.server.connect(timeout: 3).get("/healthz?\(query)") != nil, "\(query.prefix(2))")
      }
      for count in [50, 500, 2000] {
        let headers = (0..<count).map { ("X-\($0)", "1") }
        #expect(scene.server.connect(timeout: 3).get("/healthz", headers) != nil, "\(count) headers")
        let cookies = (0..<count).map { "c\($0)=1" }.joined(separator: "; ")
        #expect(scene.server.connect(timeout: 3).get("/healthz", [("Cookie", cookies)]) != nil, "\(count) cookies")
      }
    }
  }

  @Test("a request that a proxy may read differently is refused, and nothing after it is read as a request")
  func framing() throws {
    let scene = try AttackScene()
    let ambiguous = [
      "Content-Length : 5", "Content-Length\t: 5", "Transfer-Encoding : chunked",
      "Content-Length: 5\r\nContent-Length : 6", "X-Any : 1", "Host : y",
      "Content-Length: 5\r\nTransfer-Encoding: chunked", "Content-Length: +5", "Content-Length: 5,5",
      "Transfer-Encoding: xchunked",
    ]
    let lines = [
      "GET /healthz HTTP/1.1", "POST /v1/payloads HTTP/1.1\r\nX-Plumb-Key: \(scene.key(AttackScene.attacked))",
    ]
    for (fields, line) in ambiguous.flatMap({ fields in lines.map { (fields, $0) } }) {
      let answers = exchange(
        port: scene.server.port, from: "127.0.0.1",
        "\(line)\r\nHost: x\r\n\(fields)\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        seconds: 3)
      let statuses = Set(answers.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) })
      #expect(statuses.isSubset(of: ["400", "413", "501"]) && statuses.count == 1, "\(line) \(fields): \(statuses)")
    }
  }

  @Test("the right password logs in within seconds while others try random names, and the log stays short")
  func logins() throws {
    let scene = try AttackScene { stage in
      try #require(try stage.run("user", "add", "ana", input: "correct horse battery\n").succeeded)
    }
    let form = [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded")]
    @Sendable func enter(_ user: String, _ password: String) -> Int {
      scene.server.connect(timeout: 10).send("POST", "/login", form, body: "user=\(user)&password=\(password)")?.status
        ?? 0
    }
    let refused = Atomic(0)
    let isOver = Atomic(false)
    let crew = Crew(6) { thread in
      var random = SeededRandom(seed: UInt64(thread + 1))
      while !isOver.load(ordering: .relaxed), scene.isAlive {
        if enter(random.word(), "nonsense") == 429 { refused.add(1, ordering: .relaxed) }
        usleep(30_000)
      }
    }
    try Watch.during(in: scene, news: []) {
      defer { isOver.store(true, ordering: .relaxed) }
      // Until there are more of them than are let in.
      let end = Date().addingTimeInterval(4)
      while Date() < end, refused.load(ordering: .relaxed) < 100 { usleep(50_000) }
      for _ in 0..<3 {
        let start = Date()
        var status = 0
        while status != 303, Date().timeIntervalSince(start) < 6 {
          status = enter("ana", "correct+horse+battery")
          if status != 303 { usleep(250_000) }
        }
        #expect(status == 303 && Date().timeIntervalSince(start) <= 5)
      }
    }
    #expect(crew.wait(seconds: 20))
    let lines = scene.server.child.errors.split(separator: "\n").filter { $0.lowercased().contains("login") }
    #expect(lines.count < 20, "\(lines.count) lines about logins")
  }
}

/// Many connections at once.
private final class HeldConnections {
  private var clients: [HTTPClient] = []
  var count: Int { clients.count }

  /// Connects, and sends half a request line on every second.
  init(port: Int, count: Int) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(7), &limit)
    for index in 0..<count {
      let client = HTTPClient(port: port, timeout: 1)
      guard client.isConnected else { break }
      if index % 2 == 1 { client.write("GET /heal") }
      clients.append(client)
    }
  }
}

/// All that a server answers to bytes from an address, until it closes or nothing more comes.
private func exchange(port: Int, from address: String, _ request: String, seconds: Int) -> String {
  let client = HTTPClient(port: port, timeout: seconds, from: address)
  return client.write(request) ? client.rest() : ""
}
