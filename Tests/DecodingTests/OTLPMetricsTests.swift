import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

@Suite("OTLP metrics")
struct OTLPMetricsTests {
  @Test("the resource gives release, device, OS version and app")
  func origin() throws {
    let metric = OTLP.metric("launch.resume", "ms", OTLP.gauge([OTLP.number(3)]))
    let report = try #require(try OTLP.decode([metric]).reports.first)
    #expect(report.source == .otlp && report.environment == "production")
    #expect(report.release == Release(version: "4.2.0", build: "1234"))
    #expect(report.device.model == "iPhone15,2")
    #expect(report.device.system == OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236"))
    #expect(report.bundleID == "com.example.shop")
    #expect(report.measurements.first?.time == .instant(Timestamp(milliseconds: 1_795_251_600_000)))
  }

  @Test("a version with its build in brackets gives both")
  func bracketedVersion() throws {
    let resource = OTLP.attributes(["service.version": "2.1.0 (45)", "deployment.environment": "testflight"])
    let decoded = try OTLP.decode(
      [OTLP.metric("launch.resume", "ms", OTLP.gauge([OTLP.number(3)]))], resource: resource)
    #expect(decoded.reports.first?.release == Release(version: "2.1.0", build: "45"))
    #expect(decoded.reports.first?.environment == "testflight")
  }

  @Test("resources of different origin become separate reports, and those of one origin share one")
  func origins() throws {
    var request = OTLP.request([OTLP.metric("launch.resume", "ms", OTLP.gauge([OTLP.number(3)]))])
    request.resourceMetrics += request.resourceMetrics
    request.resourceMetrics +=
      OTLP.request(
        [OTLP.metric("launch.resume", "ms", OTLP.gauge([OTLP.number(4)]))],
        resource: OTLP.attributes(["service.version": "4.3.0"])
      ).resourceMetrics
    let reports = try OTLP.decode(request.serializedBytes(), as: .otlpMetrics(.protobuf)).reports
    #expect(reports.map(\.release.version) == ["4.2.0", "4.3.0"])
    #expect(reports.map(\.measurements.count) == [2, 1])
  }

  @Test("a delta sum is a counter, and a cumulative one has its stream and start")
  func sums() throws {
    let delta = try OTLP.reading("time.foreground", "min", OTLP.sum([OTLP.number(2)]))
    #expect(delta.value == .counter(120) && delta.accumulation == nil)
    let points = [OTLP.attributes(["a": "1", "b": "2"]), OTLP.attributes(["b": "2", "a": "1"])]
      .map { OTLP.number(7, $0) }
    let whole = try OTLP.decode([OTLP.metric("time.foreground", "s", OTLP.sum(points, .cumulative))])
    let streams = try whole.reports[0].measurements.map { try #require($0.accumulation) }
    #expect(streams[0] == streams[1], "the order of attributes means nothing")
    #expect(streams[0].start == Timestamp(milliseconds: 1_795_251_540_000))
    let other = try OTLP.decode([OTLP.metric("time.foreground", "s", OTLP.sum([OTLP.number(7)], .cumulative))])
    #expect(other.reports[0].measurements[0].accumulation?.stream != streams[0].stream)
  }

  @Test("a non-monotonic sum and a gauge become samples")
  func levels() throws {
    #expect(try OTLP.reading("memory.peak", "MiBy", OTLP.gauge([OTLP.number(2)])).value == .samples([2_097_152]))
    let level = try OTLP.reading("queue.size", "{item}", OTLP.sum([OTLP.number(4)], monotonic: false, .cumulative))
    #expect(level.value == .samples([4]))
    #expect(level.metric == .custom(name: "queue.size", unit: .count, kind: .distribution))
    #expect(
      try OTLP.refusal("queue.size", "", OTLP.sum([OTLP.number(4)], monotonic: false)).message.contains("monotonic"))
  }

  @Test("explicit bounds become spans from 0 or the smallest value to the largest")
  func explicit() throws {
    let plain = try OTLP.reading("screen.load", "s", OTLP.histogram([0.25, 0.5], [2, 0, 1]))
    #expect(plain.value == .spans([Span(low: 0, high: 250, count: 2), Span(low: 500, high: .infinity, count: 1)]))
    #expect(plain.extent == nil)
    let exact = try OTLP.reading(
      "screen.load", "s", OTLP.histogram([0.25, 0.5], [2, 0, 1], sum: 1, min: 0.125, max: 0.75))
    #expect(exact.value == .spans([Span(low: 125, high: 250, count: 2), Span(low: 500, high: 750, count: 1)]))
    #expect(exact.extent == Extent(sum: 1000, minimum: 125, maximum: 750))
    let cumulative = try OTLP.reading(
      "screen.load", "s", OTLP.histogram([0.25, 0.5], [2, 0, 1], sum: 1, min: 0.125, max: 0.75, .cumulative))
    #expect(cumulative.value == plain.value, "edges of a stream must not move")
    #expect(cumulative.extent == exact.extent)
  }

  @Test("bounds with gaps, as in Elastic's agent, give MetricKit's original buckets")
  func gaps() throws {
    let reading = try OTLP.reading(
      "launch.first_draw", "ms", OTLP.histogram([100, 110, 300, 310], [0, 5, 0, 7, 0]))
    #expect(reading.value == .spans([Span(low: 100, high: 110, count: 5), Span(low: 300, high: 310, count: 7)]))
  }

