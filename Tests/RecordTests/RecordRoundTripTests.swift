import Testing
import TestSupport

@testable import Core
@testable import Ingest

struct RecordRoundTripTests {
  @Test("a thousand random reports read back as they were written")
  func roundTrip() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<1000 {
      let report = Self.report(&random)
      let read = try #require(try Reread(RecordWriter.encode(report, Samples.header, seal: Samples.seal)))
      #expect(read.measurements == report.measurements)
      #expect(read.environment == report.environment)
      #expect(read.release == (report.isMixedRelease ? .mixed : report.release))
      #expect(read.sessions.map(\.started) == report.sessions.map(\.started))
      #expect(read.sessions.map(\.id) == report.sessions.map { Samples.hash($0.id, "session 7") })
      #expect(read.sessions.map(\.hasHang) == report.sessions.map(\.hasHang))
    }
  }

  @Test("diagnostics, exponential buckets, streams and losses read back as they were written")
  func roundTripOfVersionTwo() throws {
    var header = Samples.header
    header.client = "Shop/1234 CFNetwork/1494.0.7"
    let read = try #require(try Reread(RecordWriter.encode(Samples.full, header, seal: Samples.seal)))
    #expect(read.client == header.client)
    #expect(read.measurements == Samples.full.measurements)
    #expect(read.losses == Samples.full.losses)
    #expect(read.remarks?.assumedTimes == 3)
    for (stored, sent) in zip(read.diagnostics, Samples.full.diagnostics) {
      #expect(stored.kind == sent.kind && stored.time == sent.time && stored.identity == sent.identity)
      #expect(stored.exception == sent.exception && stored.quantity == sent.quantity)
      #expect(stored.session == sent.session.map { Samples.hash($0, "session 7") })
      #expect(stored.user == sent.user.map { Samples.hash($0, "user 7") })
      #expect(stored.body.bytes == sent.body.bytes && stored.bodySize == sent.body.textSize)
      #expect(try stored.calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0) } == sent.calls)
    }
    #expect(read.diagnostics.count == 2)
  }

  @Test("call stacks of any form read back")
  func callStacks() throws {
    var random = SeededRandom(seed: 41)
    for _ in 0..<500 {
      var calls = CallTree(
        binaries: (0..<Int.random(in: 0...3, using: &random)).map { CallTree.Binary(name: "B\($0)", uuid: "") })
      for index in 0..<Int.random(in: 0...12, using: &random) {
        // Few values, so that addresses often, but not always, follow from the offset.
        let binary = Int.random(in: -1..<calls.binaries.count, using: &random)
        let offset: UInt64? = [nil, 0, 8, .max].randomElement(using: &random) ?? nil
        let start: UInt64? = [nil, 4096, 8192, UInt64(binary + 1)].randomElement(using: &random) ?? nil
        calls.frames.append(
          CallTree.Frame(
            caller: [-1, index - 1, Int.random(in: -1..<max(0, index), using: &random)].randomElement(using: &random)
              ?? -1,
            binary: binary, offset: offset, address: start.map { $0 &+ (offset ?? 1) },
            samples: Int.random(in: 1...2, using: &random),
            symbol: Bool.random(using: &random) ? CallTree.Symbol(function: "f", file: "g", line: 7) : nil))
      }
      var report = Samples.full
      report.diagnostics[0].calls = calls
      let read = try #require(try Reread(RecordWriter.encode(report, Samples.header, seal: Samples.seal)))
      #expect(try read.diagnostics[0].calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0) } == calls)
    }
  }

  @Test("large call stacks and bodies, and those beyond a MiB, are compressed")
  func largeDiagnostics() throws {
    var report = Samples.full
    let body = Array(#"["\#(String(repeating: "a long text ", count: 3000))"]"#.utf8)
    report.diagnostics = (0..<40).map { _ in
      var diagnostic = Samples.full.diagnostics[0]
      diagnostic.body = PackedJSON(body)
      return diagnostic
    }
    report.diagnostics[1].body = PackedJSON(Array("[\(String(repeating: "1,", count: 60_000))1]".utf8))
    let bytes = RecordWriter.encode(report, Samples.header, seal: Samples.seal)
    let read = try #require(try Reread(bytes))
    let forms = read.diagnostics.map(\.body.isFrame)
    #expect(!forms[0] && forms[1] && forms == read.diagnostics.map(\.calls.isFrame))
    // 36 KB each: 29 of them are a MiB.
    #expect(forms[2..<29].allSatisfy { !$0 } && forms[30...].allSatisfy { $0 })
    for (stored, sent) in zip(read.diagnostics, report.diagnostics) {
      #expect(try stored.body.withContent(limit: 1 << 20) { [UInt8]($0) } == sent.body.bytes)
      #expect(try stored.calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0) } == sent.calls)
      #expect(stored.bodySize == sent.body.textSize)
    }
  }

  private static func written(_ spans: [Span]) throws -> (bytes: [UInt8], read: Measurement.Value?) {
    var report = Samples.rich
    report.measurements = [Measurement(.known(100), at: .day(Samples.received.day()), .spans(spans))]
    let bytes = RecordWriter.encode(report, Samples.header, seal: Samples.seal)
    return (bytes, try Reread(bytes)?.measurements.first?.value)
  }

  @Test("spans with any edges read back, and a run of equal buckets takes a byte each")
  func spans() throws {
    var random = SeededRandom(seed: 23)
    let edges: [Double] = [0, 1, 7, 100, 101, 4096, 0.5, 4_503_599_627_370_495, 4_503_599_627_370_496, 1e300]
    for _ in 0..<2000 {
      let spans = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        let two = [edges.randomElement(using: &random) ?? 0, edges.randomElement(using: &random) ?? 0].sorted()
        let high = Int.random(in: 0..<8, using: &random) == 0 ? .infinity : two[1]
        return Span(
          low: two[0], high: high, count: [0, 1, 63, 64, 1_000_000_000_000].randomElement(using: &random) ?? 0)
      }
      #expect(try Self.written(spans).read == .spans(spans))
    }
    func run(_ buckets: Int) throws -> Int {
      let spans = (0..<buckets).map {
        Span(low: 600 + 20 * Double($0), high: 620 + 20 * Double($0), count: 1 + $0 % 60)
      }
      return try Self.written(spans).bytes.count
    }
    #expect(try run(40) - run(20) == 20)
  }

  @Test("a function's name without file and line is read without them")
  func bareName() throws {
    var report = Samples.full
    report.diagnostics[0].calls.frames[2].symbol = CallTree.Symbol(function: "checkout()")
    let read = try #require(try Reread(RecordWriter.encode(report, Samples.header, seal: Samples.seal)))
    let calls = try #require(read.diagnostics.first).calls.bytes
    let symbol = try calls.withUnsafeBytes { try CallTree(recorded: $0) }.frames[2].symbol
    #expect(symbol?.function == "checkout()" && symbol?.file == "" && symbol?.line == nil)
  }

  @Test("a call tree is read the same after other trees", arguments: [1, 2])
  func afterOthers(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let names = ["", "main", "mains", "checkout()", "caf\u{E9}", "cafe\u{301}", String(repeating: "x", count: 500)]
    let symbols = RecentSymbols()
    for _ in 0..<300 {
      var report = Samples.full
      let frames = (0..<10).map { index in
        CallTree.Frame(
          caller: index - 1,
          symbol: CallTree.Symbol(
            function: names[random.index(below: names.count)], file: names[random.index(below: names.count)],
            line: Bool.random(using: &random) ? random.index(below: 3) + 1 : nil))
      }
      report.diagnostics[0].calls = CallTree(
        frames: frames, threads: [CallTree.Thread(range: 0..<10, isAttributed: true)])
      let read = try #require(try Reread(RecordWriter.encode(report, Samples.header, seal: Samples.seal)))
      let calls = try #require(read.diagnostics.first).calls
      let found = try calls.withContent(limit: 1 << 20) { try CallTree(recorded: $0, symbols) }
      #expect(found == report.diagnostics[0].calls)
    }
  }

  @Test("the origins of a report's binaries are kept, and a record without them is read as before")
  func origins() throws {
    var report = Samples.full
    let origins: [CallTree.Binary.Origin] = [.app, .system, .unknown]
    report.diagnostics[0].calls.binaries = origins.enumerated().map {
      CallTree.Binary(name: "B\($0)", uuid: "", origin: $1)
    }
    for isKnown in [true, false] {
      if !isKnown { for index in origins.indices { report.diagnostics[0].calls.binaries[index].origin = .unknown } }
      let read = try #require(try Reread(RecordWriter.encode(report, Samples.header, seal: Samples.seal)))
      let calls = try #require(read.diagnostics.first).calls.bytes
      #expect(try calls.withUnsafeBytes { try CallTree(recorded: $0) } == report.diagnostics[0].calls)
      guard isKnown else { continue }
      #expect(throws: (any Error).self) {
        try calls.dropLast().withUnsafeBytes { try CallTree(recorded: $0) }
      }
    }
  }

  @Test("a single value reads back as it was written")
  func valueRoundTrip() throws {
    for reading in Samples.full.measurements {
      let bytes = MeasurementValueBytes.encode(reading.value, reading.extent)
      let read = try bytes.withUnsafeBytes { try MeasurementValueBytes.decode($0) }
      #expect(read.value == reading.value && read.extent == reading.extent)
    }
  }

  @Test("raw ids of sessions and users are not in a record's bytes")
  func hidesIdentifiers() {
    var report = Samples.rich
    report.sessions = [
      SessionUpdate(id: "SECRET-SESSION", outcome: .healthy, started: Samples.received, user: "SECRET-USER")
    ]
    let text = String(decoding: RecordWriter.encode(report, Samples.header, seal: Samples.seal), as: UTF8.self)
    #expect(!text.contains("SECRET"))
  }

  @Test("the record of a full daily payload is at most 1.5 KB")
  func isSmall() {
    let bytes = RecordWriter.encode(Samples.dayPayload, Samples.header, seal: Samples.seal)
    #expect(Samples.dayPayload.measurements.count > 45)
    #expect(bytes.count < 1500, "\(bytes.count) bytes")
  }

  private static func report(_ random: inout SeededRandom) -> Report {
    var report = Samples.rich
    report.environment = random.text()
    report.release = Release(version: random.text(), build: random.text())
    report.isMixedRelease = Bool.random(using: &random)
    report.measurements = (0..<Int.random(in: 0...6, using: &random)).map { _ in reading(&random) }
    report.sessions = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      SessionUpdate(
        id: random.text(), outcome: SessionOutcome.allCases.randomElement(using: &random) ?? .healthy,
        started: random.instant(), sequence: Int64.random(in: .min ... .max, using: &random),
        hasHang: Bool.random(using: &random))
    }
    return report
  }

  private static func reading(_ random: inout SeededRandom) -> Measurement {
    let metric: MetricReference =
      Bool.random(using: &random)
      ? .known(UInt16.random(in: 1...UInt16.max, using: &random))
      : .custom(name: "custom." + random.text(), unit: .count, kind: .distribution)
    let time: MeasurementTime =
      Bool.random(using: &random)
      ? .instant(random.instant()) : .day(CalendarDay(number: Int.random(in: 0...40_000, using: &random)))
    let values = (0..<3).map { _ in random.number() }
    let value: Measurement.Value =
      switch Int.random(in: 0...2, using: &random) {
      case 0: .samples(values)
      case 1: .spans([Span(low: values[0], high: .infinity, count: Int.random(in: 0...Int.max, using: &random))])
      default: .counter(values[0])
      }
    return Measurement(metric, label: random.text(), at: time, value)
  }
}

extension SeededRandom {
  mutating func text() -> String { ["", "a", "4.2.0", "Ünï 🙂", "a\u{0}b", "<b>"].randomElement(using: &self) ?? "" }

  mutating func instant() -> Timestamp {
    Timestamp(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &self))
  }

  mutating func number() -> Double {
    let values: [Double] = [
      0, -0.0, 1, 0.5, 1e15, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 4_503_599_627_370_496,
    ]
    return values.randomElement(using: &self) ?? 0
  }
}
