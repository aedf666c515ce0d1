import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// One payload is one cluster of a metric and day: the launches of one phone are alike.
struct ClusterTests {
  private static let screen: UInt16 = 205

  @Test("a payload with several five-minute bins and labels is one cluster in the sum and one per label")
  func severalBins() throws {
    let measurements = (0..<6).map { index in
      Measurement(
        .known(Self.screen), label: index < 4 ? "Cart" : "Home", at: .instant(Fixture.now.minutesEarlier(index * 10)),
        .samples([100, 200]))
    }
    let batch = Fixture.digest([Fixture.record(Fixture.report(measurements, source: .native))])
    let all = try #require(batch.histogram(Self.screen))
    #expect(all.count == 12)
    #expect(all.moments.clusters == 1)
    #expect(all.moments.squares == 144)
    #expect(try #require(batch.histogram(Self.screen, label: "Cart")).moments.squares == 64)
    #expect(try #require(batch.histogram(Self.screen, label: "Home")).moments.squares == 16)
    #expect(try #require(batch.histogram(Self.screen, label: "Home")).moments.clusters == 1)
    let bins = Set(batch.cells.map(\.bin).filter { $0.resolution == .fiveMinutes })
    #expect(bins.count == 6)
  }

  @Test("two labels of one calendar day are one cluster in the sum")
  func labelsOfADay() throws {
    let day = MeasurementTime.day(Fixture.today)
    let measurements = ["Cart", "Home"].map {
      Measurement(.known(Self.screen), label: $0, at: day, .spans([Span(low: 100, high: 200, count: 3)]))
    }
    let batch = Fixture.digest([Fixture.record(Fixture.report(measurements))])
    let all = try #require(batch.histogram(Self.screen))
    #expect(all.moments.clusters == 1)
    #expect(all.moments.squares == 36)
    #expect(try #require(batch.histogram(Self.screen, label: "Cart")).moments.clusters == 1)
  }

  @Test("a payload across midnight is one cluster on each of its days")
  func twoDays() throws {
    let measurements = [0, 11 * 60].map {
      Measurement(.known(Self.screen), at: .instant(Fixture.now.minutesEarlier($0)), .samples([100]))
    }
    let batch = Fixture.digest([Fixture.record(Fixture.report(measurements, source: .native))])
    let all = try #require(batch.histogram(Self.screen))
    #expect(all.moments.clusters == 2)
    #expect(Set(batch.cells.map(\.bin.day)) == [Fixture.today, Fixture.today - 1])
  }

  @Test("two payloads are two clusters, with the sums of squares of their sizes")
  func twoPayloads() throws {
    func payload(_ count: Int) -> [UInt8] {
      Fixture.record(
        Fixture.report([
          Measurement(.known(100), at: .day(Fixture.today), .spans([Span(low: 800, high: 900, count: count)]))
        ]))
    }
    let all = try #require(Fixture.digest([payload(3), payload(5)]).histogram(100))
    #expect(all.moments.clusters == 2)
    #expect(all.moments.squares == 9 + 25)
    // Middle of the span, 850: bin ⌈64·log₂ 850⌉ − 1 = 622; B = Σ⌊16·(622·n)²/n⌋ = 16·622²·8.
    #expect(all.moments.between == 16 * 622 * 622 * 8)
  }

  @Test("a labelled measurement counts for its label and the sum, an unlabelled one only for the sum")
  func labels() throws {
    let day = MeasurementTime.day(Fixture.today)
    let batch = Fixture.digest([
      Fixture.record(
        Fixture.report([
          Measurement(.known(500), label: "api.example.com", at: day, .samples([10, 20])),
          Measurement(.known(500), at: day, .samples([30])),
        ]))
    ])
    #expect(try #require(batch.histogram(500)).count == 3)
    #expect(try #require(batch.histogram(500)).sum == 60_000)
    #expect(try #require(batch.histogram(500, label: "api.example.com")).count == 2)
  }
}
