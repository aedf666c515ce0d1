import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// Labels and metrics without end are one series behind the first two thousand of a cell and bin, and sums stay whole.
struct FoldingTests {
  private static func report(_ measurements: [Measurement]) -> [UInt8] {
    Fixture.record(Fixture.report(measurements, source: .native))
  }

  @Test("an unlimited number of labels is added up under (other)")
  func labels() throws {
    let day = MeasurementTime.day(Fixture.today)
    let batch = Fixture.digest(
      (0..<3).map { part in
        Self.report(
          (0..<2_000).map { Measurement(.known(205), label: "label \(part) \($0)", at: day, .samples([Double($0)])) })
      })
    let series = batch.cells.flatMap(\.series.deltas).filter { $0.metric == .known(205) }
    #expect(series.count == 2_002)
    #expect(try #require(batch.histogram(205)).count == 6_000)
    #expect(try #require(batch.histogram(205)).moments.clusters == 3)
    #expect(try #require(batch.histogram(205, label: "(other)")).count == 4_000)
    #expect(series.filter { !$0.label.isEmpty }.reduce(0) { $0 + $1.aggregate.samples } == 6_000)
    #expect(batch.tallies.first { $0.kind == .capped }?.count == 4_000)
  }

  @Test("an unlimited number of custom metrics is added up by unit and kind")
  func metrics() throws {
    let day = MeasurementTime.day(Fixture.today)
    let measurements = (0..<5_000).map { number in
      Measurement(
        .custom(
          name: "own.\(number)", unit: number % 2 == 0 ? .count : .milliseconds,
          kind: number % 3 == 0 ? .counter : .distribution), at: day, number % 3 == 0 ? .counter(1) : .samples([1]))
    }
    let batch = Fixture.digest([Self.report(measurements)])
    let folded = batch.cells.flatMap(\.series.deltas).filter { $0.metric.name == "(other)" }
    #expect(folded.count == 4)
    #expect(folded.allSatisfy { $0.label.isEmpty })
    let values = folded.reduce(0) { sum, series in
      if case .counter(let counter) = series.aggregate {
        sum + Int(counter.payloads)
      } else {
        sum + series.aggregate.samples
      }
    }
    #expect(values == 3_000)
  }
}
