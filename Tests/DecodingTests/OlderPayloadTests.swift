import Testing

@testable import Core
@testable import Ingest

private func day(_ iso: String) -> MeasurementTime? { CalendarDay(iso: iso).map { .day($0) } }

private func report(_ members: String, received: Timestamp = receiptTime) throws -> Report {
  let text = #"{"timeStampBegin": "2026-11-18 00:00:00", "timeStampEnd": "2026-11-18 23:59:00", \#(members)}"#
  return try #require(try decode(text, received: received).first)
}

private func timed(_ begin: String, received: Timestamp = receiptTime, zone: Int = 0) throws -> MeasurementTime? {
  let text = #"{"timeStampBegin": "\#(begin)", "gpuMetrics": {"cumulativeGPUTime": "20 sec"}}"#
  return try decode(text, received: received, zone: zone).first?.measurements.first?.time
}

@Test("a time without a zone keeps the device's day, whatever the app's time zone")
func deviceDay() throws {
  for zone in [-11, 0, 5, 14] {
    for begin in ["2026-11-18 00:00:00", "2026-11-18 23:59:59", "2026-11-18T12:00:00.000"] {
      #expect(try timed(begin, zone: zone * 3600) == day("2026-11-18"), "\(begin) \(zone)")
    }
  }
}

@Test("no day is later than the newest one on Earth at the receipt", arguments: [0, 9, 10, 12, 23])
func neverAhead(hour: Int64) throws {
  // From 2026-11-21T00:00:00Z on; at 10:00 UTC the 22nd begins in Kiritimati.
  let received = Timestamp(milliseconds: receiptTime.milliseconds + (hour - 10) * 3_600_000)
  let newest = try #require(CalendarDay(iso: hour < 10 ? "2026-11-21" : "2026-11-22"))
  for ahead in -3...400 {
    let stated = newest + ahead
    for style in [" 00:00:00", " 00:00:00 +0000", "T00:00:00Z"] {
      guard case .day(let found)? = try timed(stated.iso + style, received: received) else {
        Issue.record("no day")
        continue
      }
      #expect(found <= newest && (ahead > 0 || found == stated))
    }
  }
}

@Test("the UTC window of an older metric payload gives the device's own day")
func bothStyles() throws {
  // Midnight of the 18th in Shanghai, Berlin, San Francisco.
  for begin in ["2026-11-17 16:00:00 +0000", "2026-11-17 23:00:00 +0000", "2026-11-18 08:00:00 +0000"] {
    #expect(try timed(begin) == day("2026-11-18"))
  }
}

@Test("exits without a count are zero, and without their section they are unknown")
func missingExits() throws {
  let zero: [Measurement.Value] = [.counter(0)]
  for exits in [
    "{}", #"{"foregroundExitData": {}}"#, #"{"backgroundExitData": {}}"#,
    #"{"foregroundExitData": {}, "backgroundExitData": {}}"#, #"{"foregroundExitData": null}"#,
  ] {
    let report = try report(#""applicationExitMetrics": \#(exits)"#)
    #expect(report.values("exits.foreground.normal") == zero && report.values("exits.background.normal") == zero)
    #expect(report.measurements.count == 2)
  }
  let unknown = try report(#""gpuMetrics": {"cumulativeGPUTime": "20 sec"}"#)
  #expect(!unknown.measurements.contains { $0.metric.name.hasPrefix("exits.") })
  #expect(try report(#""applicationExitMetrics": null"#).measurements.isEmpty)
}

@Test("a missing section gives no measurements")
func missingSections() throws {
  #expect(try report(#""appVersion": "1""#).measurements.isEmpty)
}

@Test(
  "an average of no samples, or with a deviation of −1, means no data",
  arguments: [
    (#""standardDeviation": -1, "sampleCount": 0"#, false), (#""standardDeviation": -1"#, false),
    (#""standardDeviation": -1.0, "sampleCount": 500"#, false), (#""standardDeviation": 0, "sampleCount": 0"#, false),
    (#""standardDeviation": 0, "sampleCount": 500"#, true), (#""standardDeviation": 12.5"#, true),
    (#""sampleCount": 1"#, true),
  ])
func noData(members: String, isData: Bool) throws {
  let report = try report(
    #""displayMetrics": {"averagePixelLuminance": {"averageValue": "0 apl", \#(members)}}"#)
  #expect(report.values("display.luminance") == (isData ? [.samples([0])] : []))
  #expect(report.unknownUnits == 0 && report.rejectedSamples == 0)
}

@Test("cellular counts are shares of the time in use: a hundred per device and day")
func cellular() throws {
  let buckets = (0...4).map {
    #""\#($0)": {"bucketCount": 20, "bucketStart": "\#($0) bars", "bucketEnd": "\#($0) bars"}"#
  }
  let report = try report(
    #""cellularConditionMetrics": {"cellConditionTime": {"histogramValue": {\#(buckets.joined(separator: ","))}}}"#)
  let spans = (0...4).map { Span(low: Double($0), high: Double($0), count: 20) }
  #expect(report.values("cellular.bars") == [.spans(spans)])
}

@Test(
  "unknown sections and members are skipped, whatever they contain",
  arguments: [
    #""batteryMetrics": 5"#, #""batteryMetrics": [1]"#, #""batteryMetrics": "x""#, #""batteryMetrics": {"a": [{}]}"#,
    #""futureMetrics": {"peakMemoryUsage": "9 kB"}"#, #""futureMetrics": {"peakMemoryUsage": [9]}"#,
    #""memoryMetrics": {"peak": [9], "other": {"averageValue": true}}"#,
    #""diskSpaceUsageMetrics": {"totalCloneSize": "1 kB", "later": null}"#, #""memoryMetrics": {}"#,
  ])
func unknownMembers(members: String) throws {
  let report = try report(#"\#(members), "gpuMetrics": {"cumulativeGPUTime": "20 sec", "cores": ["a"]}"#)
  #expect(report.measurements.count == 1 && report.values("gpu.time") == [.counter(20)])
  #expect(report.unknownUnits == 0 && report.rejectedSamples == 0)
}

@Test("values beyond every limit are rejected, even if written plainly")
func boundedValues() throws {
  let plain = try report(#""memoryMetrics": {"peakMemoryUsage": "999999999999999 kB"}"#)
  #expect(plain.rejectedSamples == 1 && plain.measurements.isEmpty)
}
