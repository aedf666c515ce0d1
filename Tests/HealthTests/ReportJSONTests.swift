import Foundation
import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

struct ReportJSONTests {
  /// A day as MetricKit reports it, counts given by a rule so that it can be added up again.
  private static func metricKit(_ index: Int) -> String {
    let launches = buckets(index).enumerated().map { number, bucket in
      """
      "\(number)": {"bucketCount": \(bucket.count), "bucketStart": "\(bucket.low) ms", "bucketEnd": "\(bucket.high) ms"}
      """
    }
    return """
      {"appVersion": "4.2.0", "timeStampBegin": "2026-11-19 00:00:00", "timeStampEnd": "2026-11-19 23:59:00",
       "metaData": {"appBuildVersion": "1", "deviceType": "iPhone15,2", "osVersion": "iPhone OS 17.4.1 (21E236)", "regionFormat": "DE"},
       "applicationTimeMetrics": {"cumulativeForegroundTime": "\(600 + index) sec"},
       "applicationExitMetrics": {"foregroundExitData": {"cumulativeNormalAppExitCount": \(20 + index), "cumulativeAppWatchdogExitCount": 1},
         "backgroundExitData": {"cumulativeMemoryPressureExitCount": 2}},
       "memoryMetrics": {"peakMemoryUsage": "\(100_000 + index) kB"},
       "applicationLaunchMetrics": {"histogrammedTimeToFirstDrawKey": {"histogramNumBuckets": \(launches.count),
         "histogramValue": {\(launches.joined(separator: ","))}}}}
      """
  }

  /// Six buckets of 10 ms, lowest first.
  private static func buckets(_ index: Int) -> [(low: Int, high: Int, count: Int)] {
    var found: [Int: Int] = [:]
    for number in 0..<6 { found[400 + ((index * 7 + number * 3) % 60) * 20] = 1 + (index + number) % 4 }
    return found.sorted { $0.key < $1.key }.map { (low: $0.key, high: $0.key + 10, count: $0.value) }
  }

