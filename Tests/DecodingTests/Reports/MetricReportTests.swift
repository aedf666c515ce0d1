import Testing

@testable import Core
@testable import Ingest

/// A day as iOS 27 reports it.
let metricReport = #"""
  { "timeRange": { "begin": 816649200.0, "end": 816735540.0 }, "version": "2.0.0",
    "environment": { "osVersion": { "platform": "iOS", "number": "27.0" }, "deviceType": "iPhone18,1" },
    "intervalEntries": [ { "states": [ ], "duration": { "value": 86400.0, "unit": "s" }, "values": [
      { "cpuTimeMetric": { "value": { "value": 42.0, "unit": "s" } } },
      { "hangTimeMetric": { "histogram": { "buckets": [ { "lowerBound": { "value": 0.25, "unit": "s" },
        "upperBound": { "value": 1.0, "unit": { "symbol": "s" } }, "count": 5 } ] } } },
      { "suspendedMemoryMetric": { "value": { "average": { "value": 3, "unit": "MB" }, "count": 4 } } },
      { "foregroundTerminationMetric": { "watchdog": 2, "novel": 4 } },
      { "metalFrameRateMetric": { "framesPerSecond": { "value": 59.5, "unit": "Hz" }, "layerName": "Map" } },
      { "signpostIntervalMetric": { "signpostName": "Tap", "totalCount": 4, "averageMemory": { "value": 1 } } },
      { "novelMetric": { "value": { "value": 2, "unit": "min" } } } ] } ],
    "stateEntries": [ { "state": { "domain": "com.example.feature", "label": "premium" }, "values": [
      { "cpuTimeMetric": { "value": { "value": 5.0, "unit": "s" } } } ] } ] }
  """#

private func report(_ values: [String], begin: String = "\"2026-11-17T23:00:00Z\"", _ more: String = "") throws
  -> Report
{
  let end = #""2026-11-18T22:59:00Z""#
  let text =
    #"{"timeRange": {"begin": \#(begin), "end": \#(end)}, "intervalEntries": [{"states": [], "duration": {"value": 86400, "unit": "s"}, "values": [\#(values.joined(separator: ", "))]}]\#(more)}"#
  let reports = try decode(text)
  #expect(reports.count == 1)
  return try #require(reports.first)
}

private func buckets(_ list: [(Double, Double, Int)], _ unit: String) -> String {
  let items = list.map {
    #"{"lowerBound": {"value": \#($0), "unit": "\#(unit)"}, "upperBound": {"value": \#($1), "unit": "\#(unit)"}, "count": \#($2)}"#
  }
  return #"{"histogram": {"buckets": [\#(items.joined(separator: ", "))]}}"#
}

@Test(
  "each metric of a MetricReport is a catalogue metric in its unit",
  arguments: [
    (
      #"{"timeToFirstDrawMetric": H}"#, "launch.first_draw",
      Measurement.Value.spans([Span(low: 500, high: 1000, count: 5)])
    ),
    (
      #"{"optimizedTimeToFirstDrawMetric": H}"#, "launch.first_draw_prewarmed",
      .spans([Span(low: 500, high: 1000, count: 5)])
    ),
    (#"{"applicationResumeTimeMetric": H}"#, "launch.resume", .spans([Span(low: 500, high: 1000, count: 5)])),
    (#"{"extendedLaunchMetric": H}"#, "launch.extended", .spans([Span(low: 500, high: 1000, count: 5)])),
    (#"{"hangTimeMetric": H}"#, "hang.duration", .spans([Span(low: 500, high: 1000, count: 5)])),
    (#"{"hitchTimeMetric": {"ratio": {"value": 7, "unit": "ms per s"}}}"#, "ui.hitch_ratio", .samples([7])),
    (#"{"scrollHitchTimeMetric": {"ratio": {"value": 0.007, "unit": ""}}}"#, "ui.scroll_hitch_ratio", .samples([7])),
    (#"{"cpuTimeMetric": {"value": {"value": 42, "unit": "s"}}}"#, "cpu.time", .counter(42)),
    (#"{"CPUTimeMetric": {"value": 42000, "unit": "ms"}}"#, "cpu.time", .counter(42)),
    (
      #"{"gpuTimeMetric": {"value": {"value": 1, "unit": {"symbol": "min", "converter": {}}}}}"#, "gpu.time",
      .counter(60)
    ),
    (
      #"{"cpuInstructionsCountMetric": {"value": {"value": 5, "unit": "kiloinstructions"}}}"#, "cpu.instructions",
      .counter(5000)
    ),
    (#"{"peakMemoryMetric": {"value": {"value": 200, "unit": "MB"}}}"#, "memory.peak", .samples([200_000_000])),
    (
      #"{"suspendedMemoryMetric": {"value": {"average": {"value": 3, "unit": "MB"}, "count": 4, "standardDeviation": 1}}}"#,
      "memory.suspended", .samples([3_000_000])
    ),
    (
      #"{"pixelLuminanceMetric": {"value": {"average": {"value": 50, "unit": "apl"}, "count": 4}}}"#,
      "display.luminance", .samples([50])
    ),
    (
      #"{"metalFrameRateMetric": {"framesPerSecond": {"value": 59.5, "unit": "Hz"}, "frameCount": 9, "layerName": "Map"}}"#,
      "ui.frame_rate", .samples([59.5])
    ),
    (#"{"logicalDiskWritesMetric": {"value": {"value": 2, "unit": "kB"}}}"#, "disk.writes", .samples([2000])),
    (#"{"totalFileCountMetric": {"binaryFileCount": 3, "dataFileCount": 8}}"#, "disk.files", .samples([8])),
    (#"{"totalWiFiUploadMetric": {"value": {"value": 2, "unit": "B"}}}"#, "network.wifi_up", .counter(2)),
    (#"{"totalWiFiDownloadMetric": {"value": {"value": 2, "unit": "B"}}}"#, "network.wifi_down", .counter(2)),
    (#"{"totalCellularUploadMetric": {"value": {"value": 2, "unit": "B"}}}"#, "network.cellular_up", .counter(2)),
    (#"{"totalCellularDownloadMetric": {"value": {"value": 2, "unit": "B"}}}"#, "network.cellular_down", .counter(2)),
    (#"{"totalForegroundTimeMetric": {"value": {"value": 2, "unit": "hr"}}}"#, "time.foreground", .counter(7200)),
    (#"{"totalBackgroundTimeMetric": {"value": {"value": 2, "unit": "s"}}}"#, "time.background", .counter(2)),
    (
      #"{"totalBackgroundAudioTimeMetric": {"value": {"value": 2, "unit": "s"}}}"#, "time.background_audio", .counter(2)
    ),
    (
      #"{"totalBackgroundLocationTimeMetric": {"value": {"value": 2, "unit": "s"}}}"#, "time.background_location",
      .counter(2)
    ),
    (#"{"locationActivityTimeMetric": {"tenMeters": {"value": 2, "unit": "s"}}}"#, "location.10m", .counter(2)),
  ])
func reportMetrics(value: String, name: String, expected: Measurement.Value) throws {
  let histogram = buckets([(0.5, 1, 5), (3, 4, 0)], "s")
  let found = try report([value.replacing("H}", with: "\(histogram)}")])
  try #require(found.measurements.count == 1)
  #expect(found.values(name) == [expected])
  #expect(found.measurements[0].time == CalendarDay(iso: "2026-11-18").map { .day($0) })
  #expect(found.unknownUnits == 0 && found.rejectedSamples == 0 && found.source == .metricKit)
  #expect(MetricReference(name: name, unit: .count, kind: .counter) == found.measurements[0].metric)
}

@Test("cellular bars, frames by layer and open-ended hangs of a MetricReport are read")
func reportHistograms() throws {
  let bars = try report([#"{"cellularConditionTimeMetric": \#(buckets([(1, 1, 20), (4, 4, 80)], "bars"))}"#])
  #expect(
    bars.values("cellular.bars") == [.spans([Span(low: 1, high: 1, count: 20), Span(low: 4, high: 4, count: 80)])])
  let hangs = try report([#"{"hangTimeMetric": \#(buckets([(9, 10, 1), (0.25, 0.5, 2)], "s"))}"#])
  #expect(
    hangs.values("hang.duration") == [
      .spans([Span(low: 250, high: 500, count: 2), Span(low: 9000, high: .infinity, count: 1)])
    ])
  let layer = try report([
    #"{"metalFrameRateMetric": {"framesPerSecond": {"value": 60, "unit": "Hz"}, "layerName": "Map"}}"#
  ])
  #expect(layer.measurements.map(\.label) == ["Map"])
}

@Test("terminations are counted by reason, and normal ones are zero if absent")
func reportTerminations() throws {
  let found = try report([
    #"{"foregroundTerminationMetric": {"watchdog": 2, "memoryResourceLimit": 1, "badAccess": 3, "novel": 4}}"#,
    #"{"backgroundTerminationMetric": {"normal": 5, "memoryPressure": 6, "fileLock": 7, "taskTimeout": 8}}"#,
  ])
  let expected: [String: Double] = [
    "exits.foreground.watchdog": 2, "exits.foreground.memory_limit": 1, "exits.foreground.bad_access": 3,
    "exits.foreground.novel": 4, "exits.foreground.normal": 0, "exits.background.normal": 5,
    "exits.background.memory_pressure": 6, "exits.background.suspended_with_locked_file": 7,
    "exits.background.background_task_timeout": 8,
  ]
  #expect(found.measurements.count == expected.count)
  for (name, count) in expected { #expect(found.values(name) == [.counter(count)], "\(name)") }
}

@Test("signposts of a MetricReport become the same metrics as in older payloads")
func reportSignposts() throws {
  let found = try report([
    #"{"signpostIntervalMetric": {"signpostName": "Load", "signpostCategory": "Cart", "totalCount": 3, "histogram": \#(buckets([(0.1, 0.2, 3)], "s").dropFirst(14).dropLast()), "averageMemory": {"value": 1, "unit": "MB"}, "logicalWrites": {"value": 2, "unit": "kB"}, "hitchTimeRatio": {"value": 5, "unit": "ms/s"}}}"#,
    #"{"signpostIntervalMetric": {"signpostName": "Tap", "totalCount": 4}}"#,
  ])
  #expect(found.values("signpost.Cart.Load") == [.spans([Span(low: 100, high: 200, count: 3)])])
  #expect(found.values("signpost.Cart.Load.memory") == [.samples([1_000_000])])
  #expect(found.values("signpost.Cart.Load.writes") == [.counter(2000)])
  #expect(found.values("signpost.Cart.Load.hitch_ratio") == [.samples([5])])
  #expect(found.values("signpost.Tap.count") == [.counter(4)] && found.measurements.count == 5)
}

@Test("only the longest interval of a MetricReport counts")
func intervals() throws {
  func entry(_ seconds: Int, _ cpu: Int) -> String {
    #"{"duration": {"value": \#(seconds), "unit": "s"}, "values": [{"cpuTimeMetric": {"value": {"value": \#(cpu), "unit": "s"}}}]}"#
  }
  let text =
    #"{"timeRange": {"begin": 816649200, "end": 816735540}, "intervalEntries": [\#(entry(3600, 1)), \#(entry(86400, 42)), \#(entry(7200, 2))]}"#
  #expect(try decode(text).map { $0.values("cpu.time") } == [[.counter(42)]])
}

@Test("values of a state repeat the day, and become a custom metric with the state as label")
func states() throws {
  func entry(_ domain: String, _ label: String, _ cpu: Int) -> String {
    #"{"state": {"domain": "\#(domain)", "label": "\#(label)", "duration": {"value": 120, "unit": "s"}}, "values": [{"cpuTimeMetric": {"value": {"value": \#(cpu), "unit": "s"}}}]}"#
  }
  let list = [
    entry("com.example.feature", "premium", 5), entry("com.example.feature", "free", 6), entry("thème", "dark", 7),
  ]
  let found = try report(
    [#"{"cpuTimeMetric": {"value": {"value": 42, "unit": "s"}}}"#],
    #", "stateEntries": [\#(list.joined(separator: ", "))]"#)
  #expect(found.values("cpu.time") == [.counter(42)])
  #expect(
    found.measurements.dropFirst().map { [$0.metric.name, $0.label] } == [
      ["state.com.example.feature.cpu.time", "premium"], ["state.com.example.feature.cpu.time", "free"],
      ["state.th_me.cpu.time", "dark"],
    ])
  #expect(
    found.measurements[1].metric == .custom(name: "state.com.example.feature.cpu.time", unit: .seconds, kind: .counter))
}

@Test("an unknown metric keeps its name and its unit's kind")
func unknownMetrics() throws {
  let found = try report([
    #"{"thermalTimeMetric": {"value": {"value": 2, "unit": "min"}}}"#,
    #"{"fooMetric": \#(buckets([(1, 2, 3)], "ms"))}"#,
    #"{"barMetric": {"value": 7}}"#, #"{"emptyMetric": {}}"#,
    #"{"totalDiskSpaceCapacityMetric": {"value": {"value": 1, "unit": "GB"}}}"#,
  ])
  #expect(
    found.measurements.map(\.metric) == [
      .custom(name: "thermalTimeMetric", unit: .seconds, kind: .distribution),
      .custom(name: "fooMetric", unit: .milliseconds, kind: .distribution),
      .custom(name: "barMetric", unit: .count, kind: .distribution),
      .custom(name: "totalDiskSpaceCapacityMetric", unit: .bytes, kind: .distribution),
    ])
  #expect(
    found.measurements.map(\.value) == [
      .samples([120]), .spans([Span(low: 1, high: 2, count: 3)]), .samples([7]), .samples([1_000_000_000]),
    ])
}

@Test("a value of unexpected form is rejected, and the rest is kept")
func strangeValues() throws {
  let found = try report([
    #"{"cpuTimeMetric": [42]}"#, #"{"hangTimeMetric": {"histogram": 3}}"#,
    #"{"peakMemoryMetric": {"value": {"value": -1, "unit": "B"}}}"#,
    #"{"hangTimeMetric": {"histogram": {"buckets": [{"count": 2.5}, {"count": 1, "lowerBound": {"value": 2, "unit": "s"}, "upperBound": {"value": 1, "unit": "s"}}]}}}"#,
    #"{"signpostIntervalMetric": 3}"#, #"{"gpuTimeMetric": {"value": {"value": 3, "unit": "qubits"}}}"#,
  ])
  #expect(found.rejectedSamples == 6 && found.unknownUnits == 1)
  #expect(found.measurements.map(\.value) == [.counter(3)])
}

@Test(
  "the day of a MetricReport is read from dates in any of Swift's encodings",
  arguments: [
    "816649200", "816649200.25", "1794956400000", "\"2026-11-17T23:00:00Z\"", "\"2026-11-18T00:00:00+01:00\"",
  ])
func reportDays(begin: String) throws {
  let found = try report([#"{"cpuTimeMetric": {"value": 1, "unit": "s"}}"#], begin: begin)
  #expect(found.measurements.map(\.time) == [CalendarDay(iso: "2026-11-18").map { .day($0) }])
  #expect(found.assumedTimes == 0)
}

@Test("a report of part of a day counts for the day of its middle")
func partOfDay() throws {
  let text =
    #"{"timeRange": {"begin": "2026-11-17T10:00:00Z", "end": "2026-11-18T04:00:00Z"}, "intervalEntries": [{"values": [{"cpuTimeMetric": {"value": 1, "unit": "s"}}]}]}"#
  let found = try #require(try decode(text).first)
  #expect(found.measurements.map(\.time) == [CalendarDay(iso: "2026-11-17").map { .day($0) }])
}

@Test("a report whose clock was never set counts for the day of its receipt")
func neverSetClock() throws {
  let text =
    #"{"timeRange": {"begin": 0, "end": 3600}, "intervalEntries": [{"values": [{"cpuTimeMetric": {"value": 1, "unit": "s"}}]}]}"#
  let found = try #require(try decode(text).first)
  #expect(
    found.measurements.map(\.time) == [CalendarDay(iso: "2026-11-21").map { .day($0) }] && found.assumedTimes == 1)
}

@Test("a MetricReport has its release, device and environment")
func reportOrigin() throws {
  let environment =
    #", "environment": {"osVersion": {"platform": "iOS", "number": "27.0", "buildNumber": "24A1"}, "deviceType": "iPhone18,1", "applicationVersion": "9.9", "applicationBuildVersion": "99", "bundleIdentifier": "com.example.shop", "isTestFlightApp": true}, "version": "2.0.0""#
  let found = try report([], environment)
  #expect(found.release == Release(version: "9.9", build: "99") && found.environment == "testflight")
  #expect(
    found.device == Device(model: "iPhone18,1", system: OperatingSystem(name: "iOS", version: "27.0", build: "24A1")))
  #expect(found.bundleID == "com.example.shop")
}
