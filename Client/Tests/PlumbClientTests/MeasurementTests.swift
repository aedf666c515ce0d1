import Foundation
import Testing

@testable import PlumbClient

@Suite("Measurements")
struct MeasurementTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()
  private let origin = Origin(
    bundleID: "com.example.shop", version: "4.2.0", build: "7", model: "iPhone15,2", system: "iOS 17.4.1 (21E236)",
    environment: "production")

  private func document(_ buffer: MeasurementBuffer) throws -> NativeDocument {
    try #require(buffer.document(origin, installation: nil, clearing: true))
  }

  @Test("documents state the first run of a release, to the hour, and whether they are from it")
  func firstRun() throws {
    let file = place.url.appendingPathComponent("first-run.json")
    let buffer = MeasurementBuffer(clock: clock.clock)
    func app(_ origin: Origin, _ now: Date) throws -> NativeDocument.App {
      let run = FirstRun.of(origin, file: file, now: now)
      buffer.add(1, .screenLoad, label: "Cart")
      return try #require(buffer.document(origin, installation: nil, firstRun: run, clearing: true)).app
    }
    let begin = Date(milliseconds: 1_795_168_950_000)
    let hour: Int64 = 1_795_168_950_000 / 3_600_000 * 3_600_000
    let first = try app(origin, begin)
    #expect(first.first_run == hour && first.in_first_run == true)
    let second = try app(origin, begin + 90_000)
    #expect(second.first_run == hour && second.in_first_run == nil)
    var update = origin
    update.build = "8"
    let third = try app(update, begin + 90_000)
    #expect(third.first_run == hour + 25 * 3_600_000 && third.in_first_run == true)
    // A clock that was never set says nothing, and a full disk would make every launch the first.
    update.build = "9"
    #expect(FirstRun.of(update, file: file, now: Date(timeIntervalSince1970: 0)) == nil)
    #expect(FirstRun.of(update, file: place.url.appendingPathComponent("no/folder"), now: begin) == nil)
  }

  @Test("a few values are sent unchanged")
  func few() throws {
    let buffer = MeasurementBuffer(clock: clock.clock)
    for value in [0.0, 12.5, 1e15] { buffer.add(value, .screenLoad, label: "Cart") }
    let document = try document(buffer)
    #expect(document.measurements?.map(\.value) == [0, 12.5, 1e15])
    #expect(
      document.measurements?.allSatisfy { $0.metric == "screen.load" && $0.label == "Cart" && $0.unit == "ms" } == true)
    #expect(document.histograms == nil)
    #expect(buffer.document(origin, installation: nil, clearing: true) == nil)
  }

  @Test(
    "each of many values is in the right bucket, and buckets are at most 4.5 % wide",
    arguments: [1, 2, 3])
  func many(_ seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    let values = (0..<5000).map { _ -> Double in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return exp(Double(state >> 11) / Double(1 << 53) * 25 - 8)
    }
    let buffer = MeasurementBuffer(clock: clock.clock)
    for value in values { buffer.add(value, .body, label: "Cart") }
    let histogram = try #require(try document(buffer).histograms?.first)
    #expect(histogram.counts.count == histogram.bounds.count + 1)
    #expect(histogram.counts.reduce(0, +) == 5000)
    #expect(zip(histogram.bounds, histogram.bounds.dropFirst()).allSatisfy(<))
    let edges = [0] + histogram.bounds + [.infinity]
    for (index, count) in histogram.counts.enumerated() {
      // Counted by hand, with room for a value that stands on an edge.
      let inside = values.filter { $0 > edges[index] * (1 + 1e-9) && $0 < edges[index + 1] * (1 - 1e-9) }.count
      let touching = values.filter { $0 >= edges[index] * (1 - 1e-9) && $0 <= edges[index + 1] * (1 + 1e-9) }.count
      #expect(inside <= count && count <= touching)
      if count > 0, edges[index] > 0 { #expect(edges[index + 1] / edges[index] < 1.045) }
    }
    #expect(histogram.counts.last == 0)
  }

  @Test("small whole numbers stay exact, so that a budget of 5 evaluations holds for 5")
  func counts() throws {
    let buffer = MeasurementBuffer(clock: clock.clock)
    for _ in 0..<20 { for value in [0.0, 1, 5, 5, 64, 200] { buffer.add(value, .bodyEvaluations, label: "Cart") } }
    let histogram = try #require(try document(buffer).histograms?.first)
    let edges = [0] + histogram.bounds
    let spans = histogram.counts.indices.dropLast().filter { histogram.counts[$0] > 0 }
      .map { (edges[$0], edges[$0 + 1], histogram.counts[$0]) }
    #expect(spans.map(\.2) == [20, 20, 40, 20, 20])
    #expect(spans.dropLast().map(\.1) == [0.001, 1, 5, 64])
    #expect(spans[4].0 <= 200 && 200 <= spans[4].1)
  }

  @Test("invalid values are left out and counted")
  func rejected() throws {
    let buffer = MeasurementBuffer(clock: clock.clock)
    for value in [-1, .nan, .infinity, -.infinity, 1.1e15] { buffer.add(value, .screenLoad) }
    buffer.count(-1, .frames)
    #expect(buffer.document(origin, installation: nil, clearing: true) == nil)
    #expect(buffer.takeRejected() == 6)
    #expect(buffer.takeRejected() == 0)
  }

  @Test("the number of series is bounded, whatever names and labels an app uses")
  func bounded() throws {
    let buffer = MeasurementBuffer(clock: clock.clock)
    for number in 0..<5000 {
      buffer.add(1, .screenLoad, label: "Screen \(number)")
      buffer.count(1, Metric("app \(number)", unit: .count))
    }
    let document = try document(buffer)
    #expect((document.measurements?.count ?? 0) + (document.counters?.count ?? 0) < 5000)
    let series = Set((document.measurements ?? []).map(\.label)).count + (document.counters?.count ?? 0)
    #expect(series + (document.histograms?.count ?? 0) <= 601)
    #expect(document.histograms?.contains { $0.label == "(other)" } == true)
    #expect(try document.encoded().count < 200_000)
    let label = String(repeating: "ü", count: 5000)
    buffer.add(1, .screenLoad, label: label)
    #expect((try self.document(buffer).measurements?.first?.label?.utf8.count ?? 1000) <= 200)
  }

  @Test("custom metric names are changed into names that the server accepts")
  func names() {
    #expect(Metric("checkout.items", unit: .count).name == "checkout.items")
    #expect(Metric("Zeit für Käse", unit: .seconds).name == "Zeit f_r K_se")
    #expect(Metric("", unit: .count).name == "unnamed")
    for name in ["sessions.crash_free", "launch.first_draw", "users", "hang.rate", "client.dropped"] {
      #expect(Metric(name, unit: .count).name == "app." + name)
    }
    #expect(Metric(String(repeating: "x", count: 500), unit: .count).name.utf8.count <= 120)
    #expect(Metric("launch." + String(repeating: "x", count: 500), unit: .count).name.utf8.count <= 120)
  }

  @Test("measurements survive a kill, because the next process sends the open file")
  func checkpoint() throws {
    let queue = try PayloadQueue(
      folder: place.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
    let file = place.url.appendingPathComponent("open.json")
    let buffer = MeasurementBuffer(clock: clock.clock)
    func writer(_ buffer: MeasurementBuffer) -> MeasurementWriter {
      MeasurementWriter(buffer: buffer, payloads: queue, file: file, origin: origin, installation: nil)
    }
    let first = writer(buffer)
    buffer.add(1, .screenLoad, label: "Cart")
    first.checkpoint()
    buffer.add(2, .screenLoad, label: "Cart")
    first.checkpoint()
    #expect(queue.files.isEmpty)
    let second = writer(MeasurementBuffer(clock: clock.clock))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    let document = try JSONDecoder().decode(
      NativeDocument.self, from: Data(contentsOf: queue.url(of: try #require(queue.files.first))))
    #expect(document.measurements?.map(\.value) == [1, 2])
    // Nothing was measured since: nothing to send.
    second.seal()
    #expect(queue.files.count == 1)
  }

  @Test("the client reports what it could not send, by reason")
  func losses() throws {
    let queue = try PayloadQueue(
      folder: place.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
    let buffer = MeasurementBuffer(clock: clock.clock)
    let writer = MeasurementWriter(
      buffer: buffer, payloads: queue, file: place.url.appendingPathComponent("open.json"), origin: origin,
      installation: nil)
    queue.count(.expired, 3)
    queue.count(.refused)
    buffer.add(-1, .screenLoad)
    writer.seal()
    let document = try JSONDecoder().decode(
      NativeDocument.self, from: Data(contentsOf: queue.url(of: try #require(queue.files.first))))
    let told = Dictionary(uniqueKeysWithValues: (document.counters ?? []).map { ($0.label ?? "", $0.value) })
    #expect(told == ["expired": 3, "refused": 1, "value": 1])
    #expect(document.counters?.allSatisfy { $0.metric == "client.dropped" } == true)
  }

  #if os(Linux)
    @Test(
      "a document lost on a full disk is reported when there is space", .enabled(if: SmallDisk.isPossible))
    func fullDisk() throws {
      let disk = try SmallDisk(bytes: 64 * 1024)
      defer { disk.remove() }
      let queue = try PayloadQueue(
        folder: disk.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
      let buffer = MeasurementBuffer(clock: clock.clock)
      let writer = MeasurementWriter(
        buffer: buffer, payloads: queue, file: disk.url.appendingPathComponent("open.json"), origin: origin,
        installation: nil)
      let others = disk.url.appendingPathComponent("others")
      try Data(repeating: 0, count: try disk.free()).write(to: others)
      for value in 1...5 {
        buffer.add(Double(value), .screenLoad, label: "Cart")
        writer.checkpoint()
      }
      writer.seal()
      #expect(queue.files.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path).sorted() == ["others", "queue"])
      try FileManager.default.removeItem(at: others)
      buffer.add(6, .screenLoad, label: "Cart")
      writer.seal()
      let document = try JSONDecoder().decode(
        NativeDocument.self, from: Data(contentsOf: queue.url(of: try #require(queue.files.first))))
      #expect(document.measurements?.map(\.value) == [6])
      #expect(document.counters?.map(\.label) == ["disk"])
      #expect(document.counters?.map(\.value) == [1])
    }
  #endif

  @Test("catalogue metrics have the names and units of the server's catalogue")
  func catalogue() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/metrics.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    let known: [Metric] = [
      .screenLoad, .interactionResponse, .flowDuration, .mainThreadBlock, .hangDuration, .frameTime, .body,
      .bodyEvaluations, .viewCreation, .rowsCreated, .imageDecode, .imageCache, .screenMemory, .allocation, .request,
      .responseBytes, .screenBytes,
    ]
    for metric in known {
      let row = try #require(rows.first { $0.hasPrefix("| `\(metric.name)`<br>") }, "\(metric.name) is in no catalogue")
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells[1] == metric.unit.rawValue, "\(metric.name)")
      #expect(cells[2].hasPrefix("distribution") && !cells[2].contains("device-days"), "\(metric.name)")
    }
    for metric in [Metric.hang, .hitchRatio, .frames, .framesDropped, .dropped] {
      #expect(!rows.contains { $0.hasPrefix("| `\(metric.name)`") }, "\(metric.name) is of the catalogue")
    }
    // Every family of the catalogue is closed to names of an app's own.
    for row in rows {
      let name = String(row.dropFirst(3).prefix { $0 != "`" })
      #expect(Metric(name, unit: .count).name == "app." + name)
    }
  }
}
