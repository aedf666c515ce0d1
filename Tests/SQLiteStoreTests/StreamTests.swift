import Testing

@testable import Core
@testable import Statistics
@testable import Storage

@Suite("Cumulative streams")
struct StreamTests {
  private static let now = Scene.now
  private static let start = Timestamp(milliseconds: now.milliseconds - 600_000)

  private static func reading(
    _ value: Measurement.Value, _ extent: Extent? = nil, after seconds: Int, stream: UInt64 = 7,
    start: Timestamp = start,
    metric: UInt16 = 100, label: String = ""
  ) -> Measurement {
    let time = Timestamp(milliseconds: Self.start.milliseconds + Int64(seconds) * 1000)
    return Measurement(
      .known(metric), label: label, at: .instant(time), value, extent: extent,
      accumulation: CumulativeStream(stream: stream, start: start))
  }

  /// Each reading arrives in a batch of its own, so that the stored state is read back, or all in one.
  private static func rows(_ measurements: [Measurement], inOneBatch: Bool) throws -> [MetricRow] {
    let scene = try Scene()
    if inOneBatch {
      try scene.apply([Scene.record(Scene.report(measurements, source: .otlp))])
    } else {
      for reading in measurements { try scene.apply([Scene.record(Scene.report([reading], source: .otlp))]) }
    }
    return try scene.rows()
  }

