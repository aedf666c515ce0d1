import Foundation
import Testing
import TestSupport

@Suite("Refusals of the API")
struct APIErrorTests {
  private static let base = "/api/v1/apps/\(Payload.app)"

  @Test("the API's refusals are problem documents that name the error")
  func problems() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())"), ("Accept", "text/html")]
    let client = try stage.serve().connect()
    let wrong: [(String, Int, String?)] = [
      ("/report?from=yesterday", 400, "from"), ("/report?to=2026-02-30", 400, "to"), ("/report?to=", 400, "to"),
      ("/report?form=2026-01-01", 400, "form"), ("/metrics?os=a&os=b", 400, "os"),
      ("/metrics?format=xml", 400, "format"),
      ("/report?from=2026-02-02&to=2026-01-01", 409, "to"), ("/report?from=0001-01-01&to=9999-12-31", 409, "from"),
      ("/diagnostics?kind=%ff%fe", 400, "kind"), ("/diagnostics?before=99999999999999999999", 400, "before"),
      ("/diagnostics?limit=0", 400, "limit"), ("/diagnostics?limit=201", 400, "limit"),
      ("/diagnostics?limit=1e2", 400, "limit"), ("/diagnostics?from=2026-01-01", 400, "from"),
      ("/metrics/no.such", 404, nil), ("/nowhere", 404, nil), ("/diagnostics/0", 404, nil),
      ("/diagnostics/x", 404, nil),
      ("/diagnostics/99999999999999999999", 404, nil),
    ]
    for (path, status, parameter) in wrong {
      let answer = try #require(client.get(Self.base + path, own), "\(path)")
      #expect(answer.status == status, "\(path): \(answer.text)")
      try expectProblem(answer, path)
      #expect(try JSON(answer.text)["parameter"].text == parameter, "\(path)")
    }
    for path in ["/api", "/api/", "/api/v1", "/api/v1/apps/nobody/report", "/api/v1/apps/nobody", "/api/v2/apps"] {
      let answer = try #require(client.get(path, own))
      #expect(answer.status == 404, "\(path)")
      try expectProblem(answer, path)
      let stranger = try #require(client.get(path, [("Accept", "text/html")]))
      #expect(stranger.status == 401, "\(path)")
      try expectProblem(stranger, path)
    }
  }

  @Test("the API refuses other methods and names the allowed ones")
  func methods() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let server = try stage.serve()
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"] {
      for path in [Self.base + "/report", "/api/v1/apps", "/openapi.json"] {
        let answer = try #require(server.connect().send(method, path, own), "\(method) \(path)")
        #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD", "\(method) \(path)")
        try expectProblem(answer, path)
      }
    }
  }

  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test(
    "the API never answers with a server error, whatever is in the URL",
    arguments: [UInt64.random(in: 0...999_999)])
  func noise(seed: UInt64) throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let server = try stage.serve()
    Payload.post(Payload.native(Payload.measurements("screen.load", [400])), to: server, key: key)
    _ = try stage.report { $0.metric("screen.load")["n"].integer == 1 }
    let client = server.connect()
    var random = SeededRandom(seed: seed)
    let paths = [
      "/report", "/metrics", "/metrics/screen.load", "/releases", "/budgets", "/data-quality", "/diagnostics",
      "/diagnostics/1", "/metrics/%00", "/metrics/%ff",
    ]
    let names = [
      "from", "to", "environment", "release", "os", "device", "device_class", "kind", "before", "limit", "format", "x",
    ]
    let values = [
      "", "%00", "%ff%fe", "%", "%zz", "%ed%a0%80", "2026-11-20", "9999-12-31", "0001-01-01", "0000-00-00",
      "-9223372036854775808", "9223372036854775807", "9223372036854775808", "1e308", "NaN", "%27%3B--", "crash", "csv",
      "production", "1", "+1", "%2B1", "%F0%9F%92%A9", String(repeating: "9", count: 4000),
    ]
    for _ in 0..<600 {
      let query = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        "\(names.randomElement(using: &random) ?? "")=\(values.randomElement(using: &random) ?? "")"
      }.joined(separator: "&")
      let target = "\(Self.base)\(paths.randomElement(using: &random) ?? "")?\(query)"
      let answer = try #require(client.get(target, own), "\(target.prefix(200))")
      #expect([200, 400, 404, 409].contains(answer.status), "\(answer.status) \(target.prefix(200))")
      if answer.status != 200 { try expectProblem(answer, target) }
    }
    #expect(server.stop() == .exit(0))
  }

  private func expectProblem(_ answer: HTTPClient.Answer, _ path: String) throws {
    #expect(answer.header("Content-Type") == "application/problem+json", "\(path.prefix(200))")
    #expect(try JSON(answer.text)["status"].integer == answer.status, "\(path.prefix(200))")
  }
}