  @Test("a histogram without bounds is one span of the known values")
  func boundless() throws {
    let data = OTLP.histogram([], [5], sum: 50, min: 4, max: 20)
    #expect(try OTLP.reading("launch.resume", "ms", data).value == .spans([Span(low: 4, high: 20, count: 5)]))
  }

  @Test("the bucket that ends at 0 has zeros, or values below 0 that are counted and left out")
  func zeros() throws {
    #expect(
      try OTLP.reading("launch.resume", "ms", OTLP.histogram([0, 5], [3, 1, 0])).value
        == .spans([Span(low: 0, high: 0, count: 3), Span(low: 0, high: 5, count: 1)]))
    let negative = try OTLP.decode([
      OTLP.metric("launch.resume", "ms", OTLP.histogram([-5, 0, 5], [2, 3, 1, 0], sum: 1, min: -9, max: 4))
    ])
    #expect(negative.reports[0].rejectedSamples == 5)
    #expect(negative.reports[0].measurements[0].value == .spans([Span(low: 0, high: 5, count: 1)]))
    #expect(negative.reports[0].measurements[0].extent == nil)
    // Also where the point counts only what is stored.
    guard case .histogram(var point) = OTLP.histogram([-5, 0, 5], [2, 3, 1, 0], sum: 1, min: -9, max: 4) else {
      Issue.record("no histogram")
      return
    }
    point.dataPoints[0].count = 1
    let counted = try OTLP.decode([OTLP.metric("launch.resume", "ms", .histogram(point))])
    #expect(counted.reports[0].rejectedSamples == 5 && counted.reports[0].measurements[0].extent == nil)
  }

  @Test("attributes become the catalogue's label, or all of them for a custom metric")
  func labels() throws {
    let screen = OTLP.attributes(["x": "1", "screen.name": "Cart"])
    #expect(try OTLP.reading("screen.load", "ms", OTLP.gauge([OTLP.number(1, screen)])).label == "Cart")
    #expect(try OTLP.reading("launch.resume", "ms", OTLP.gauge([OTLP.number(1, screen)])).label == "")
    #expect(try OTLP.reading("my.own", "ms", OTLP.gauge([OTLP.number(1, screen)])).label == "screen.name=Cart, x=1")
    let long = OTLP.attributes(["k": String(repeating: "ü", count: 200)])
    let label = try OTLP.reading("my.own", "ms", OTLP.gauge([OTLP.number(1, long)])).label
    #expect(label.utf8.count == 200 && label.hasSuffix("ü"))
  }

  @Test(
    "OTLP's units of UCUM are converted",
    arguments: [
      ("ms", 100.0), ("s", 1e5), ("us", 0.1), ("ns", 1e-4), ("min", 6e6), ("h", 3.6e8), ("", 100), ("{launch}", 100),
    ])
  func time(unit: String, expected: Double) throws {
    guard case .samples(let found) = try OTLP.reading("launch.resume", unit, OTLP.gauge([OTLP.number(100)])).value
    else { throw DecodingFailure(.value, "no sample") }
    #expect(abs(found[0] / expected - 1) < 1e-12)
  }

  @Test(
    "the unit of a client's own OTLP metric is converted to one that Plumb knows",
    arguments: [
      ("ms", MetricUnit.milliseconds, 1.5), ("h", .seconds, 5400), ("KBy", .bytes, 1500), ("KiBy", .bytes, 1536),
      ("GBy", .bytes, 1.5e9), ("%", .percent, 1.5), ("1", .ratio, 1.5), ("{item}", .count, 1.5), ("", .count, 1.5),
      ("parsec", .count, 1.5),
    ])
  func own(unit: String, kept: MetricUnit, expected: Double) throws {
    let decoded = try OTLP.decode([OTLP.metric("my own/métric", unit, OTLP.gauge([OTLP.number(1.5)]))])
    let reading = decoded.reports[0].measurements[0]
    #expect(reading.metric == .custom(name: "my own/m__tric", unit: kept, kind: .distribution))
    #expect(reading.value == .samples([expected]))
    #expect(decoded.reports[0].unknownUnits == (unit == "parsec" ? 1 : 0))
  }

  @Test("MetricKit's numbers under OpenTelemetry's names are catalogue metrics, except averages")
  func metricKitNames() throws {
    func name(_ name: String, _ unit: String, _ data: PBMetric.OneOf_Data) throws -> String {
      try OTLP.reading(name, unit, data).metric.name
    }
    let one = OTLP.number(1)
    #expect(try name("metrickit.cpu.cpu_time", "s", OTLP.sum([one])) == "cpu.time")
    #expect(try name("metrickit.memory.peak_memory_usage", "By", OTLP.gauge([one])) == "memory.peak")
    #expect(try name("metrickit.diskio.logical_write_count", "By", OTLP.sum([one])) == "disk.writes")
    #expect(
      try name("metrickit.app_exit.foreground..app_watchdog_exit-count", "1", OTLP.sum([one]))
        == "exits.foreground.watchdog")
    let average = "metrickit.app_launch.time_to_first_draw_average"
    #expect(try name(average, "s", OTLP.gauge([one])) == average)
  }
}
