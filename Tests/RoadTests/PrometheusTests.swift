import Foundation
import Testing
import TestSupport

@Suite("Metrics for Prometheus and Grafana's dashboards")
struct PrometheusTests {
  private static let promtool = "/usr/bin/promtool"
  private static let address = "/api/v1/prometheus"
  @Test("metrics for Prometheus equal the API's numbers, need access to the app, and are those that the dashboards use")
  func metrics() throws {
    let stage = try Stage()
    try stage.fillWithDemo(users: 20)
    _ = try stage.addApp("com.example.other")
    let all = [("Authorization", "Bearer \(try stage.addToken())")]
    let narrow = try stage.run("token", "add", "other", "--app", "com.example.other").output
    let other = [("Authorization", "Bearer \(narrow.trimmingCharacters(in: .whitespacesAndNewlines))")]
    let client = try stage.serve().connect()
    func get(_ path: String, _ token: [(String, String)]) throws -> String {
      try #require(client.get(path, token)).text
    }

    let (text, overview, judgement) = try stage.inOneStep {
      (
        try get(Self.address, all), try JSON(get("/api/v1/apps", all))["apps"],
        try JSON(get("/api/v1/apps/\(Payload.app)/judgement", all))["judgement"]
      )
    }
    let apps = Scrape(text)
    let card = try #require(overview.list.first { $0["app"].text == Payload.app })
    let verdict = try #require(card["verdict"].text)
    for state in ["within", "warning", "broken", "not_enough_data"] {
      #expect(apps["plumb_app_verdict", ["app": Payload.app, "verdict": state]] == (state == verdict ? 1 : 0))
    }
    #expect(apps["plumb_app_advice", ["advice": card["advice"].text ?? ""]] == 1)
    #expect(apps["plumb_app_sessions", ["app": Payload.app]] == card["sessions"].number)
    #expect(apps["plumb_app_open_incidents", ["app": "com.example.other"]] == 0)
    #expect(apps["plumb_app_verdict", ["app": "com.example.other"]] == nil, "nothing was received")
    let budgets = judgement["budgets"].list.map { $0["result"] }
    #expect(budgets.count > 5)
    for budget in budgets {
      let labels = ["app": Payload.app, "budget": budget["budget"].text ?? ""]
      for (name, member) in [
        ("value", "value"), ("value_low", "low"), ("value_high", "high"), ("target", "target"), ("events", "n"),
      ] {
        #expect(apps["plumb_budget_\(name)", labels] == budget[member].number, "\(labels) \(name)")
      }
      #expect(apps["plumb_budget_verdict", labels.merging(["verdict": budget["verdict"].text ?? ""]) { $1 }] == 1)
    }

    let one = try get(Self.address + "?app=\(Payload.app)", all)
    let launch = try JSON(get("/api/v1/apps/\(Payload.app)/report", all)).metric("launch.first_draw")
    let p90 = ["metric": "launch.first_draw", "statistic": "p90"]
    #expect(Scrape(one)["plumb_metric_value", p90] == launch["p90"]["value"].number)
    #expect(!one.contains("com.example.other"))
    #expect(try !get(Self.address, other).contains(Payload.app))
    #expect(client.get(Self.address + "?app=\(Payload.app)", other)?.status == 404)
    #expect(client.get(Self.address, [])?.status == 401)
    #expect(client.get(Self.address + "?ap=x", all)?.status == 400)

    let own = try get("/metrics", all)
    try expectDashboard("apps.json", of: Scrape(one), stage)
    try expectDashboard("server.json", of: Scrape(own), stage)
    guard access(Self.promtool, X_OK) == 0 else { return }
    for metrics in [text, one, own] {
      let checked = try stage.run(program: Self.promtool, ["check", "metrics"], input: metrics)
      #expect(checked.succeeded, "\(checked.output)\(checked.errors)")
    }
  }

