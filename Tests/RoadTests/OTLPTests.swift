import Foundation
import Testing
import TestSupport

/// A Python with the client libraries, made by `make clients`; nil where it was not.
private let python = Program.python(with: "opentelemetry.exporter.otlp.proto.http")

@Suite("OTLP over HTTP")
struct OTLPTests {
  @Test(
    "the report has exactly what OpenTelemetry's SDK recorded",
    .enabled(if: python != nil, "needs python3 with OpenTelemetry's SDK: run `make clients`"),
    arguments: ["delta", "cumulative"], ["explicit", "exponential"])
  func sdk(temporality: String, shape: String) throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = try stage.run(
      program: try #require(python),
      [RealClients.script("otlp_metrics.py"), "http://127.0.0.1:\(server.port)", key, temporality, shape], limit: 600)
    try #require(client.succeeded, "\(client.errors)")
    #expect(!client.errors.contains("rejected"), "\(client.errors)")
    let truth = try JSON(client.output)
    let count = truth["launch.first_draw"]["n"].integer
    let report = try stage.report { $0.metric("launch.first_draw")["n"].integer == count }
    #expect(report.metric("time.foreground")["value"]["value"].number == truth["time.foreground"].number)
    for name in ["launch.first_draw", "screen.load"] {
      try compare(report.metric(name), truth[name], "\(name) \(temporality) \(shape)")
    }
    let slice = try stage.report("--release", "4.2.0", "--os", "iOS 17.4.1", "--device", "iPhone15,2")
    #expect(slice.metric("launch.first_draw")["n"].integer == count)
  }

  /// Count and ends exactly, the sum to the resolution it is kept in, percentiles within the bucket they fall in: the
  /// report's error is half its width.
  private func compare(_ found: JSON, _ truth: JSON, _ name: Comment) throws {
    #expect(found["source"].text == "OTLP", name)
    #expect(found["n"].integer == truth["n"].integer, name)
    for (key, resolution) in [("sum", 0.02), ("min", 0.001), ("max", 0.001)] {
      let (value, expected) = (try #require(found[key].number, name), try #require(truth[key].number))
      #expect(abs(value - expected) <= resolution + expected * 1e-6, "\(name) \(key): \(value), not \(expected)")
    }
    for percentile in ["p50", "p90", "p95", "p99"] {
      let answer = found[percentile]
      let value = try #require(answer["value"].number, name)
      let expected = try #require(truth[percentile].number)
      let error = max(0.0055, answer["error"].number ?? found["error"].number ?? 0)
      #expect(abs(value - expected) <= 2 * error * value + 0.001, "\(name) \(percentile): \(value), not \(expected)")
    }
  }

  private static let point =
    "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"launch.resume\",\"unit\":\"ms\",\"gauge\":"
    + "{\"dataPoints\":[{\"asDouble\":VALUE,\"timeUnixNano\":\"1795168950000000000\"}]}}]}]}]}"

  @Test("OTLP answers use the client's encoding")
  func answers() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let own = [("Authorization", "Bearer \(key)")]
    func post(_ body: [UInt8], _ type: String, _ headers: [(String, String)]? = nil, to path: String = "/v1/metrics")
      -> HTTPClient.Answer?
    {
      server.connect().post(body, (headers ?? own) + [("Content-Type", type)], target: path)
    }
    let good = Array(Self.point.replacing("VALUE", with: "5").utf8)
    let kept = post(good, "application/json; charset=utf-8")
    #expect(kept?.status == 200 && kept?.text == "{}" && kept?.header("Content-Type") == "application/json")
    let partial = post(Array(Self.point.replacing("VALUE", with: "-5").utf8), "application/json")
    let said = try JSON(partial?.text ?? "")
    #expect(partial?.status == 200 && said["partialSuccess"]["rejectedDataPoints"].text == "1")
    #expect(said["partialSuccess"]["errorMessage"].text?.contains("launch.resume") == true)
    let empty = post([], "application/x-protobuf")
    #expect(empty?.status == 200 && empty?.body == [] && empty?.header("Content-Type") == "application/x-protobuf")
    let broken = post(Array("{".utf8), "application/json")
    #expect(try broken?.status == 400 && JSON(broken?.text ?? "")["code"].integer == 3)
    // Field 1 of a Status is its code, a varint; field 2 its message.
    let wrong = post(Array("what".utf8), "application/x-protobuf")
    #expect(wrong?.status == 400 && wrong?.body.prefix(3) == [0x08, 3, 0x12])
    #expect(wrong?.header("Content-Type") == "application/x-protobuf")
    let nobody = post(good, "application/json", [("Authorization", "Bearer none")])
    #expect(try nobody?.status == 401 && JSON(nobody?.text ?? "")["code"].integer == 16)
    #expect(post(good, "text/plain")?.status == 415)
    #expect(post([], "application/x-protobuf", to: "/v1/logs")?.status == 200)
    let coding = post(good, "application/json", own + [("Content-Encoding", "lzma")])
    #expect(try coding?.status == 415 && JSON(coding?.text ?? "")["message"].text?.contains("lzma") == true)
    let large = server.connect().send(
      "POST", "/v1/metrics", own + [("Content-Type", "application/json"), ("Content-Length", "99999999")])
    #expect(try large?.status == 413 && JSON(large?.text ?? "")["code"].integer == 8)
  }

  @Test("an OTLP request that is repeated with its key counts once and succeeds")
  func again() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let headers = [("X-Plumb-Key", key), ("Idempotency-Key", "k1"), ("Content-Type", "application/json")]
    let body = Array(Self.point.replacing("VALUE", with: "5").utf8)
    for _ in 0..<2 {
      let answer = server.connect().post(body, headers, target: "/v1/metrics?key=\(key)")
      #expect(answer?.status == 200 && answer?.text == "{}")
    }
    let report = try stage.report { $0.metric("launch.resume")["n"].integer == 1 }
    #expect(report.metric("launch.resume")["n"].integer == 1)
  }

  @Test(
    "the span of a MetricKit payload is stored, and the app's own spans are answered with their number",
    .enabled(if: python != nil, "needs python3 with OpenTelemetry's SDK: run `make clients`"))
  func traces() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let url = "http://127.0.0.1:\(server.port)"
    let sent = try stage.run(program: try #require(python), [RealClients.script("otlp_traces.py"), url, key])
    try #require(sent.succeeded, "\(sent.errors)")
    let report = try stage.report { $0.metric("memory.peak")["n"].integer == 20 }
    #expect(report.metric("memory.peak")["n"].integer == 20 && report.metric("memory.peak")["source"].text == "OTLP")
    #expect(report.metric("memory.peak")["max"].number == 119e6)
    #expect(report.metric("exits.foreground_limits")["value"]["value"].number == 0.1)
    #expect(report.metric("launch.first_draw")["n"].integer == nil, "an average is in no distribution of launches")
    #expect(report.metric("metrickit.app_launch.time_to_first_draw_average")["unit"].text == "s")
    let slice = try stage.report("--release", "4.2.0 (1234)", "--os", "iOS 17.4.1", "--device", "iPhone15,2")
    #expect(slice.metric("memory.peak")["n"].integer == 20)
    let body = #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"},{"name":"b"}]}]}]}"#
    let answer = server.connect().post(
      Array(body.utf8), [("X-Plumb-Key", key), ("Content-Type", "application/json")], target: "/v1/traces")
    #expect(answer?.status == 200)
    #expect(try JSON(answer?.text ?? "")["partialSuccess"]["rejectedSpans"].text == "2")
    #expect(server.stop() == .exit(0))
    #expect(try tallies(of: stage)["rejectedPart OTLP span"] == 5)
  }

  @Test("a session and a crash log that names it give the crash-free rate")
  func logs() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    func record(_ name: String, _ session: String, _ more: String = "") -> String {
      "{\"timeUnixNano\":\"1795168950000000000\",\"eventName\":\"\(name)\",\"attributes\":[{\"key\":\"session.id\","
        + "\"value\":{\"stringValue\":\"\(session)\"}}\(more)]}"
    }
    let starts = (0..<4).map { record("session.start", "s\($0)") }
    let crash = record("metrickit.diagnostic.crash", "s0")
    let body =
      "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[\((starts + [crash]).joined(separator: ","))]}]}]}"
    let answer = server.connect().post(
      Array(body.utf8), [("X-Plumb-Key", key), ("Content-Type", "application/json")], target: "/v1/logs")
    #expect(answer?.status == 200 && answer?.text == "{}")
    let report = try stage.report { $0["sessions"]["total"].integer == 4 }
    #expect(report["sessions"]["total"].integer == 4 && report["sessions"]["crashed"].integer == 1)
    #expect(report.metric("crash.count")["value"]["value"].number == 1)
  }

  @Test(
    "sessions, jank and a crash of the Swift SDK's events count once, however often they are exported",
    .enabled(if: python != nil, "needs python3 with OpenTelemetry's SDK: run `make clients`"))
  func appEvents() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let url = "http://127.0.0.1:\(server.port)"
    let sent = try stage.run(program: try #require(python), [RealClients.script("otlp_logs.py"), url, key, "3"])
    try #require(sent.succeeded && !sent.errors.contains("rejected"), "\(sent.errors)")
    let report = try stage.report { $0["sessions"]["crashed"].integer == 1 }
    #expect(report["sessions"]["total"].integer == 4 && report["sessions"]["crashed"].integer == 1)
    #expect(report.metric("crash.count")["value"]["value"].number == 1)
    #expect(report.metric("app.jank.frame_count")["value"]["value"].number == 20)
    #expect(report.metric("app.jank.period")["value"]["value"].number == 8)
    let slice = try stage.report("--release", "4.2.0 (1234)", "--os", "iOS 17.4.1", "--device", "iPhone15,2")
    #expect(slice["sessions"]["crashed"].integer == 1, "the crash counts for the release that crashed")
    #expect(server.stop() == .exit(0))
    #expect(try tallies(of: stage)["skipped app.screen.click"] == 12)
  }
}
