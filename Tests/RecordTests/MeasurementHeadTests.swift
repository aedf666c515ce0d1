import Testing
import TestSupport

@testable import Core
@testable import Ingest

/// Records are read with the heads that earlier records left, and must say what a plain reader finds in each alone.
struct MeasurementHeadTests {
  @Test("records of random metrics and labels are read the same, whatever records came before", arguments: [12, 6_000])
  func equalToPlainReader(names: Int) throws {
    var random = SeededRandom(seed: UInt64(names))
    var measured = DecodedMeasurements()
    let pool = (0..<names).map { Self.measurement($0, &random) }
    for turn in 0..<200 {
      // Most records list the metrics of the preceding one, as those of an app do.
      let order = turn % 3 == 0 ? pool.shuffled(using: &random) : pool
      let chosen = order.filter { _ in Int.random(in: 0..<(names > 100 ? 40 : 4), using: &random) > 0 }
      let measurements = turn % 50 == 49 ? order : Array(chosen.prefix(60))
      try Self.expectEqual(measurements, &measured)
    }
  }

  @Test("heads are forgotten beyond their limit, and slots are not given twice")
  func limit() throws {
    var measured = DecodedMeasurements()
    func names(_ range: Range<Int>) -> [Measurement] {
      range.map {
        Measurement(.custom(name: "metric.\($0)", unit: .count, kind: .counter), at: Samples.day, .counter(Double($0)))
      }
    }
    try Self.expectEqual(names(0..<300), &measured)
    let known = measured.heads.known.dropFirst().map(\.whole)
    #expect(known.prefix(256).allSatisfy { $0 != .none } && known.dropFirst(256).allSatisfy { $0 == .none })
    #expect(Set(known.prefix(256).map(\.number)).count == 256)
    try Self.expectEqual(names(0..<9_000), &measured)
    #expect(measured.heads.known.count > 9_000)
    try Self.expectEqual(names(0..<300), &measured)
    #expect(measured.heads.known.count == 301)
    #expect(measured.heads.known.dropFirst().map(\.whole) == known)
  }

  @Test("bytes of an expected head that are part of a longer name are another head")
  func prefixes() throws {
    var measured = DecodedMeasurements()
    let names = ["a", "ab", "abc", "b", "ab", "a", "", "é", "e\u{301}", "abcdefghijklmnop", "abcdefghijklmnoq"]
    for rotation in 0..<names.count {
      let order = names[rotation...] + names[..<rotation]
      for label in ["", "x", "abc"] {
        try Self.expectEqual(
          order.map {
            Measurement(
              .custom(name: $0, unit: .milliseconds, kind: .distribution), label: label, at: Samples.day, .samples([1]))
          }, &measured)
      }
    }
  }

  @Test("a custom name that omits the same number of bytes of another name is another head")
  func sharedBytes() throws {
    var measured = DecodedMeasurements()
    for prefix in ["ab", "xy", "ab"] {
      try Self.expectEqual(
        [
          Measurement(.custom(name: prefix + "c", unit: .count, kind: .counter), at: Samples.day, .counter(1)),
          Measurement(.known(100), at: Samples.day, .samples([2])),
          Measurement(.custom(name: prefix + "d", unit: .count, kind: .counter), at: Samples.day, .counter(3)),
        ], &measured)
    }
  }

  private static func expectEqual(
    _ measurements: [Measurement], _ measured: inout DecodedMeasurements, location: SourceLocation = #_sourceLocation
  ) throws {
    var report = Samples.rich
    report.measurements = measurements
    let bytes = RecordWriter.encode(report, Samples.header, seal: Samples.seal)
    let plain = try #require(try Reread(bytes), sourceLocation: location)
    try bytes.withUnsafeBytes { buffer in
      guard case .report(var reader) = try RecordReader(buffer).content else { return }
      try measured.read(&reader)
      #expect(try reader.sessions() == plain.sessions, sourceLocation: location)
    }
    let read = measured.items.map { item in
      let names = measured.heads.names[item.head]
      return Measurement(names.metric, label: names.label, at: item.time, measured.value(of: item))
    }
    #expect(read.map { $0.withoutForm } == plain.measurements.map { $0.withoutForm }, sourceLocation: location)
    for item in measured.items {
      let (head, names) = (measured.heads[item.head], measured.heads.names[item.head])
      #expect(head.isDistribution == (names.metric.kind == .distribution), sourceLocation: location)
      #expect(head.stepsPerUnit == names.metric.unit.stepsPerUnit, sourceLocation: location)
      #expect(head.isLabelled == !names.label.isEmpty, sourceLocation: location)
    }
  }

  private static func measurement(_ number: Int, _ random: inout SeededRandom) -> Measurement {
    let prefix = ["", "signpost.", "signpost.cart.", "signpost.cart.load"].randomElement(using: &random) ?? ""
    let isKnown = Int.random(in: 0..<3, using: &random) == 0
    let isCounter = Bool.random(using: &random)
    let unit = [MetricUnit.milliseconds, .count, .bytes].randomElement(using: &random) ?? .count
    let metric =
      isKnown
      ? MetricReference.known([100, 205, 400, 610].randomElement(using: &random) ?? 100)
      : .custom(name: "\(prefix)\(number)", unit: unit, kind: isCounter ? .counter : .distribution)
    let instant = MeasurementTime.instant(Timestamp(milliseconds: Samples.received.milliseconds - Int64(number)))
    return Measurement(
      metric, label: Bool.random(using: &random) ? "label \(number % 7)" : "",
      at: Int.random(in: 0..<4, using: &random) == 0 ? instant : Samples.day, value(number, &random))
  }

  private static func value(_ number: Int, _ random: inout SeededRandom) -> Measurement.Value {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .counter(Double(number))
    case 1: .samples((0..<Int.random(in: 0...3, using: &random)).map { Double($0) + 0.5 })
    case 2: .spans([Span(low: 10, high: 20, count: 3), Span(low: 20, high: 30, count: number)])
    default: .spans([Span(low: 0.5, high: 2, count: 1), Span(low: 9_000, high: .infinity, count: 2)])
    }
  }
}

extension DecodedMeasurements {
  fileprivate func value(of item: Item) -> Measurement.Value {
    switch item.form {
    case .numbers: .samples(Array(numbers[item.values]))
    case .spans: .spans(Array(spans[item.values]))
    case .unmerged: unmerged[item.values.lowerBound].value
    }
  }
}

extension Measurement {
  /// The measurement with the sum of a counter as a sample, as the digest reads it.
  fileprivate var withoutForm: Measurement {
    guard case .counter(let sum) = value else { return self }
    var changed = self
    changed.value = .samples([sum])
    return changed
  }
}
