import Foundation
import Testing

@Suite("A disk that is full")
struct FullDiskTests {
  @Test("makes the server answer 503 and stay alive; what it acknowledged before is in the report after a restart")
  func full() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    // No file of the server can grow beyond 2 MB: writing more fails as on a full disk.
    let limited = "ulimit -f 4000; trap '' XFSZ; exec \"$0\" serve --listen 127.0.0.1:0"
    var server = try ServerProcess(stage.start(["-c", limited, Stage.plumb], program: "/bin/sh"))
    let client = server.connect()
    var acknowledged = 0
    var refused: Client.Answer?
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
    #expect(server.stop() == .exit(0))
    server = try stage.serve()
    #expect(server.stop() == .exit(0))
    #expect(try stage.report().metric("screen.load")["n"].integer == acknowledged)
  }
}
