import Fleets
import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("Rates of phones that differ")
struct RateSampleTests {
  /// A payload a phone on one day.
  private func day(_ x: [Int64], _ y: Int64) -> RatioMoments {
    var sums = RatioMoments()
    for own in x { sums.add(x: own, y: y) }
    return sums
  }

  /// G. Zou and A. Donner (2008) of Garwood's printed bounds, 4.795–18.390 for ten events: 10 − 10 ∓ √(5.205² + 8.390²) of 2,000
  /// launches.
  @Test("ten exits against ten in 2,000 launches leave a difference of 4.9 per thousand possible either way")
  func tenAgainstTen() throws {
    let rate = try #require(RateSample(days: [day(.init(repeating: 1, count: 10), 200)], events: .one))
    let side = try #require(ComparableEstimate(rate, factor: 1_000))
    let difference = try #require(Difference.of([Stratum(base: side, head: side, weight: 1)]))
    #expect(difference.value == 0 && difference.pValue == 1)
    #expect(abs(difference.high - 4.937) < 0.01 && abs(difference.low + 4.937) < 0.01)
  }

  /// The same with 12.217–30.888 for twenty and 20.241–42.827 for thirty events.
  @Test("twenty hangs of one length against thirty are not a certain difference")
  func equalHangs() throws {
    let size = RateSample.EventSize(weighted: 300, assumed: 1_000, events: 1e9)
    func side(_ hangs: Int64) throws -> ComparableEstimate {
      let days = [day(.init(repeating: 300 * hangs / 10, count: 10), 3_600_000)]
      let rate = try #require(RateSample(days: days, events: size))
      return try #require(ComparableEstimate(rate, factor: 3_600))
    }
    let (base, head) = (try side(20), try side(30))
    let difference = try #require(Difference.of([Stratum(base: base, head: head, weight: 1)]))
    // Ten hangs of 0.3 s in ten hours are 0.3 s/h; each of the ten hours adds 0.03 s/h.
    #expect(abs(difference.value - 0.3) < 1e-9)
    #expect(abs(difference.low - 0.03 * (10 - 14.626)) < 0.005 && abs(difference.high - 0.03 * (10 + 15.0)) < 0.005)
    #expect((0.15...0.25).contains(difference.pValue))
  }

  @Test("no events in ten payloads on each side may hide three events")
  func noEvents() throws {
    let rate = try #require(RateSample(days: [day(.init(repeating: 0, count: 10), 60)], events: .one))
    let side = try #require(ComparableEstimate(rate, factor: 1))
    let difference = try #require(Difference.of([Stratum(base: side, head: side, weight: 1)]))
    // −ln 0.025 = 3.689 events of 600.
    #expect(abs(difference.high - 3.689 / 600) < 1e-4 && difference.low == -difference.high)
  }

  @Test("fewer than ten payloads have a rate without bounds, and without y there is no rate")
  func few() throws {
    let nine = try #require(RateSample(days: [day(.init(repeating: 2, count: 9), 10)], events: .one))
    #expect(nine.value == 0.2 && nine.bounds(tail: 0.025) == nil)
    #expect(RateSample(days: [day([], 0)], events: .one) == nil)
  }

  @Test("phones that differ and send every day make a rate as uncertain as so few phones, by brute force")
  func persistentPhones() throws {
    var random = SeededRandom(seed: 31)
    var rates: [Double] = []
    var widths: [Double] = []
    for _ in 0..<300 {
      let levels = (0..<100).map { _ in 3 * random.gamma(1) }
      let days = (0..<14).map { _ in day(levels.map { Int64(random.poisson($0)) }, 1) }
      let sample = try #require(RateSample(days: days, events: .one))
      rates.append(sample.value)
      let bounds = try #require(sample.bounds(tail: 0.025))
      widths.append((bounds.high - bounds.low) / (2 * 1.96))
    }
    let mean = rates.reduce(0, +) / 300
    let deviation = (rates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 299).squareRoot()
    let claimed = widths.reduce(0, +) / 300
    #expect((0.95...1.35).contains(claimed / deviation))
    // Taken as 1,400 independent payloads it would be a quarter of that.
    #expect(deviation > 3 * (3.0 * 4 / 1_400).squareRoot())
  }

  @Test(
    "events beyond 2^53 and rates of any size have finite bounds in order", arguments: [1, 1_000, Int64.max / 100])
  func extremes(x: Int64) throws {
    for y in [1, 1_000_000, Int64.max / 100] {
      let sample = try #require(RateSample(days: [day([x, 0, x, 1, 2, 3, 4, 5, 6, 7, 8], y)], events: .one))
      let bounds = try #require(sample.bounds(tail: 0.001))
      #expect(bounds.low >= 0 && bounds.low <= sample.value && bounds.high >= sample.value && bounds.high < .infinity)
    }
  }
}
