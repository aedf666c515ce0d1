import Foundation
import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// One number has one interval, wherever it stands: on made-up fleets whose devices, releases and people are alike to
/// different degrees, so that each way to leave a part of the sums out would show.
@Suite("One number and one interval everywhere") struct OneNumberTests {
  /// A value, its interval and n, as the API writes them.
  private struct Reading: Hashable, CustomStringConvertible {
    var value: Double?
    var low: Double?
    var high: Double?
    var n: Int
    var description: String { "\(value ?? .nan) (\(low ?? .nan)–\(high ?? .nan)), n \(n)" }

    init(_ json: [String: Any]) {
      let number = { (name: String) in (json[name] as? NSNumber)?.doubleValue }
      (value, low, high) = (number("value"), number("low"), number("high"))
      n = json["n"] as? Int ?? -1
    }

    init(_ estimate: Estimate?, n: Int) {
      (value, low, high) = (estimate?.value, estimate?.low, estimate?.high)
      self.n = n
    }
  }

  /// Readings by the text of their budget.
  private static func readings(_ results: Any?) throws -> [String: Reading] {
    let results = try #require(results as? [[String: Any]])
    return Dictionary(results.map { ($0["budget"] as? String ?? "", Reading($0)) }) { first, _ in first }
  }

  private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private static func parts(_ items: Any?, _ key: String) throws -> [[String: Any]] {
    try #require(items as? [[String: Any]]).compactMap { $0[key] as? [String: Any] }
  }

  private static let budgets = [
    "sessions.crash_free >= 99%", "users.crash_free >= 90%", "users.crash_free_daily >= 99%",
    "p90 screen.load <= 1 s", "mean screen.load <= 400 ms", "p50 launch.first_draw <= 600 ms",
    "hang.rate <= 5 s/h", "p90 screen.load <= 1 s, on iPhone12,*", "p90 screen.load <= 1 s, label Cart",
    "p90 screen.load <= 1 s, over 7 d",
  ]

  /// 40 people over 28 days: 2.0 the whole time, 2.1 from the 12th day before the last on, 2.2 on the last five.
  private static func scene(_ seed: UInt64) throws -> Scene {
    var dice = SeededRandom(seed: seed)
    let models = ["iPhone12,1", "iPhone15,2", "iPhone17,1"]
    let people = (0..<40).map { number in
      (
        name: "p\(number)", model: models[dice.index(below: 3)], os: "iOS 18.\(dice.index(below: 2))",
        speed: 0.5 + dice.uniform()
      )
    }
    let slowness = ["2.0": 1.0, "2.1": 1.0 + dice.uniform(), "2.2": 0.7 + dice.uniform()]
    let crashing = ["2.0": 0.01, "2.1": 0.02 + 0.1 * dice.uniform(), "2.2": 0.01 + 0.05 * dice.uniform()]
    let scene = try Scene()
    var bodies: [String] = []
    for back in 0..<28 {
      let day = (Scene.today - back).iso
      for person in people where dice.index(below: 3) > 0 {
        let newest = back < 5 ? 3 : back < 12 ? 2 : 1
        let version = ["2.0", "2.1", "2.2"][dice.index(below: newest)]
        let pace = person.speed * (person.model == models[0] ? 2 : 1) * (slowness[version] ?? 1)
        let sessions = (0..<(1 + dice.index(below: 3))).map { number in
          let status = dice.uniform() < (crashing[version] ?? 0) ? "crashed" : "exited"
          return
            #"{"id": "\#(person.name)-\#(day)-\#(number)", "started": "\#(day)T09:00:00Z", "status": "\#(status)"}"#
        }
        let loads = (0..<(2 + dice.index(below: 5))).map { number in
          #"{"metric": "screen.load", "value": \#((300 * pace * (0.6 + dice.uniform())).rounded()), "unit": "ms", "#
            + #""label": "\#(number % 2 == 0 ? "Cart" : "Home")", "at": "\#(day)T09:10:00Z"}"#
        }
        let launches = (0..<3).map { _ in
          #"{"metric": "launch.first_draw", "value": \#((400 * pace * (0.8 + dice.uniform())).rounded()), "unit": "ms", "at": "\#(day)T09:00:00Z"}"#
        }
        bodies.append(
          Scene.native(
            version: version, model: person.model, os: person.os, installation: person.name,
            """
            "sessions": [\(sessions.joined(separator: ","))], \
            "measurements": [\((loads + launches).joined(separator: ","))], \
            "histograms": [{"metric": "hang.duration", "unit": "ms", "bounds": [250, 500, 1000], \
            "counts": [0, \(dice.index(below: 3)), \(dice.index(below: 2)), 0], "at": "\(day)T09:00:00Z"}], \
            "counters": [{"metric": "time.foreground", "value": 600, "unit": "s", "at": "\(day)T09:00:00Z"}]
            """))
      }
    }
    try scene.receive(bodies)
    return scene
  }

