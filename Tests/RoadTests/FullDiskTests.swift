import Foundation
import Testing
import TestSupport

@Suite("A full disk")
struct FullDiskTests {
  @Test("a server with a full disk answers 503 and stays alive, and later reports everything it acknowledged")
  func full() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    // No file of the server can grow beyond 2 MB: writing more fails as on a full disk.
    let limited = "ulimit -f 4000; trap '' XFSZ; exec \"$0\" serve --listen 127.0.0.1:0"
    var server = try ServerProcess(stage.start(["-c", limited, Program.plumb], program: "/bin/sh"))
    let client = server.connect()
    var acknowledged = 0
    var refused: HTTPClient.Answer?
    for round in 0..<4000 where refused == nil {
      let body = Payload.native(Payload.measurements("screen.load", (0..<1000).map { _ in .random(in: 1...99_999) }))
      let answer = client.send(
        "POST", "/v1/payloads", [("X-Plumb-Key", key), ("Idempotency-Key", "\(round)")], body: body)
      if answer?.status == 202 { acknowledged += 1000 } else { refused = answer }
    }
    #expect(refused?.status == 503, "\(server.child.errors)")
    #expect(refused?.header("Retry-After").flatMap { Int($0) } != nil)
    #expect(acknowledged > 50_000)
    #expect(client.get("/healthz")?.status == 200)
    // What is left of the file may still hold small records: each kind of client is refused once it does not.
    #expect(Self.firstRefusal { client.send("POST", "/v1/metrics", Self.otlp(key), body: Self.gauge($0)) } == 503)
    #expect(Self.firstRefusal { client.send("POST", "/api/1/envelope/", [], body: Self.envelope($0, key)) } == 503)
    #expect(server.stop() == .exit(0))
    server = try stage.serve()
    #expect(server.stop() == .exit(0))
    #expect(try stage.report().metric("screen.load")["n"].integer == acknowledged)
  }

  /// The first status that is no success, of a thousand attempts.
  private static func firstRefusal(_ send: (Int) -> HTTPClient.Answer?) -> Int? {
    for attempt in 0..<1000 {
      if let status = send(attempt)?.status, status != 200 { return status }
    }
    return nil
  }

  private static func otlp(_ key: String) -> [(String, String)] {
    [("X-Plumb-Key", key), ("Content-Type", "application/json")]
  }

  private static func gauge(_ number: Int) -> String {
    let points = (0..<200).map {
      #"{"timeUnixNano":"1795168800000000000","asDouble":\#(Double($0) + 0.1 * Double(number))}"#
    }
    return
      #"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"my.level","gauge":{"dataPoints":[\#(points.joined(separator: ","))]}}]}]}]}"#
  }

  private static func envelope(_ number: Int, _ key: String) -> String {
    let session =
      #"{"sid":"00000000-0000-4000-8000-\#(String(100_000_000_000 + number))","status":"ok","init":true,"started":"2026-11-20T10:00:00Z","attrs":{"release":"shop@1.0.0"}}"#
    let dsn = "http://\(key)@127.0.0.1/1"
    return #"{"dsn":"\#(dsn)"}"# + "\n" + #"{"type":"session"}"# + "\n" + session + "\n"
  }
}
