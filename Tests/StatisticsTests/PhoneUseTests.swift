import Fleets
import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("The spread of values over phones")
struct PhoneUseTests {
  /// Days of payloads from a table of launches: `counts[phone][day]`.
  private func days(_ counts: [[Int]]) -> [Histogram] {
    counts[0].indices.map { day in
      var histogram = Histogram(scheme: .logarithmic)
      for phone in counts where phone[day] > 0 {
        var payload = ClusterSum()
        for _ in 0..<phone[day] { histogram.insert(500, stepsPerUnit: 1_000, into: &payload) }
        histogram.close(payload)
      }
      return histogram
    }
  }

  /// Σnⱼ²/n over phones: what it would be if payloads said who sent them.
  private func truth(_ counts: [[Int]]) -> Double {
    let totals = counts.map { Double($0.reduce(0, +)) }
    return totals.reduce(0) { $0 + $1 * $1 } / totals.reduce(0, +)
  }

  private func found(_ counts: [[Int]]) -> Double {
    DeviceClusterSize(days(counts)).valuesPerPhone(of: Double(counts.joined().reduce(0, +)))
  }

  @Test("the spread is right for phones that launch equally often and for one that launches a hundred times a day")
  func even() {
    let equal = [[Int]](repeating: [Int](repeating: 40, count: 7), count: 30)
    #expect(abs(found(equal) / truth(equal) - 1) < 0.03)
    let one = equal.map { $0.map { $0 / 20 } } + [[Int](repeating: 100, count: 7)]
    #expect(truth(one) > 400 && abs(found(one) / truth(one) - 1) < 0.03)
  }

  @Test(
    "the estimated spread over phones is never much below the truth if launches vary by chance", arguments: 0..<20
  )
  func random(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let counts = (0..<40).map { phone in
      let level = exp(random.normal())
      return (0..<14).map { _ in random.poisson(1.5 * level) }
    }
    #expect(found(counts) > 0.9 * truth(counts))
    #expect(found(counts) < 1.6 * truth(counts))
  }

  @Test("a burst on one day does not count like one on every day")
  func burst() {
    var counts = [[Int]](repeating: [Int](repeating: 2, count: 7), count: 30)
    counts[0][0] = 100
    #expect(found(counts) > truth(counts))
    #expect(found(counts) < 2 * truth(counts))
  }

  @Test("payloads with one value leave the number of payloads per day")
  func single() {
    #expect(found([[Int]](repeating: [1, 1, 1, 1], count: 10)) == 4)
    #expect(DeviceClusterSize().valuesPerPhone(of: 0) == 1)
  }

  // t quantiles at 95 % and 99.9 %: 2.015 and 5.893 with 5 degrees of freedom, 1.645 and 3.090 with very many.
  @Test("bounds from few phones are wider, like Student's t")
  func fewPhones() {
    let effect = DesignEffect(value: 2, of: 2e6, isClustered: true, freedom: 5)
    #expect(abs(effect.value(atTail: 0.05) / 2 - pow(2.015 / 1.645, 2)) < 0.002)
    #expect(abs(effect.value(atTail: 0.001) / 2 - pow(5.893 / 3.090, 2)) < 0.005)
    #expect(DesignEffect(value: 2, of: 2e6, isClustered: true).value(atTail: 0.05) == 2)
  }

  @Test("if each phone's launches are equal, phones are counted instead of launches")
  func freedom() {
    #expect(abs(DesignEffect(correlation: 1, size: 10, of: 300).freedom - 29) < 1e-9)
    #expect(abs(DesignEffect(correlation: 0, size: 10, of: 300).freedom - 299) < 1e-9)
  }
}
