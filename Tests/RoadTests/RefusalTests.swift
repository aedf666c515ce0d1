import Foundation
import Testing
import TestSupport

@Suite("Refused payloads")
struct RefusalTests {
  private let good = Payload.native(Payload.sessions(["a"]))

  @Test("a payload with an unknown key gets 401, however the key was sent")
  func keys() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    let ways: [(String) -> (target: String, headers: [(String, String)])] = [
      { ("/v1/payloads", [("Authorization", "Bearer \($0)")]) },
      { ("/v1/payloads", [("authorization", "bearer  \($0)")]) },
      { ("/v1/payloads", [("X-Plumb-Key", $0)]) }, { ("/v1/payloads?key=\($0)", []) },
    ]
    for way in ways {
      for method in ["POST", "PUT"] {
        #expect(client.send(method, way(key).target, way(key).headers, body: good)?.status == 202)
        for wrong in [String(key.reversed()), "", "x", String(repeating: "0", count: 5000)] {
          let answer = client.send(method, way(wrong).target, way(wrong).headers, body: good)
          #expect(answer?.status == 401)
          #expect(answer?.header("WWW-Authenticate") == "Bearer")
          #expect(answer?.header("Content-Type") == "application/problem+json")
        }
      }
    }
    #expect(client.send("POST", "/v1/payloads", body: good)?.status == 401)
  }

  @Test("a payload with a wrong method, encoding or length is refused before it is read, and the connection is kept")
  func headers() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve(environment: ["PLUMB_BODY_LIMIT": "2000"])
    let client = server.connect()
    let own = [("X-Plumb-Key", key)]
    for method in ["GET", "DELETE", "PATCH"] {
      let answer = client.send(method, "/v1/payloads", own)
      #expect(answer?.status == 405 && answer?.header("Allow") == "POST, PUT, OPTIONS", "\(method)")
    }
    let packed = client.send("POST", "/v1/payloads", own + [("Content-Encoding", "compress")], body: good)
    #expect(packed?.status == 415 && packed?.header("Accept-Encoding") == "gzip, deflate, br, zstd")
    #expect(client.send("POST", "/v1/payloads", own + [("Content-Encoding", "identity")], body: good)?.status == 202)
    let long = good + String(repeating: " ", count: 2000)
    #expect(client.send("POST", "/v1/payloads", own, body: long)?.status == 413)
    #expect(client.send("POST", "/v1/payloads", own, body: good)?.status == 202)
    #expect(client.post(long.utf8, own, chunks: long.utf8.count / 2)?.status == 413)
    #expect(client.post(good.utf8, own, chunks: good.utf8.count / 2)?.status == 202)
  }

  @Test("a payload with invalid content gets 400 with the key path of the error")
  func paths() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    func answer(_ body: String) throws -> JSON {
      let found = try #require(client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body))
      #expect(found.status == 400 && found.header("Content-Type") == "application/problem+json")
      let problem = try JSON(found.text)
      #expect(problem["status"].integer == 400 && problem["title"].text?.isEmpty == false)
      return problem
    }
    let status = try answer(
      Payload.native("\"sessions\":[{\"id\":\"a\",\"status\":\"ok\"},{\"id\":\"b\",\"status\":7}]"))
    #expect(status["path"].text == "sessions[1].status" && status["reason"].text == "type")
    #expect(status["detail"].text?.contains("sessions[1].status") == true)
    let word = try answer(Payload.native("\"sessions\":[{\"status\":\"gone\"}]"))
    #expect(word["path"].text == "sessions[0].status" && word["reason"].text == "value")
    let unit = try answer(Payload.native("\"measurements\":[{\"metric\":\"screen.load\",\"value\":1,\"unit\":\"MB\"}]"))
    #expect(unit["path"].text == "measurements[0].unit")
    #expect(try answer("{\"app\":").self["reason"].text == "syntax")
    #expect(try answer("").self["reason"].text == "empty")
    #expect(try answer("[1,2]")["path"].text == "[0]")
    _ = try answer("\"\u{0001}")
    // All or nothing: the first document of a body whose second is wrong is not kept either.
    #expect(try answer("[\(good),{\"sessions\":3}]")["path"].text?.hasPrefix("[1]") == true)
    #expect(try stage.report()["sessions"]["total"].integer == 0)
  }

  @Test("a payload from a key that sends too fast gets 429 with a time to wait, and other apps continue")
  func rate() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let other = try stage.addApp("com.example.other")
    let client = try stage.serve(environment: ["PLUMB_REQUESTS_PER_SECOND": "2"]).connect()
    var refused: HTTPClient.Answer?
    for _ in 0..<20 where refused == nil {
      let answer = client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: good)
      if answer?.status != 202 { refused = answer }
    }
    #expect(refused?.status == 429)
    let wait = try #require(refused?.header("Retry-After").flatMap { Int($0) })
    #expect((1...2).contains(wait))
    #expect(refused?.header("X-Sentry-Rate-Limits")?.hasPrefix("\(wait):") == true)
    #expect(client.send("POST", "/v1/payloads", [("X-Plumb-Key", other)], body: good)?.status == 202)
    usleep(UInt32(wait) * 1_000_000)
    #expect(client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: good)?.status == 202)
  }

  @Test("a refused or repeated payload is counted with its reason, across a restart")
  func counted() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    var server = try stage.serve(environment: ["PLUMB_BODY_LIMIT": "2000"])
    let client = server.connect()
    let own = [("X-Plumb-Key", key)]
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id"] {
      let first = client.send("POST", "/v1/payloads", own + [(name, name)], body: good)
      #expect(first?.status == 202)
      let second = client.send("POST", "/v1/payloads", own + [(name, name)], body: good)
      #expect(second?.status == 200)
      #expect(try JSON(second?.text ?? "")["status"].text == "duplicate")
    }
    for _ in 0..<3 { _ = client.send("POST", "/v1/payloads", own, body: Payload.native("\"sessions\":[7]")) }
    for _ in 0..<2 { _ = client.send("POST", "/v1/payloads", own + [("Content-Encoding", "compress")], body: good) }
    _ = client.send("POST", "/v1/payloads", own, body: String(repeating: " ", count: 3000))
    #expect(server.stop() == .exit(0))
    server = try stage.serve()
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id"] {
      let late = server.connect().send("POST", "/v1/payloads", own + [(name, name)], body: good)
      #expect(late?.status == 200, "a repetition is known after a restart")
      #expect(try JSON(late?.text ?? "")["status"].text == "duplicate")
    }
    #expect(server.stop() == .exit(0))
    let tallies = try tallies(of: stage)
    #expect(tallies["rejected type"] == 3)
    #expect(tallies["limited content encoding"] == 2)
    #expect(tallies["limited body too large"] == 1)
    #expect(tallies["duplicate idempotency key"] == 6)
    #expect(tallies["accepted native"] == 3)
    #expect(try stage.report()["sessions"]["total"].integer == 1)
  }
}