  private static func reader(_ scene: Scene) throws -> HealthReader {
    let quoted = budgets.map { "  - \"\($0)\"\n" }.joined()
    return try scene.reader(yaml: "budgets:\n" + quoted)
  }

  /// What narrows a page; each as an address would.
  private static let queries: [[String: String]] = [
    [:], ["release": "all"], ["release": "2.1"], ["release": "2.0"], ["os": "iOS 18.1"], ["device_class": "iPhone 14"],
    ["device": "iPhone15,2", "release": "2.1"], ["from": "2026-11-18", "to": "2026-11-20"], ["to": "2026-11-16"],
    ["from": "2026-11-10", "release": "2.0", "os": "iOS 18.0"],
  ]

  @Test(
    "the judged release's budgets are equal on every page, in the API, in check and in the report",
    arguments: [1, 2, 3] as [UInt64])
  func everywhere(seed: UInt64) throws {
    let scene = try Self.scene(seed)
    let reader = try Self.reader(scene)
    for values in Self.queries {
      let query = try ReportQuery { values[$0] }
      let status = try reader.status(Scene.app, query, now: Scene.now)
      let app = try Self.object(JudgementList(status).json())
      let judgement = try #require(app["judgement"] as? [String: Any])
      let expected = try Self.readings(Self.parts(judgement["budgets"], "result"))
      #expect(expected.count == Self.budgets.count)

      let page = try reader.budgetPage(Scene.app, query, now: Scene.now)
      #expect(try Self.readings(Self.parts(Self.object(page.json())["budgets"], "result")) == expected, "\(values)")
      let check = try reader.check(Scene.app, query, now: Scene.now)
      let checked = try Self.object(BudgetList(app: "", results: check, incidents: []).json())
      #expect(try Self.readings(checked["budgets"]) == expected, "\(values)")
      let report = try Self.object(try reader.report(Scene.app, query, now: Scene.now).json())
      let reported = try #require(report["judgement"] as? [String: Any])
      #expect(try Self.readings(Self.parts(reported["budgets"], "result")) == expected, "\(values)")
      for name in Set(status.judgement.results.filter { $0.n > 0 }.map(\.metric)) {
        let metric = try #require(
          try reader.metricPage(Scene.app, metric: name, query, isJudged: true, now: Scene.now))
        let own = try Self.readings(Self.object(metric.json())["budgets"])
        for (budget, reading) in own { #expect(expected[budget] == reading, "\(values) \(budget)") }
        #expect(own.count == status.judgement.results.count { $0.metric == name })
      }
      // The release's own page is about its whole life, whatever days are chosen.
      guard let release = status.judgement.release, values.keys.allSatisfy({ $0 == "release" }) else { continue }
      let ofRelease = try #require(
        try reader.releasePage(Scene.app, release: release.release.title, now: Scene.now))
      #expect(try Self.readings(Self.object(ofRelease.json())["budgets"]) == expected, "\(values)")
    }
    let summary = try reader.summary(Scene.app, now: Scene.now)
    let overview = try Self.object(OverviewModel(apps: [summary], asOf: Scene.now).json())
    let first = try #require((overview["apps"] as? [[String: Any]])?.first)
    let judgement = try reader.judgement(Scene.app, now: Scene.now)
    let crashFree = try #require(judgement.budget(on: "sessions.crash_free")).result
    let app = try Self.object(JudgementList(reader.status(Scene.app, now: Scene.now)).json())
    let shown = try Self.readings(Self.parts((app["judgement"] as? [String: Any])?["budgets"], "result"))
    #expect(Reading(try #require(first["crash_free"] as? [String: Any])) == shown[crashFree.budget])
    let counts = try #require(first["verdict_counts"] as? [String: Int])
    #expect(
      counts.filter { $0.value > 0 } == Dictionary(judgement.counts.map { ($0.rawValue, $1) }) { first, _ in first })
  }

  @Test("a metric's percentile equals the number next to its budget", arguments: [1, 2, 3] as [UInt64])
  func percentiles(seed: UInt64) throws {
    let scene = try Self.scene(seed)
    let reader = try Self.reader(scene)
    for (metric, rank) in [("screen.load", 90), ("launch.first_draw", 50)] {
      for values in Self.queries {
        let query = try ReportQuery { values[$0] }
        let page = try #require(
          try reader.metricPage(Scene.app, metric: metric, query, isJudged: true, now: Scene.now))
        let budget = try #require(page.budgets.first)
        let shown = Reading(page.report.percentiles[rank], n: page.report.n)
        let judged = Reading(Estimate(value: budget.value, low: budget.low, high: budget.high), n: budget.n)
        #expect(shown == judged, "\(values) \(metric)")
      }
    }
  }

  @Test(
    "a release's numbers are equal in a list, on the metric's page, on the budgets page and alone",
    arguments: [1, 2, 3] as [UInt64])
  func rows(seed: UInt64) throws {
    let scene = try Self.scene(seed)
    let reader = try Self.reader(scene)
    func alone(_ release: String) throws -> [String: Reading] {
      let judgement = try reader.judgement(Scene.app, ReportQuery(release: release), now: Scene.now)
      return Dictionary(
        judgement.results.map {
          ($0.budget, Reading(Estimate(value: $0.value, low: $0.low, high: $0.high), n: $0.n))
        }
      ) { first, _ in first }
    }
    let budgets = try reader.budgetPage(Scene.app, now: Scene.now)
    let metric = try #require(
      try reader.metricPage(Scene.app, metric: "screen.load", isJudged: true, now: Scene.now))
    #expect(metric.byRelease.map(\.key) == ["2.2", "2.1", "2.0"])
    for row in metric.byRelease {
      let own = try alone(row.key)
      #expect(Reading(row.report.percentiles[90], n: row.report.n) == own["p90 screen.load <= 1 s"], "\(row.key)")
      for budget in budgets.rows {
        for slice in budget.slices where slice.dimension == "release" && slice.key == row.key {
          let result = slice.result
          #expect(
            Reading(Estimate(value: result.value, low: result.low, high: result.high), n: result.n)
              == own[result.budget], "\(row.key) \(result.budget)")
        }
      }
    }
    // Each class of devices: on the app's page for what is broken, on the budgets page, and as a page of its own.
    let judgement = try reader.judgement(Scene.app, now: Scene.now)
    for broken in judgement.broken {
      let same = budgets.rows.first { $0.result == broken.result }?.slices.filter { $0.dimension == "device_class" }
      #expect(broken.classes.isEmpty || same == broken.classes)
    }
  }

  @Test("a release's crash-free sessions are equal in the release table, behind its groups and in a comparison")
  func crashFree() throws {
    let scene = try Self.scene(4)
    let reader = try Self.reader(scene)
    let status = try reader.status(Scene.app, now: Scene.now)
    let budget = try #require(status.judgement.budget(on: "sessions.crash_free"))
    for (release, result) in [(status.judgement.release, budget.result), (status.judgement.previous, budget.before)] {
      let (name, result) = (try #require(release).release, try #require(result))
      let row = try #require(status.releases.first { $0.release == name })
      let shown = Reading(Estimate(value: result.value, low: result.low, high: result.high), n: result.n)
      #expect(Reading(row.crashFree.estimate, n: row.crashFree.n) == shown)
      // The plain report has no judgement to agree with: the same sums by themselves.
      let plain = try reader.report(Scene.app, now: Scene.now).releases.first { $0.release == name }
      #expect(Reading(plain?.crashFree.estimate, n: plain?.crashFree.n ?? 0) == shown)
    }
    // On days that both releases have, a comparison is about the same sums.
    let days = ReportQuery(from: Scene.today - 4, to: Scene.today)
    let judgement = try reader.judgement(Scene.app, days, now: Scene.now)
    let compared = try reader.compare(Scene.app, base: "2.1", head: "2.2", days, now: Scene.now)
    #expect(compared.window == judgement.window)
    for budget in judgement.budgets where ["sessions.crash_free", "launch.first_draw"].contains(budget.result.metric) {
      let metric = try #require(compared.metrics.first { $0.name == budget.result.metric })
      let before = try #require(budget.before)
      for (side, result) in [(metric.head, budget.result), (metric.base, before)] {
        guard metric.statistic == result.statistic else { continue }
        #expect(
          Reading(side.estimate, n: side.n)
            == Reading(Estimate(value: result.value, low: result.low, high: result.high), n: result.n),
          "\(metric.name)")
      }
    }
  }
}