  /// A dashboard asks for metrics and labels that are there, in a language that Prometheus reads, on panels that do not
  /// cover each other.
  private func expectDashboard(_ name: String, of scrape: Scrape, _ stage: Stage) throws {
    let board = try JSON(Checkout.text("deploy/grafana/\(name)"))
    let panels = board["panels"].list
    #expect(panels.count > 5 && Set(panels.map { $0["id"].integer }).count == panels.count)
    for (index, one) in panels.enumerated() {
      for other in panels[..<index] { #expect(!one.covers(other), "\(name): \(one["title"].text ?? "")") }
    }
    let targets = panels.flatMap { $0["targets"].list }
    let queries = board["templating"]["list"].list.compactMap { $0["query"]["query"].text }
    let expressions = targets.compactMap { $0["expr"].text }
    #expect(expressions.count == targets.count && !queries.isEmpty)
    for asked in expressions + queries {
      let metrics = asked.matches(of: /(plumb_[a-z_]+)(\{[^}]*\})?/)
      #expect(!metrics.isEmpty, "\(asked)")
      for metric in metrics {
        #expect(scrape.types.contains(String(metric.output.1)), "\(name): \(metric.output.1)")
        let labels = (metric.output.2 ?? "").matches(of: /([a-z]+)(=~|=)/).map { String($0.output.1) }
        // A metric without a sample on this server shows no labels.
        guard let known = scrape.labels[String(metric.output.1)] else { continue }
        #expect(known.union(["instance", "verdict", "label"]).isSuperset(of: labels), "\(name): \(asked)")
      }
    }
    let known = scrape.labels.values.reduce(into: Set(["instance", "channel", "reason", "kind", "class"])) {
      $0.formUnion($1)
    }
    for target in targets {
      let shown = (target["legendFormat"].text ?? "").matches(of: /\{\{([a-z]+)\}\}/).map { String($0.output.1) }
      #expect(known.isSuperset(of: shown), "\(name): \(shown)")
    }
    guard access(Self.promtool, X_OK) == 0 else { return }
    let rules = expressions.enumerated().map { index, text in
      let plain = text.replacing("$__rate_interval", with: "5m").replacing("'", with: "''")
      return "      - { record: 'x:\(index)', expr: '\(plain)' }\n"
    }
    let file = try stage.write("groups:\n  - name: x\n    rules:\n" + rules.joined(), to: name + ".yaml")
    let checked = try stage.run(program: Self.promtool, ["check", "rules", file])
    #expect(checked.succeeded, "\(checked.output)\(checked.errors)")
  }
}

extension JSON {
  /// Whether two panels of a dashboard have a cell of the grid in common.
  fileprivate func covers(_ other: JSON) -> Bool {
    func sides(_ panel: JSON, _ start: String, _ size: String) -> Range<Int> {
      let place = panel["gridPos"]
      let first = place[start].integer ?? 0
      return first..<first + (place[size].integer ?? 0)
    }
    return sides(self, "x", "w").overlaps(sides(other, "x", "w"))
      && sides(self, "y", "h").overlaps(sides(other, "y", "h"))
  }
}

/// An answer in Prometheus' text format.
private struct Scrape {
  private var samples: [(name: String, labels: [String: String], value: Double)] = []
  /// The names with a type.
  private(set) var types: Set<String> = []
  /// The labels of each name that has samples.
  private(set) var labels: [String: Set<String>] = [:]

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# TYPE ") { types.insert(String(line.split(separator: " ")[2])) }
      // Read as the API's numbers are.
      guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
        let value = try? JSON(String(line[line.index(after: space)...])).number
      else { continue }
      let series = line[..<space]
      let name = String(series.prefix { $0 != "{" })
      var found: [String: String] = [:]
      for label in series.dropFirst(name.count).matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/) {
        found[String(label.output.1)] = String(label.output.2).replacing("\\\"", with: "\"").replacing(
          "\\\\", with: "\\")
      }
      samples.append((name, found, value))
      labels[name, default: []].formUnion(found.keys)
    }
  }

  /// The value of the first series with these labels, whatever others it has.
  subscript(_ name: String, _ wanted: [String: String]) -> Double? {
    samples.first { sample in
      sample.name == name && wanted.allSatisfy { sample.labels[$0.key] == $0.value }
    }?.value
  }
}
