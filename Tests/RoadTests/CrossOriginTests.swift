import Foundation
import Testing
import TestSupport

@Suite("Requests from pages of other origins")
struct CrossOriginTests {
  private let good = Payload.native(Payload.sessions(["a"]))

  @Test(
    "pages of other origins may send preflight requests without a key",
    arguments: ["/v1/payloads", "/v1/payloads/", "/v1/payloads?key=x"])
  func preflight(target: String) throws {
    let stage = try Stage()
    let client = try stage.serve().connect()
    let asked = [
      ("Origin", "https://shop.example"), ("Access-Control-Request-Method", "POST"),
      ("Access-Control-Request-Headers", "x-plumb-key,content-encoding"),
    ]
    for _ in 0..<2 {
      let answer = try #require(client.send("OPTIONS", target, asked))
      #expect(answer.status == 204 && answer.body.isEmpty)
      #expect(answer.headers("Access-Control-Allow-Origin") == ["*"])
      #expect(answer.header("Access-Control-Max-Age") == "3600")
      #expect(answer.header("Access-Control-Allow-Methods")?.contains("POST") == true)
      let allowed = answer.header("Access-Control-Allow-Headers")?.components(separatedBy: ", ") ?? []
      let needed = [
        "x-sentry-auth", "x-requested-with", "x-forwarded-for", "origin", "referer", "accept", "authentication",
        "authorization", "content-encoding", "transfer-encoding", "content-type", "x-plumb-key", "idempotency-key",
        "sentry-trace", "baggage",
      ]
      #expect(Set(needed).isSubset(of: allowed))
    }
  }

  @Test("pages of other origins may read every answer to what they send")
  func answers() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve(environment: ["PLUMB_REQUESTS_PER_SECOND": "3", "PLUMB_BODY_LIMIT": "2000"]).connect()
    let own = [("X-Plumb-Key", key), ("Idempotency-Key", "one")]
    let sent = [
      (202, client.post(good.utf8, own)), (200, client.post(good.utf8, own)),
      (400, client.post("{".utf8, own)), (401, client.post(good.utf8, [])),
      (405, client.send("DELETE", "/v1/payloads", own)),
      (413, client.post([UInt8](repeating: 32, count: 3000), own)),
      (415, client.post(good.utf8, own + [("Content-Encoding", "compress")])),
      (400, client.post(good.utf8, own + [("Content-Encoding", "br")])),
    ]
    for (status, answer) in sent {
      #expect(answer?.status == status)
      #expect(answer?.headers("Access-Control-Allow-Origin") == ["*"], "\(status)")
      #expect(
        answer?.header("Access-Control-Expose-Headers") == "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error",
        "\(status)")
    }
    var limited: HTTPClient.Answer?
    for _ in 0..<20 where limited?.status != 429 { limited = client.post(good.utf8, own) }
    #expect(limited?.status == 429 && limited?.headers("Access-Control-Allow-Origin") == ["*"])
    // Refused by the server itself, before any route.
    let ambiguous = client.send(
      "POST", "/v1/payloads", own + [("Content-Length", "3"), ("Transfer-Encoding", "chunked")])
    #expect(ambiguous?.status == 400 && ambiguous?.header("Access-Control-Allow-Origin") == "*")
  }

  @Test("pages of other origins may not read pages and numbers")
  func reading() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let client = try stage.serve("--open").connect()
    for target in ["/", "/login", "/healthz", "/api/v1/apps/\(Payload.app)/report", "/metrics", "/none", "/plumb.css"] {
      for method in ["GET", "OPTIONS"] {
        let answer = client.send(method, target, [("Origin", "https://shop.example")])
        #expect(answer?.status != 204, "\(method) \(target)")
        #expect(answer?.header("Access-Control-Allow-Origin") == nil, "\(method) \(target)")
      }
    }
    let long = client.send("POST", "/login", body: String(repeating: "x", count: 40_000))
    #expect(long?.status == 413 && long?.header("Access-Control-Allow-Origin") == nil)
  }

  @Test(
    "pages of other origins may send payloads with any Content-Type",
    arguments: [
      nil, "", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain;charset=UTF-8",
      "application/x-sentry-envelope", "image/png", "/", "application/json; charset=latin1",
    ])
  func contentType(type: String?) throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    let headers = [("X-Plumb-Key", key)] + (type.map { [("Content-Type", $0)] } ?? [])
    #expect(client.post(good.utf8, headers)?.status == 202)
    #expect(client.post(good.utf8, headers, chunks: 20)?.status == 202)
  }
}
