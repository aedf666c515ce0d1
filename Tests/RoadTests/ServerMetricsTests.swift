import Foundation
import Testing
import TestSupport

@Suite("The server's own metrics")
struct ServerMetricsTests {
  private static let promtool = "/usr/bin/promtool"
  private static let rules = Checkout.path("deploy/prometheus")

  @Test("the server's own metrics have the version, faults, each app's last payload, and refusals by reason")
  func told() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let server = try stage.serve()
    let before = Int(Date().timeIntervalSince1970)
    #expect(Payload.post(Payload.native(Payload.sessions(["a"])), to: server, key: key) == 202)
    #expect(Payload.post("{", to: server, key: key) == 400)
    #expect(Payload.post("[", to: server, key: key) == 400)
    let client = server.connect()
    func metrics() -> [String: Int] {
      let lines = (client.get("/metrics", [token])?.text ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }
      return lines.reduce(into: [:]) { found, line in
        guard let space = line.lastIndex(of: " ") else { return }
        found[String(line[..<space])] = Int(line[line.index(after: space)...])
      }
    }
    let last = "plumb_app_last_payload_timestamp_seconds{app=\"\(Payload.app)\"}"
    #expect(eventually { (metrics()[last] ?? 0) >= before })
    let found = metrics()
    #expect(found["plumb_faults"] == 0 && found["plumb_digest_lag_records"] != nil)
    #expect(found.keys.contains { $0.hasPrefix("plumb_build_info{version=\"") })
    let refused = found.filter {
      $0.key.hasPrefix("plumb_payload_outcomes_total{app=\"\(Payload.app)\",kind=\"rejected\"")
    }
    #expect(refused.values.reduce(0, +) == 2, "\(found)")
    #expect(!found.keys.contains { $0.hasPrefix("plumb_metrics_unread") })
  }

  @Test("the server's own metrics count the messages that a channel did not deliver")
  func channels() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let server = try stage.serve()
    let client = server.connect()
    #expect(client.get("/metrics", [token])?.text.contains("plumb_channel_undelivered_messages{") == false)
    let now = Int(Date().timeIntervalSince1970 * 1000)
    let day = 86_400_000
    let sql = """
      INSERT INTO alert_message (id, created, body) VALUES ('a', \(now), '{}'), ('b', \(now), '{}');
      INSERT INTO alert_delivery (message, channel, attempts, failure, failed, delivered, refused) VALUES
        ('a', 'team "x"', 3, 'no', \(now), NULL, 0), ('b', 'team "x"', 1, 'no', \(now), NULL, 1),
        ('a', 'ops', 1, 'no', \(now), \(now), 0), ('b', 'old', 1, 'no', \(now - 2 * day), NULL, 0);
      """
    #expect(try stage.run(program: "/usr/bin/sqlite3", [stage.data + "/control.db", sql]).succeeded)
    let text = client.get("/metrics", [token])?.text ?? ""
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("plumb_channel_undelivered_messages") }
    #expect(lines == ["plumb_channel_undelivered_messages{channel=\"team \\\"x\\\"\"} 2"], "\(text)")
  }

  @Test(
    "the server's own metrics are those that the Prometheus rules use, as promtool reads them",
    .enabled(if: access(promtool, X_OK) == 0))
  func prometheus() throws {
    let stage = try Stage()
    let tested = try stage.run(program: Self.promtool, ["test", "rules", Self.rules + "/alerts.test.yaml"])
    #expect(tested.succeeded, "\(tested.output)\(tested.errors)")

    let key = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let server = try stage.serve()
    #expect(Payload.post("{", to: server, key: key) == 400)
    let text = server.connect().get("/metrics", [token])?.text ?? ""
    let checked = try stage.run(program: Self.promtool, ["check", "metrics"], input: text)
    #expect(checked.succeeded, "\(checked.output)\(checked.errors)")
    let rules = try String(contentsOfFile: Self.rules + "/alerts.yaml", encoding: .utf8)
    let named = Set(
      rules.split(separator: "\n").filter { $0.contains("expr:") }.flatMap { line in
        line.matches(of: /plumb_[a-z0-9_]+/).map { String($0.output) }
      })
    #expect(named.count > 5)
    // Only a standby has this metric.
    for name in named where name != "plumb_standby_seconds" { #expect(text.contains("# TYPE \(name) "), "\(name)") }
  }
}
