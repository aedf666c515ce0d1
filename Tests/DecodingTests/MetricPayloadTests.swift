import Testing
import TestSupport

@testable import Core
@testable import Ingest

private func day(_ iso: String) -> MeasurementTime? { CalendarDay(iso: iso).map { .day($0) } }

/// A payload with one section, from a day before the receipt.
private func payload(_ section: String, begin: String = #""2026-11-18 00:00:00""#) -> String {
  #"{"timeStampBegin": \#(begin), \#(section)}"#
}

@Test("a payload with every section gives each of the catalogue's metrics its number")
func completeSections() throws {
  let report = try #require(try decode(completePayload).first)
  var expected: [String: Measurement.Value] = [
    "launch.first_draw": .spans([
      Span(low: 820, high: 830, count: 3), Span(low: 830, high: 839, count: 4), Span(low: 1530, high: 1539, count: 1),
    ]),
    "launch.first_draw_prewarmed": .spans([Span(low: 410, high: 419, count: 5)]),
    "launch.resume": .spans([Span(low: 1_190_070, high: 1_190_079, count: 1)]),
    "launch.extended": .spans([Span(low: 2000, high: 2010, count: 2)]),
    "hang.duration": .spans([Span(low: 300, high: 399, count: 6), Span(low: 9000, high: .infinity, count: 1)]),
    "memory.peak": .samples([1_106_818_000]), "memory.suspended": .samples([64_000_000]),
    "cpu.time": .counter(271), "cpu.instructions": .counter(3_990_413_161_000), "gpu.time": .counter(20),
    "disk.writes": .samples([1_300_000]), "disk.space_used": .samples([600_000]), "disk.files": .samples([512]),
    "network.wifi_up": .counter(1000), "network.wifi_down": .counter(2000), "network.cellular_up": .counter(3000),
    "network.cellular_down": .counter(4000), "display.luminance": .samples([50]),
    "cellular.bars": .spans([Span(low: 1, high: 1, count: 20), Span(low: 2, high: 2, count: 80)]),
    "time.foreground": .counter(6879), "time.background": .counter(412), "time.background_audio": .counter(31),
    "time.background_location": .counter(32), "location.best_navigation": .counter(41),
    "location.best": .counter(42), "location.10m": .counter(43), "location.100m": .counter(44),
    "location.1km": .counter(45), "location.3km": .counter(46), "ui.scroll_hitch_ratio": .samples([7]),
    "ui.hitch_ratio": .samples([1.5]),
    "signpost.Checkout.Load Cart_": .spans([Span(low: 100, high: 200, count: 30)]),
    "signpost.Checkout.Load Cart_.cpu": .counter(30.53),
    "signpost.Checkout.Load Cart_.memory": .samples([100_000_000]),
    "signpost.Checkout.Load Cart_.writes": .counter(600_000),
    "signpost.Checkout.Load Cart_.hitch_ratio": .samples([50]), "signpost.Checkout.Tapped.count": .counter(9),
  ]
  let exits = [
    "normal", "memory_limit", "cpu_limit", "bad_access", "abnormal", "illegal_instruction", "watchdog",
    "memory_pressure", "suspended_with_locked_file", "background_task_timeout", "background_url_session_timeout",
    "background_fetch_timeout",
  ]
  for (index, exit) in exits.enumerated() {
    if index < 7 { expected["exits.foreground.\(exit)"] = .counter(Double(11 + index)) }
    expected["exits.background.\(exit)"] = .counter(Double(21 + index))
  }
  #expect(report.measurements.count == expected.count)
  for (name, value) in expected { #expect(report.values(name) == [value], "\(name)") }
  #expect(report.measurements.allSatisfy { $0.time == day("2026-11-18") && $0.label.isEmpty })
  #expect(report.rejectedSamples == 0 && report.unknownUnits == 0)
}

@Test("every catalogue metric with a key in MetricKit's older payloads is decoded")
func catalogueIsCovered() throws {
  let report = try #require(try decode(completePayload).first)
  let found = Set(report.measurements.map(\.metric.name))
  for metric in Catalogue.metrics where metric.kind == .counter || metric.kind == .distribution {
    guard metric.metricKit != nil else { continue }
    // Frame rates come with iOS 27 only, and five kinds of exit happen in the background only.
    let isElsewhere = metric.name == "ui.frame_rate" || completePayloadLacks.contains(metric.name)
    #expect(found.contains(metric.name) != isElsewhere, "\(metric.name)")
  }
}

private let completePayloadLacks: Set = [
  "exits.foreground.memory_pressure", "exits.foreground.suspended_with_locked_file",
  "exits.foreground.background_task_timeout", "exits.foreground.background_url_session_timeout",
  "exits.foreground.background_fetch_timeout",
]

@Test("a metric payload has its release, device and environment")
func header() throws {
  let report = try #require(try decode(completePayload).first)
  #expect(report.source == .metricKit && report.environment == "production" && !report.isMixedRelease)
  #expect(report.bundleID == "com.example.shop")
  #expect(report.release == Release(version: "4.2.0", build: "1234"))
  let system = OperatingSystem(name: "iOS", version: "18.6.2", build: "22G100")
  #expect(report.device == Device(model: "iPhone15,2", system: system))
}

@Test("a quiet day of a Chinese device gives its values, and zero normal exits")
func sparse() throws {
  let report = try #require(try decode(sparsePayload).first)
  let expected: [String: Measurement.Value] = [
    "exits.background.memory_pressure": .counter(13), "exits.background.normal": .counter(0),
    "exits.foreground.normal": .counter(0), "launch.resume": .spans([Span(low: 1530, high: 1539, count: 2)]),
    "memory.peak": .samples([1_106_818_000]),
  ]
  #expect(report.measurements.count == expected.count)
  for (name, value) in expected { #expect(report.values(name) == [value], "\(name)") }
  // Midnight in China is 16:00 UTC the day before.
  #expect(report.measurements.allSatisfy { $0.time == day("2020-10-24") })
  #expect(report.unknownUnits == 0 && report.environment == "production")
}

@Test(
  "the day of a metric payload is the device's own",
  arguments: [
    (#""2026-11-18 00:00:00""#, "2026-11-18"), (#""2026-11-18""#, "2026-11-18"),
    // Midnight in Auckland, Berlin, London, New York, Honolulu.
    (#""2026-11-17 11:00:00 +0000""#, "2026-11-18"),
    (#""2026-11-17 23:00:00 +0000""#, "2026-11-18"), (#""2026-11-18 00:00:00 +0000""#, "2026-11-18"),
    (#""2026-11-18 05:00:00 +0000""#, "2026-11-18"), (#""2026-11-18 10:00:00 +0000""#, "2026-11-18"),
    (#""2026-11-18T10:00:00Z""#, "2026-11-18"), (#""2026-11-17T23:00:00.000-00:00""#, "2026-11-18"),
    (#""2026-11-18T00:00:00+05:30""#, "2026-11-18"), (#""2026-11-18T00:00:00""#, "2026-11-18"),
    // 2026-11-17T23:00:00Z in seconds, milliseconds, nanoseconds, and seconds since 2001.
    ("1794956400", "2026-11-18"), ("1794956400000", "2026-11-18"), ("1794956400000000000", "2026-11-18"),
    ("816649200.0", "2026-11-18"),
  ])
func days(begin: String, expected: String) throws {
  let text = payload(#""gpuMetrics": {"cumulativeGPUTime": "20 sec"}"#, begin: begin)
  let report = try #require(try decode(text).first)
  #expect(report.measurements.map(\.time) == [day(expected)])
}

@Test("a day later than the receipt becomes the receipt's day in the app's time zone")
func futureDays() throws {
  func decodedDay(_ begin: String, zone: Int) throws -> MeasurementTime? {
    let text = payload(#""gpuMetrics": {"cumulativeGPUTime": "20 sec"}"#, begin: #""\#(begin) 00:00:00""#)
    return try decode(text, zone: zone).first?.measurements.first?.time
  }
  // Received on the 21st at 10:00 UTC: in Kiritimati it is the 22nd already.
  #expect(try decodedDay("2026-11-22", zone: 0) == day("2026-11-22"))
  #expect(try decodedDay("2026-11-23", zone: 0) == day("2026-11-21"))
  #expect(try decodedDay("2031-01-01", zone: -11 * 3600) == day("2026-11-20"))
}

@Test("a payload without times counts for the day of its receipt, with a warning")
func noTimes() throws {
  let report = try #require(try decode(#"{"gpuMetrics": {"cumulativeGPUTime": "20 sec"}}"#).first)
  #expect(report.measurements.map(\.time) == [day("2026-11-21")])
  #expect(report.assumedTimes == 1)
  let ended = try decode(
    #"{"gpuMetrics": {"cumulativeGPUTime": "20 sec"}, "timeStampEnd": "2026-11-18 22:59:00 +0000"}"#)
  #expect(ended.first?.measurements.first?.time == day("2026-11-18"))
}

@Test("a payload with only a window is a report without measurements")
func nothingHappened() throws {
  let reports = try decode(#"{"timeStampBegin": "2026-11-18 00:00:00", "timeStampEnd": "2026-11-18 23:59:00"}"#)
  #expect(reports.count == 1 && reports[0].measurements.isEmpty)
}

@Test(
  "several versions in one payload are recognised by either key and any type",
  arguments: [
    (#""multipleAppVersions": "1""#, true), (#""multipleAppVersions": true"#, true),
    (#""includesMultipleApplicationVersions": 1"#, true), (#""includesMultipleApplicationVersions": false"#, false),
    (#""multipleAppVersions": "0""#, false),
  ])
func mixedReleases(member: String, isMixed: Bool) throws {
  let report = try #require(try decode(payload(#""appVersion": "2.0", \#(member)"#)).first)
  #expect(report.isMixedRelease == isMixed)
  #expect(report.release == (isMixed ? .mixed : Release(version: "2.0")))
}

@Test(
  "a payload is simulated only if it lists only Xcode's own signposts",
  arguments: [
    (["1", "2"], "simulated"), (["2"], "simulated"), ([], "testflight"), (["1", "3"], "testflight"),
  ])
func simulated(signposts: [String], environment: String) throws {
  let list = signposts.map {
    #"{"signpostName": "TestSignpostName\#($0)", "signpostCategory": "TestSignpostCategory\#($0)"}"#
  }
  let section = #""signpostMetrics": [\#(list.joined(separator: ","))], "metaData": {"isTestFlightApp": true}"#
  #expect(try decode(payload(section)).first?.environment == environment)
}

@Test("touching and separate buckets stay unchanged, and only ends before the next start are inclusive")
func bucketEnds() throws {
  // The buckets that Xcode simulates: 0–200, 201–300, 301–500, and touching ones.
  func spans(_ buckets: [(Int, Int)]) throws -> [Measurement.Value]? {
    let list = buckets.enumerated().map {
      #""\#($0)": {"bucketCount": 1, "bucketStart": "\#($1.0) ms", "bucketEnd": "\#($1.1) ms"}"#
    }
    let text = #"{"histogrammedResumeTime": {"histogramValue": {\#(list.joined(separator: ","))}}}"#
    return try decode(payload(#""applicationLaunchMetrics": \#(text)"#)).first?.values("launch.resume")
  }
  func span(_ low: Double, _ high: Double) -> Span { Span(low: low, high: high, count: 1) }
  #expect(try spans([(201, 300), (0, 200), (301, 500)]) == [.spans([span(0, 201), span(201, 301), span(301, 500)])])
  #expect(try spans([(0, 100), (100, 400), (400, 700)]) == [.spans([span(0, 100), span(100, 400), span(400, 700)])])
  #expect(try spans([(5, 5), (6, 6)]) == [.spans([span(5, 5), span(6, 6)])])
}

@Test("invalid values are rejected and counted, and the rest is kept")
func rejectedSamples() throws {
  let text = payload(
    #"""
    "memoryMetrics": {"peakMemoryUsage": "-5 kB"}, "gpuMetrics": {"cumulativeGPUTime": "unknown"},
    "cpuMetrics": {"cumulativeCPUTime": "7 sec", "cumulativeCPUInstructions": "9999999999999999999 kiloinstructions"},
    "applicationExitMetrics": {"foregroundExitData": {"cumulativeBadAccessExitCount": -1}},
    "applicationLaunchMetrics": {"histogrammedResumeTime": {"histogramValue": {
      "0": {"bucketCount": -2, "bucketStart": "1 ms", "bucketEnd": "2 ms"},
      "1": {"bucketCount": 2.5, "bucketStart": "1 ms", "bucketEnd": "2 ms"},
      "2": {"bucketCount": 2, "bucketStart": "9 ms", "bucketEnd": "3 ms"},
      "3": {"bucketCount": 1, "bucketStart": "4 ms", "bucketEnd": "5 ms"},
      "4": {"bucketCount": 0, "bucketStart": "6 ms", "bucketEnd": "7 ms"}}}}
    """#)
  let report = try #require(try decode(text).first)
  #expect(report.rejectedSamples == 7)
  #expect(report.values("cpu.time") == [.counter(7)])
  #expect(report.values("launch.resume") == [.spans([Span(low: 4, high: 5, count: 1)])])
  #expect(report.values("exits.foreground.normal") == [.counter(0)])
  #expect(report.values("exits.background.normal") == [.counter(0)])
  #expect(report.measurements.count == 4)
}

@Test("an unknown unit counts as the unit that Apple writes, with a warning")
func unknownUnits() throws {
  let text = payload(
    #""memoryMetrics": {"peakMemoryUsage": "2,000 qubits"}, "gpuMetrics": {"cumulativeGPUTime": 20}"#)
  let report = try #require(try decode(text).first)
  #expect(report.values("memory.peak") == [.samples([2_000_000])])
  #expect(report.values("gpu.time") == [.counter(20)])
  #expect(report.unknownUnits == 2)
}

@Test(
  "OS versions are read in MetricKit's notation",
  arguments: [
    ("iPhone OS 14.0.1 (18A393)", OperatingSystem(name: "iOS", version: "14.0.1", build: "18A393")),
    ("macOS 13.0 (22A5358e)", OperatingSystem(name: "macOS", version: "13.0", build: "22A5358e")),
    ("iOS 17.4.1", OperatingSystem(name: "iOS", version: "17.4.1")),
    ("visionOS  2.0  (22N320)", OperatingSystem(name: "visionOS", version: "2.0", build: "22N320")),
    ("Linux", OperatingSystem(name: "Linux", version: "")), ("", OperatingSystem(name: "", version: "")),
    ("(x)", OperatingSystem(name: "(x)", version: "")), ("17.0", OperatingSystem(name: "17.0", version: "")),
  ])
func operatingSystems(text: String, expected: OperatingSystem) throws {
  let report = try decode(payload(#""metaData": {"osVersion": "\#(text)"}"#)).first
  #expect(report?.device.system == expected)
}