  private static func histogram(_ measurements: [Measurement], inOneBatch: Bool) throws -> Histogram {
    let row = try #require(
      try rows(measurements, inOneBatch: inOneBatch).first { $0.metric.name == "launch.first_draw" })
    guard case .distribution(let histogram) = row.aggregate else {
      Issue.record("not a distribution")
      return Histogram(scheme: .logarithmic)
    }
    return histogram
  }

  private static func sum(_ measurements: [Measurement], inOneBatch: Bool) throws -> Int64 {
    let row = try #require(try rows(measurements, inOneBatch: inOneBatch).first { $0.metric.name == "time.foreground" })
    guard case .counter(let sum) = row.aggregate else { return -1 }
    return sum.steps
  }

  /// The scale-6 bucket of a value, by the definition: the smallest index whose upper edge reaches it.
  private static func exponential(_ values: [Double], scale: Int) -> ExponentialBuckets {
    var counts: [Int: Int] = [:]
    let empty = ExponentialBuckets(scale: scale, zeros: 0, buckets: [])
    for value in values {
      var index = -2000
      while empty.edges(of: index).high < value { index += 1 }
      counts[index, default: 0] += 1
    }
    let buckets = counts.sorted { $0.key < $1.key }.map { ExponentialBuckets.Bucket(index: $0.key, count: $0.value) }
    return ExponentialBuckets(scale: scale, zeros: 0, buckets: buckets)
  }

  @Test("a cumulative counter adds its growth, and a repeated or late value adds nothing", arguments: [true, false])
  func counter(inOneBatch: Bool) throws {
    let measurements = [
      Self.reading(.counter(5), after: 10, metric: 610), Self.reading(.counter(12), after: 20, metric: 610),
      Self.reading(.counter(12), after: 20, metric: 610), Self.reading(.counter(5), after: 10, metric: 610),
      Self.reading(.counter(12), after: 30, metric: 610), Self.reading(.counter(20), after: 40, metric: 610),
    ]
    #expect(try Self.sum(measurements, inOneBatch: inOneBatch) == 20_000)
  }

  @Test("a cumulative counter that falls was restarted, with or without a start time", arguments: [true, false])
  func reset(inOneBatch: Bool) throws {
    let unknown = Timestamp(milliseconds: 0)
    let measurements = [
      Self.reading(.counter(5), after: 10, start: unknown, metric: 610),
      Self.reading(.counter(3), after: 20, start: unknown, metric: 610),
      Self.reading(.counter(4), after: 30, start: unknown, metric: 610),
      Self.reading(.counter(9), after: 40, start: Self.start, metric: 610),
    ]
    #expect(try Self.sum(measurements, inOneBatch: inOneBatch) == 18_000)
  }

  @Test("two cumulative streams of one metric add up")
  func streams() throws {
    let measurements = [
      Self.reading(.counter(5), after: 10, stream: 1, metric: 610),
      Self.reading(.counter(6), after: 10, stream: 2, metric: 610),
    ]
    #expect(try Self.sum(measurements, inOneBatch: true) == 11_000)
  }

  @Test("growing explicit buckets give the count, sum and ends of all values", arguments: [true, false])
  func explicit(inOneBatch: Bool) throws {
    // 3, 7 | 700, 1200 | 4: the overflow bucket and the first one are open.
    let measurements = [
      Self.reading(
        .spans([Span(low: 0, high: 5, count: 1), Span(low: 5, high: 10, count: 1)]),
        Extent(sum: 10, minimum: 3, maximum: 7), after: 10),
      Self.reading(
        .spans([
          Span(low: 0, high: 5, count: 1), Span(low: 5, high: 10, count: 1), Span(low: 500, high: 1000, count: 1),
          Span(low: 1000, high: .infinity, count: 1),
        ]), Extent(sum: 1910, minimum: 3, maximum: 1200), after: 20),
      Self.reading(
        .spans([
          Span(low: 0, high: 5, count: 2), Span(low: 5, high: 10, count: 1), Span(low: 500, high: 1000, count: 1),
          Span(low: 1000, high: .infinity, count: 1),
        ]), Extent(sum: 1914, minimum: 3, maximum: 1200), after: 30),
    ]
    let histogram = try Self.histogram(measurements, inOneBatch: inOneBatch)
    #expect(histogram.count == 5)
    #expect(histogram.sum == 1_914_000)
    #expect(histogram.minimum == 3)
    #expect(histogram.maximum == 1200)
    #expect(!HistogramReader(histogram).hasInfiniteSpan)
  }

  @Test("exponential buckets that become coarser keep their counts", arguments: [true, false])
  func exponential(inOneBatch: Bool) throws {
    let values = [101.0, 102.5, 99.25, 350, 12, 4000]
    let measurements = [(2, 6), (4, 5), (6, 2), (6, 2)].enumerated().map { index, step in
      let seen = Array(values.prefix(step.0))
      return Self.reading(
        .exponential(Self.exponential(seen, scale: step.1)),
        Extent(sum: seen.reduce(0, +), minimum: seen.min(), maximum: seen.max()), after: 10 * (index + 1))
    }
    let histogram = try Self.histogram(measurements, inOneBatch: inOneBatch)
    #expect(histogram.count == 6)
    #expect(histogram.sum == 4_664_750)
    #expect(histogram.minimum == 12)
    #expect(histogram.maximum == 4000)
  }

  @Test("converted exponential buckets that become coarser are not a restart", arguments: [true, false])
  func converted(inOneBatch: Bool) throws {
    func spans(_ values: [Double], _ scale: Int) -> Measurement.Value {
      .spans(
        Self.exponential(values, scale: scale).spans.map {
          Span(low: $0.low * 1000, high: $0.high * 1000, count: $0.count)
        })
    }
    let values = [0.1, 0.2, 0.25, 1.5, 3.5]
    let measurements = [
      Self.reading(spans(Array(values.prefix(3)), 5), after: 10), Self.reading(spans(values, 1), after: 20),
    ]
    #expect(try Self.histogram(measurements, inOneBatch: inOneBatch).count == 5)
  }

  @Test("a cumulative histogram with a shrinking bucket was restarted")
  func fallenBuckets() throws {
    let measurements = [
      Self.reading(.spans([Span(low: 0, high: 5, count: 4), Span(low: 5, high: 10, count: 1)]), after: 10),
      Self.reading(.spans([Span(low: 0, high: 5, count: 2), Span(low: 5, high: 10, count: 9)]), after: 20),
      Self.reading(.spans([Span(low: 5, high: 10, count: 9)]), after: 30),
    ]
    #expect(try Self.histogram(measurements, inOneBatch: true).count == 5 + 11 + 9)
  }

  @Test("a second export within one millisecond adds its new values")
  func sameMillisecond() throws {
    let measurements = [
      Self.reading(.counter(5), after: 10, metric: 610), Self.reading(.counter(7), after: 10, metric: 610),
      Self.reading(.counter(5), after: 10, metric: 610),
    ]
    #expect(try Self.sum(measurements, inOneBatch: true) == 7000)
  }

  @Test("a single value keeps its own ends, wherever it is in its bin", arguments: [100.2, 100.6, 101.0, 101.2])
  func single(value: Double) throws {
    let measurements = [
      Self.reading(
        .exponential(Self.exponential([value], scale: 6)), Extent(sum: value, minimum: value, maximum: value),
        after: 10)
    ]
    let histogram = try Self.histogram(measurements, inOneBatch: true)
    #expect(histogram.minimum == value)
    #expect(histogram.maximum == value)
    #expect(!histogram.isEstimated)
  }

  @Test("a label gets its own part of the growth")
  func labels() throws {
    let scene = try Scene()
    try scene.apply([
      Scene.record(
        Scene.report(
          [
            Self.reading(.counter(5), after: 10, metric: 610, label: "a"),
            Self.reading(.counter(8), after: 20, metric: 610, label: "a"),
          ], source: .otlp))
    ])
    let rows = try scene.rows(byLabel: true).filter { $0.metric.name == "time.foreground" }
    #expect(Set(rows.map(\.label)).contains("a"))
    for row in rows { #expect(row.aggregate == .counter(CounterSum(steps: 8000, payloads: 2))) }
  }
}
