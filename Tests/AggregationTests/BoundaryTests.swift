import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// Counts and values at the largest that decoders let through, and beyond it, as a damaged journal may hold them.
@Suite("The largest and smallest numbers of a record")
struct BoundaryTests {
  private static let now = MeasurementTime.instant(Fixture.now)

  private static func histograms(_ count: Int, buckets: Int, of size: Int, label: String = "") -> [Measurement] {
    let spans = (0..<buckets).map { Span(low: Double($0), high: Double($0 + 1), count: size) }
    return (0..<count).map { _ in Measurement(.known(100), label: label, at: now, .spans(spans)) }
  }

  @Test("sixty histograms of a thousand full buckets in one document are digested, and their sums saturate")
  func fullBuckets() throws {
    // 6·10^16 values, whose indices add up to more than 64 bits hold.
    let most = Fixture.report(Self.histograms(60, buckets: 1_000, of: 1_000_000_000_000, label: "x"), source: .native)
    // What a hundred and fifty of these come to.
    let more = Fixture.report(Self.histograms(60, buckets: 3, of: .max / 100, label: "x"), source: .native)
    let batch = Fixture.digest([most, more, more].map { Fixture.record($0) })
    let all = [batch].sums.values.compactMap(\.histogram)
    let histogram = try #require(all.max { $0.count < $1.count })
    // Values stand in the bin of their five minutes, clusters in that of the day.
    #expect(histogram.count == .max && all.map(\.moments.clusters).max() == 3)
    var merged = histogram
    merged.merge(histogram)
    #expect(merged.count == .max)
    #expect(HistogramReader(merged, stepsPerUnit: 1000).quantile(0.5)?.value.isNaN == false)
  }

  @Test("any number in a record is digested or counted as damaged, and digested ones can be stored")
  func extremes() throws {
    let doubles: [Double] = [
      0, .leastNonzeroMagnitude, 1, 0x1p53, 1e15, 1e15.nextUp, 0x1p63, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
      -1, -.infinity,
    ]
    let counts = [0, 1, 1_000_000_000_000, 1_000_000_000_001, 1 << 53, .max]
    var records: [[UInt8]] = []
    for metric in [
      MetricReference.known(100), .known(200), .known(610), .known(700),
      .custom(name: "m", unit: .count, kind: .counter),
    ] {
      var measurements: [Measurement] = []
      for value in doubles {
        for time in [
          Self.now, .day(Fixture.today), .instant(Timestamp(milliseconds: .max)),
          .instant(Timestamp(milliseconds: .min)),
        ] {
          measurements.append(Measurement(metric, at: time, .counter(value)))
          measurements.append(Measurement(metric, label: "l", at: time, .samples([value, value])))
        }
        for count in counts {
          measurements += doubles.map {
            Measurement(metric, at: Self.now, .spans([Span(low: value, high: $0, count: count)]))
          }
          measurements.append(
            Measurement(
              metric, at: Self.now,
              .exponential(
                ExponentialBuckets(
                  scale: 6, zeros: count,
                  buckets: [.init(index: -(1 << 40), count: count), .init(index: 1 << 40, count: count)])
              ),
              extent: Extent(sum: value, minimum: value, maximum: value)))
        }
      }
      records.append(Fixture.record(Fixture.report(measurements, source: .native)))
    }
    let batch = Fixture.digest(records)
    #expect(!batch.cells.isEmpty && !batch.tallies.contains { $0.reason == "damaged record" })
    for aggregate in [batch, batch].sums.values {
      var writer = ByteWriter()
      aggregate.encode(into: &writer)
      let bytes = writer.bytes
      #expect(
        try bytes.withUnsafeBytes { buffer in
          var reader = ByteReader(buffer)
          return try Aggregate(from: &reader)
        } == aggregate)
    }
  }

  @Test("sessions and diagnostics with any time are digested")
  func times() {
    let times = [Int64.min, .min + 1, -1, 0, .max - 1, .max].map { Timestamp(milliseconds: $0) }
    var report = Fixture.report(
      sessions: times.map { SessionUpdate(id: "s", outcome: .crashed, started: $0, updated: $0) }, source: .native)
    report.diagnostics = times.map { Diagnostic(kind: .crash, time: .instant($0), identity: 1, body: PackedJSON([])) }
    let batch = Fixture.digest([Fixture.record(report)])
    #expect(batch.sessions.count == times.count && batch.diagnostics.count == times.count)
    for time in times {
      #expect(time.iso.utf8.count >= 20 && time.day().iso.utf8.count >= 10)
      #expect((time.day() + .max).number >= (time.day() - .max).number)
    }
  }

  @Test("counts next to numbers saturate at the reader's limit")
  func remarks() {
    var report = Fixture.report(Self.histograms(1, buckets: 1, of: 1))
    report.rejectedSamples = .max
    report.losses = [ClientLoss(category: "error", reason: "r", quantity: .max)]
    let batch = Fixture.digest([Fixture.record(report), Fixture.tally(.rejected, "syntax", count: .max)])
    #expect(!batch.tallies.contains { $0.reason == "damaged record" })
    #expect(batch.tallies.filter { $0.count == 1 << 48 }.count == 3)
  }

  @Test("a record that is damaged at its end contributes nothing", arguments: [1, 2, 8])
  func lateDamage(missing: Int) {
    var report = Fixture.report(
      Self.histograms(2, buckets: 3, of: 5), sessions: [SessionUpdate(id: "s", outcome: .healthy, started: Fixture.now)]
    )
    report.losses = [ClientLoss(category: "error", reason: "r", quantity: 3)]
    let record = Fixture.record(report)
    let batch = Fixture.digest([Array(record.dropLast(missing)), Fixture.tally(.limited, "rate", count: 1)])
    #expect(batch.cells.isEmpty && batch.sessions.isEmpty && batch.diagnostics.isEmpty)
    #expect(batch.tallies.map(\.reason).sorted() == ["damaged record", "rate"])
    // The same one whole counts.
    #expect(!Fixture.digest([record]).cells.isEmpty)
  }

  @Test("a catalogue metric after forty thousand series of a client's own is one series")
  func manySeries() {
    var measurements = (0..<40_000).map {
      Measurement(.custom(name: "m\($0)", unit: .count, kind: .counter), at: Self.now, .counter(1))
    }
    measurements += (0..<3).map { _ in Measurement(.known(610), at: Self.now, .counter(7)) }
    let batch = Fixture.digest([Fixture.record(Fixture.report(measurements, source: .native))])
    let series = batch.cells.flatMap(\.series.deltas).filter { $0.metric == .known(610) }
    #expect(series.count == 1)
    guard case .counter(let sum)? = series.first?.aggregate else { return #expect(Bool(false), "no counter") }
    #expect(sum.payloads == 3 && sum.steps > 0)
  }
}

extension Aggregate {
  fileprivate var histogram: Histogram? {
    guard case .distribution(let histogram) = self else { return nil }
    return histogram
  }
}