  private static func parse(_ report: HealthReport) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(report.json())) as? [String: Any])
  }

  @Test("percentiles of MetricKit's buckets equal brute force on the values, within a bucket's width")
  func percentiles() throws {
    let scene = try Scene()
    try scene.receive((0..<40).map(Self.metricKit))
    // Every value at the middle of its bucket of 10 ms: the truth is at most 5 ms away.
    let values = (0..<40).flatMap {
      Self.buckets($0).flatMap { [Double](repeating: Double($0.low) + 5, count: $0.count) }
    }
    .sorted()
    let metric = try #require(try scene.report().metrics.first { $0.name == "launch.first_draw" })
    #expect(metric.n == values.count)
    #expect(metric.payloads == 40)
    #expect(metric.source == .metricKit)
    #expect(metric.isEstimated)
    for rank in [10, 50, 75, 90, 95, 99] {
      let truth = values[Int((Double(rank) / 100 * Double(values.count)).rounded(.up)) - 1]
      let found = try #require(metric.percentiles[rank])
      #expect(abs((try #require(found.value)) - truth) <= 5.01, "p\(rank)")
      #expect((found.low ?? -1) <= truth + 5)
      #expect((found.high ?? .infinity) >= truth - 5)
    }
    let mean = values.reduce(0, +) / Double(values.count)
    #expect(abs((try #require(metric.mean)) - mean) < 0.001)
  }

  @Test("percentiles of raw values equal brute force within half a bin")
  func samples() throws {
    let scene = try Scene()
    let values = (0..<400).map { Double(($0 * 7919) % 3571) + 1.5 }
    try scene.receive(
      Scene.samples("screen.load", "ms", stride(from: 0, to: 400, by: 8).map { Array(values[$0..<$0 + 8]) }))
    let metric = try #require(try scene.report().metrics.first)
    let sorted = values.sorted()
    for rank in [10, 50, 75, 90, 95, 99] {
      let truth = sorted[Int((Double(rank) / 100 * 400).rounded(.up)) - 1]
      let found = try #require(metric.percentiles[rank]?.value)
      #expect(abs(found - truth) <= truth * 0.0055, "p\(rank): \(found) for \(truth)")
    }
    #expect(metric.sum == values.reduce(0, +))
    #expect(metric.minimum == sorted.first)
    #expect(metric.maximum == sorted.last)
    #expect(!metric.isEstimated)
  }

  @Test("the report has every documented field, and null for unknown values")
  func contract() throws {
    let scene = try Scene()
    try scene.receive((0..<12).map(Self.metricKit))
    let json = try Self.parse(try scene.report(budgets: "p90 launch.first_draw <= 2 s", "sessions.crash_free >= 99.5%"))
    #expect(
      Set(json.keys) == [
        "schema", "app", "window", "slice", "digested_through", "stale_days", "judgement", "sessions", "users",
        "metrics", "exits",
        "budgets", "releases", "burn",
      ])
    #expect(json["schema"] as? Int == 1)
    #expect(json["app"] as? String == "com.example.shop")
    #expect(json["digested_through"] as? Int == 12)
    #expect(json["stale_days"] as? Int == 1)
    #expect(json["window"] as? [String: String] == ["from": "2026-10-23", "to": "2026-11-19"])
    #expect((json["slice"] as? [String: Any])?["environment"] as? String == "production")
    let sessions = try #require(json["sessions"] as? [String: Any])
    #expect(
      Set(sessions.keys) == [
        "total", "healthy", "errored", "unhandled", "abnormal", "crashed", "crash_free", "hang_free",
      ])
    let crashFree = try #require(sessions["crash_free"] as? [String: Any])
    for name in ["value", "low", "high"] { #expect(crashFree[name] is NSNull, "\(name)") }
    #expect(crashFree["n"] as? Int == 0)
    let users = try #require(json["users"] as? [String: Any])
    #expect(users["total"] is NSNull)
    #expect(users["crashed"] is NSNull)
    let judgement = try #require(json["judgement"] as? [String: Any])
    #expect(Set(judgement.keys) == ["advice", "release", "previous", "window", "slice", "budgets"])
    #expect(judgement["advice"] as? String == "wait" && judgement["previous"] is NSNull)
    #expect((judgement["release"] as? [String: Any])?["release"] as? String == "4.2.0")
    #expect((judgement["slice"] as? [String: Any])?["release"] as? String == "4.2.0 (1)")
    let budgets = try #require(judgement["budgets"] as? [[String: Any]])
    #expect(Set(budgets[0].keys) == ["title", "since", "result", "before", "device_classes", "labels", "guide"])
    #expect(budgets.count == 2 && budgets[0]["before"] is NSNull && budgets[0]["since"] is NSNull)
  }

  @Test("metrics, exits, budgets and releases have the documented fields")
  func parts() throws {
    let scene = try Scene()
    try scene.receive((0..<12).map(Self.metricKit))
    let json = try Self.parse(try scene.report(budgets: "p90 launch.first_draw <= 2 s", "sessions.crash_free >= 99.5%"))
    let metrics = try #require(json["metrics"] as? [[String: Any]])
    let launch = try #require(metrics.first { $0["name"] as? String == "launch.first_draw" })
    #expect(
      Set(launch.keys) == [
        "name", "unit", "kind", "weight", "label", "source", "n", "payloads", "n_eff", "error", "estimated", "sum",
        "min",
        "max", "mean", "value", "numerator", "denominator", "p10", "p50", "p75", "p90", "p95", "p99",
      ])
    for name in ["label", "value", "numerator", "denominator"] { #expect(launch[name] is NSNull, "\(name)") }
    #expect(Set((launch["p90"] as? [String: Any] ?? [:]).keys) == ["value", "low", "high"])
    let limits = try #require(metrics.first { $0["name"] as? String == "exits.foreground_limits" })
    // Twelve watchdog exits; 12·20 + 66 normal ones beside them.
    #expect(limits["numerator"] as? Double == 12)
    #expect(limits["denominator"] as? Double == 318.0)
    #expect(limits["payloads"] as? Int == 12)
    #expect(limits["p50"] is NSNull)
    #expect(metrics.first { $0["name"] as? String == "memory.peak" }?["weight"] as? String == "device_day")
    let exits = try #require(json["exits"] as? [String: [String: Int]])
    #expect(exits["foreground"]?.count == 12)
    #expect(exits["foreground"]?["watchdog"] == 12)
    #expect(exits["foreground"]?["bad_access"] == 0)
    #expect(exits["background"]?["memory_pressure"] == 24)
    let budgets = try #require(json["budgets"] as? [[String: Any]])
    #expect(
      Set(budgets[0].keys).isSuperset(of: [
        "budget", "metric", "verdict", "value", "low", "high", "n", "target", "slice", "reason", "needed", "basis",
        "confidence",
      ]))
    #expect(budgets[0]["budget"] as? String == "p90 launch.first_draw <= 2 s")
    #expect(budgets[0]["target"] as? Double == 2000)
    #expect(budgets[1]["verdict"] as? String == "not_enough_data")
    #expect(budgets[1]["value"] is NSNull)
    let releases = try #require(json["releases"] as? [[String: Any]])
    #expect(Set(releases[0].keys).isSuperset(of: ["release", "build", "sessions", "adoption", "first_seen"]))
    #expect(releases[0]["adoption"] as? Double == 1)
    #expect(releases[0]["first_seen"] as? String == "2026-11-19")
  }

  @Test("a budget's value is between its bounds")
  func bounds() throws {
    let scene = try Scene()
    try scene.receive(Scene.samples("screen.load", "ms", (0..<60).map { [Double($0 * 31 % 900) + 100] }))
    let json = try Self.parse(try scene.report(budgets: "p90 screen.load <= 2 s"))
    let budget = try #require((json["budgets"] as? [[String: Any]])?.first)
    let low = try #require(budget["low"] as? Double)
    let value = try #require(budget["value"] as? Double)
    let high = try #require(budget["high"] as? Double)
    #expect(low < value && value < high, "\(low) \(value) \(high)")
  }

  private static func status(_ user: Int, _ day: Int) -> String { user < 3 && day == 17 ? "crashed" : "ok" }

  @Test("users are counted once over the days, and are unknown if clients send none")
  func users() throws {
    let scene = try Scene()
    try scene.receive(
      (0..<30).flatMap { user in
        (15..<20).map { day in
          Scene.native(
            installation: "u\(user)",
            #""sessions": [{"id": "\#(user)-\#(day)", "started": "2026-11-\#(day)T10:00:00Z", "status": "\#(Self.status(user, day))"}]"#
          )
        }
      })
    let report = try scene.report()
    #expect(report.users.total == 30)
    #expect(report.users.crashed == 3)
    #expect(report.users.crashFree.estimate.value == 0.9)
    #expect(report.users.crashFreeDaily.n == 150)
    #expect(report.users.crashFreeDaily.estimate.value == 0.98)
    #expect(report.sessions.crashFree.basis == .clusters)
  }

  @Test("user-days are counted, even on a day with more users than a set keeps exactly")
  func manyUsers() throws {
    let scene = try Scene()
    // From 2,049 on a set of users is an estimate: of these 2,100 it says 2,082.
    try scene.receive(
      (0..<2_100).map { user in
        Scene.native(
          installation: "u11-\(user)",
          #""sessions": [{"id": "\#(user)", "started": "2026-11-18T10:00:00Z", "status": "ok"}]"#)
      })
    #expect(try scene.report().users.crashFreeDaily.n == 2_100)
  }

  @Test("counts of a hostile client up to the largest integer end no process")
  func saturated() throws {
    let scene = try Scene()
    let exit = #"{"metric": "exits.foreground.watchdog", "value": 1e15, "unit": "count", "at": "2026-11-20T10:00:00Z"}"#
    let exits = [String](repeating: exit, count: 10_000).joined(separator: ",")
    try scene.receive([Scene.native("\"counters\": [\(exits)]")])
    var histogram = Histogram(scheme: .logarithmic)
    var cluster = ClusterSum()
    histogram.insertSpan(low: 1, high: 2, count: .max, stepsPerUnit: 1000, into: &cluster)
    histogram.close(cluster)
    let key = CellKey(
      app: 1, source: .native, environment: "production", release: Release(version: "1"), os: "iOS 18",
      model: "iPhone15,2")
    let series = [SeriesDelta(metric: .known(205), label: "", aggregate: .distribution(histogram))]
    let cells = (0..<3).map { day in
      CellDelta(key: key, bin: TimeBin(Scene.today - day), series: series, received: Scene.now)
    }
    let node = NodeID("00000000000000bb")
    try scene.store.apply(DigestedBatch(node: node, from: 1, through: 1, cells: cells))
    let report = try scene.report(budgets: "exits.foreground_limits <= 0.1 %")
    #expect((report.exits.foreground?[.watchdog] ?? 0) > 1_000_000_000_000_000)
    _ = report.json()
  }
}
