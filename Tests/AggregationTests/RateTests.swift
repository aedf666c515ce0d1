import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// Rates and ratios whose two sides come from different sections of one payload; every number here was added by hand.
struct RateTests {
  private static let day = MeasurementTime.day(Fixture.today)

  private static func digest(_ payloads: [Measurement]...) -> DigestedBatch {
    Fixture.digest(payloads.map { Fixture.record(Fixture.report($0)) })
  }

  private static func counter(_ metric: UInt16, _ value: Double) -> Measurement {
    Measurement(.known(metric), at: day, .counter(value))
  }

  @Test("hang time counts buckets that end above 250 ms by their middle, and beyond 9 s by their start")
  func hangRate() throws {
    let hangs = Measurement(
      .known(200), at: Self.day,
      .spans([
        Span(low: 0, high: 250, count: 100), Span(low: 250, high: 300, count: 4), Span(low: 200, high: 400, count: 2),
        Span(low: 9000, high: .infinity, count: 1),
      ]))
    let batch = Self.digest([hangs, Self.counter(610, 700)])
    let rate = try #require(batch.pair(202))
    // 4·275 + 2·300 + 9000 ms in 700,000 ms.
    #expect(rate.x == 10_700)
    #expect(rate.y == 700_000)
    #expect(rate.clusters == 1)
    let frequency = try #require(batch.pair(201))
    #expect(frequency.x == 7)
    #expect(frequency.y == 700_000)
  }

  @Test("an absent hang section means zero hangs, because iOS omits empty sections")
  func absentHangs() throws {
    let batch = Self.digest([Self.counter(610, 60)], [Self.counter(610, 40)])
    let rate = try #require(batch.pair(202))
    #expect(rate.x == 0)
    #expect(rate.y == 100_000)
    #expect(rate.clusters == 2)
    #expect(batch.histogram(200) == nil)
  }

  @Test("hangs without a time of use give no rate, but still a distribution")
  func hangsWithoutUse() throws {
    let batch = Self.digest([Measurement(.known(200), at: Self.day, .spans([Span(low: 300, high: 400, count: 2)]))])
    #expect(batch.pair(202) == nil)
    #expect(batch.pair(201) == nil)
    #expect(try #require(batch.histogram(200)).count == 2)
  }

  @Test("foreground limit exits are the watchdog and memory-limit exits among all foreground exits")
  func limits() throws {
    let batch = Self.digest([
      Self.counter(700, 60), Self.counter(701, 2), Self.counter(706, 1), Self.counter(704, 3),
      // Background exits do not matter here.
      Self.counter(750, 500), Self.counter(751, 9),
    ])
    let pair = try #require(batch.pair(5))
    #expect(pair.x == 3)
    #expect(pair.y == 66)
  }

  @Test("foreground terminations are abnormal exits divided by launches and resumes")
  func abnormal() throws {
    let launches = [(100, 40), (101, 5), (102, 55)].map { metric, count in
      Measurement(.known(UInt16(metric)), at: Self.day, .spans([Span(low: 0, high: 10, count: count)]))
    }
    let batch = Self.digest(launches + [Self.counter(700, 60), Self.counter(701, 2), Self.counter(703, 4)])
    let pair = try #require(batch.pair(4))
    #expect(pair.x == 6)
    #expect(pair.y == 100)
  }

  @Test("an absent exit section is unknown, not zero exits")
  func absentExits() {
    let launch = Measurement(.known(100), at: Self.day, .spans([Span(low: 0, high: 10, count: 3)]))
    let batch = Self.digest([launch, Self.counter(610, 60)])
    #expect(batch.pair(5) == nil)
    #expect(batch.pair(4) == nil)
    #expect(batch.counter(700) == nil)
  }

  @Test("an exit section of zeros is known: zero of zero")
  func zeroExits() throws {
    let pair = try #require(Self.digest([Self.counter(700, 0), Self.counter(706, 0)]).pair(5))
    #expect(pair.x == 0)
    #expect(pair.y == 0)
    #expect(pair.clusters == 1)
  }

  @Test("every payload with measurements is counted once, whatever its content")
  func payloads() throws {
    let batch = Self.digest(
      [Self.counter(610, 60), Self.counter(611, 1)], [Self.counter(610, 0)],
      [Measurement(.known(400), at: Self.day, .samples([1]))])
    #expect(batch.counter(Catalogue.payloads) == CounterSum(steps: 3, payloads: 3))
    #expect(batch.counter(610) == CounterSum(steps: 60_000, payloads: 2))
    #expect([batch].tallies["1 accepted MetricKit"] == 3)
  }
}
