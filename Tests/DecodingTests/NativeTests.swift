import Testing

@testable import Core
@testable import Ingest

private func at(_ iso: String) -> Timestamp? { Timestamp(iso: iso) }
private let ten = Timestamp(milliseconds: 1_795_168_800_000)  // 2026-11-20T10:00:00Z

@Test("every array of a native document is read")
func nativeArrays() throws {
  let report = try #require(try decode(nativeDocument).first)
  #expect(report.source == .native && report.environment == "staging" && report.bundleID == "com.example.shop")
  #expect(report.release == Release(version: "4.2.0", build: "1234"))
  #expect(report.device.system == OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236"))
  let expected: [(String, String, Timestamp, Measurement.Value)] = [
    ("screen.load", "CartView", Timestamp(milliseconds: 1_795_168_860_000), .samples([420])),
    ("swiftui.body", "", receiptTime, .samples([500])), ("memory.screen", "", receiptTime, .samples([3_145_728])),
    ("search.results", "", receiptTime, .samples([17])),
    (
      "hang.duration", "", ten,
      .spans([
        Span(low: 0, high: 250, count: 3), Span(low: 500, high: 1000, count: 1),
        Span(low: 1000, high: .infinity, count: 2),
      ])
    ),
    ("time.foreground", "", ten, .counter(120)),
  ]
  #expect(report.measurements.count == expected.count)
  for (reading, (name, label, time, value)) in zip(report.measurements, expected) {
    #expect(reading.metric.name == name && reading.label == label && reading.time == .instant(time), "\(name)")
    #expect(reading.value == value, "\(name)")
  }
  #expect(report.measurements[3].metric == .custom(name: "search.results", unit: .count, kind: .distribution))
}

@Test("a document states the first run of its release, as a time, the flag alone, or not at all")
func nativeFirstRun() throws {
  func run(_ members: String) throws -> FirstRun? {
    try decode(#"{"app": {"version": "4.2.0"\#(members)}, "counters": []}"#).first?.firstRun
  }
  #expect(try run("") == nil)
  #expect(try run(#", "first_run": null, "in_first_run": null"#) == nil)
  #expect(try run(#", "first_run": "2026-11-20T10:00:00Z""#) == FirstRun(at: ten, isCurrent: false))
  #expect(try run(#", "first_run": 1795168800, "in_first_run": true"#) == FirstRun(at: ten, isCurrent: true))
  #expect(try run(#", "in_first_run": true"#) == FirstRun(at: receiptTime, isCurrent: true))
  #expect(try run(#", "in_first_run": false"#) == nil)
  #expect(try run(#", "first_run": "2046-11-20T10:00:00Z""#)?.time == receiptTime)
  for members in [#", "first_run": "soon""#, #", "first_run": {}"#, #", "in_first_run": 1"#] {
    #expect(throws: (any Error).self) { try run(members) }
  }
}

@Test("sessions have their outcome, order and user, and a crash marks its own session")
func nativeSessions() throws {
  let report = try #require(try decode(nativeDocument).first)
  #expect(
    report.sessions == [
      SessionUpdate(id: "s1", outcome: .healthy, started: ten, sequence: 3, user: "install-1", duration: 312.5),
      SessionUpdate(id: "s2", outcome: .errored, started: ten, user: "install-1"),
      SessionUpdate(
        id: "s3", outcome: .abnormal, started: Timestamp(milliseconds: ten.milliseconds + 123), user: "install-1"),
      SessionUpdate(
        id: "s1", outcome: .crashed, started: ten, updated: Timestamp(milliseconds: ten.milliseconds + 300_000),
        user: "install-1"),
    ])
}

@Test(
  "each status of a native session has its outcome",
  arguments: [
    ("ok", SessionOutcome.healthy), ("exited", .healthy), ("errored", .errored), ("unhandled", .unhandled),
    ("abnormal", .abnormal), ("crashed", .crashed),
  ])
func statuses(status: String, outcome: SessionOutcome) throws {
  let report = try decode(#"{"sessions": [{"id": "a", "status": "\#(status)"}]}"#).first
  #expect(report?.sessions.map(\.outcome) == [outcome])
  #expect(report?.sessions.map(\.started) == [receiptTime])
}

@Test("times more than a day later than the receipt become the receipt's time")
func futureTimes() throws {
  let text = #"""
    {"counters": [{"metric": "a", "value": 1, "at": "2026-11-22T09:59:59Z"},
      {"metric": "a", "value": 1, "at": "2026-11-22T10:00:01Z"}, {"metric": "a", "value": 1, "at": 4000000000}]}
    """#
  let times = try decode(text).first?.measurements.map(\.time)
  #expect(
    times == [.instant(Timestamp(milliseconds: 1_795_341_599_000)), .instant(receiptTime), .instant(receiptTime)])
}

@Test("invalid samples are rejected and counted, and the rest is kept")
func nativeRejections() throws {
  let text = #"""
    {"measurements": [{"metric": "a", "value": -1}, {"metric": "a", "value": null}, {"metric": "a", "value": 1e300},
       {"metric": "a", "value": 0}],
     "counters": [{"metric": "b", "value": -0.5}],
     "histograms": [{"metric": "c", "bounds": [1, 2], "counts": [-1, -2, 7]}],
     "sessions": [{"id": "s", "status": "ok", "duration": -3}]}
    """#
  let report = try #require(try decode(text).first)
  #expect(report.rejectedSamples == 7)
  #expect(report.values("a") == [.samples([0])])
  #expect(report.values("c") == [.spans([Span(low: 2, high: .infinity, count: 7)])])
  #expect(report.sessions.map(\.duration) == [nil])
}

@Test("a long label is cut between two scalars")
func longLabels() throws {
  let label = String(repeating: "a", count: 199) + "é" + "tail"
  let text = #"{"measurements": [{"metric": "screen.load", "value": 1, "label": "\#(label)"}]}"#
  #expect(try decode(text).first?.measurements.first?.label == String(repeating: "a", count: 199))
}

@Test("an equal session without an id is the same one, and a different one is another")
func sessionsWithoutID() throws {
  func id(_ status: String) throws -> String? {
    let item = #"{"started": "2026-11-20T10:00:00Z", "status": "\#(status)", "duration": 5}"#
    return try decode(#"{"installation": "i", "sessions": [\#(item)]}"#).first?.sessions.first?.id
  }
  #expect(try id("ok") == id("ok"))
  #expect(try id("ok") != id("errored"))
}

@Test("sessions without an id that differ only in their number are two")
func numberedSessionsWithoutID() throws {
  let items = [1, 2].map { #"{"started": "2026-11-20T10:00:00Z", "status": "ok", "seq": \#($0)}"# }
  let report = try #require(try decode(#"{"installation": "i", "sessions": [\#(items.joined(separator: ","))]}"#).first)
  #expect(Set(report.sessions.map(\.id)).count == 2)
}

@Test("a crash finds its session, wherever the document lists it")
func crashesBeforeSessions() throws {
  let text = #"""
    {"crashes": [{"session": "s", "at": "2026-11-20T10:05:00Z"}, {"session": "other", "at": "2026-11-20T10:05:00Z"}],
     "sessions": [{"id": "s", "status": "ok", "started": "2026-11-20T10:00:00Z"}]}
    """#
  let crashed = try decode(text).first?.sessions.filter { $0.outcome == .crashed }
  #expect(crashed?.map(\.id) == ["s", "other"])
  #expect(crashed?.map(\.started) == [ten, Timestamp(milliseconds: ten.milliseconds + 300_000)])
}
