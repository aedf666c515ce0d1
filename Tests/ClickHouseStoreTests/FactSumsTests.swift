import Testing
import TestSupport

@testable import ClickHouseStore
@testable import Core
@testable import Statistics
@testable import Storage

@Suite("Aggregates as sums of numbers")
struct FactSumsTests {
  @Test("aggregates survive the conversion to sums of numbers and back", arguments: 0..<200)
  func roundTrip(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    for aggregate in MadeUp.aggregates(&random) + [MadeUp.moments(&random)] {
      #expect(try #require(FactSums(aggregate)).aggregate == aggregate)
    }
  }

  @Test("sums of numbers in any grouping are the merged aggregate", arguments: 0..<50)
  func merging(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    for parts in (0..<5).map({ _ in MadeUp.aggregates(&random) }).transposed() {
      var merged = parts[0]
      for part in parts.dropFirst() { merged.merge(part) }
      let left = added(try parts[..<2].map { try #require(FactSums($0)) })
      let right = added(try parts[2...].map { try #require(FactSums($0)) })
      #expect(added([right, left]).aggregate == merged)
    }
  }

  @Test("aggregates as sums of numbers saturate like the aggregate, and can contain negative changes")
  func extremes() throws {
    for value in [Int64.max, .min, -1, 0x1_0000_0000, -0x1_0000_0000] {
      let counter = Aggregate.counter(CounterSum(steps: value, payloads: 3))
      #expect(try #require(FactSums(counter)).aggregate == counter)
    }
    let large = try #require(FactSums(.counter(CounterSum(steps: .max, payloads: 1))))
    #expect(added([large, large]).aggregate == .counter(CounterSum(steps: .max, payloads: 2)))
    var pair = RatioMoments()
    pair.subtract(x: .max, y: .max)
    pair.subtract(x: .max, y: -5)
    #expect(try #require(FactSums(.pair(pair))).aggregate == .pair(pair))
    var tally = SessionTally()
    tally[.crashed] = -2
    tally[.healthy] = 7
    tally.userDays.subtract(x: 2, y: 3)
    tally.hangs.add(x: 1, y: 1)
    tally.crashedUserDays = -1
    #expect(try #require(FactSums(.sessions(tally))).aggregate == .sessions(tally))
    #expect(FactSums(.users(UserTally())) == nil)
  }

  @Test("sums with more bins and spans than a histogram keeps are joined like a merge")
  func bounds() throws {
    var random = SeededRandom(seed: 7)
    var parts: [Histogram] = []
    for _ in 0..<4 {
      var histogram = Histogram(scheme: .logarithmic)
      var cluster = ClusterSum()
      for _ in 0..<600 {
        let low = Double.random(in: 0.1...1e6, using: &random)
        histogram.insertSpan(low: low, high: low * 1.5, count: 1, stepsPerUnit: 1000, into: &cluster)
      }
      histogram.close(cluster)
      parts.append(histogram)
    }
    let merged = Histogram(sum: parts)
    let sums = try parts.map { try #require(FactSums(.distribution($0))) }
    #expect(added(sums).aggregate == .distribution(merged))
    #expect(
      try added([#require(FactSums(.distribution(merged))), sums[0]]).aggregate == .distribution(merged + parts[0]))
  }

  private func added(_ parts: [FactSums]) -> FactSums {
    var sum = FactSums(form: parts[0].form)
    var entries: [FactSums.Key: Int64] = [:]
    for part in parts {
      for entry in part.entries { entries[entry.key, default: 0] += entry.sum }
      sum.lowest = [sum.lowest, part.lowest].compactMap(\.self).min()
      sum.highest = [sum.highest, part.highest].compactMap(\.self).max()
      sum.coarseness = [sum.coarseness, part.coarseness].compactMap(\.self).max()
    }
    sum.entries = entries.map { ($0.key, $0.value) }
    return sum
  }
}

extension Histogram {
  fileprivate static func + (left: Histogram, right: Histogram) -> Histogram {
    var sum = left
    sum.merge(right)
    return sum
  }
}

extension Array where Element: Collection, Element.Index == Int {
  /// Rows as columns.
  fileprivate func transposed() -> [[Element.Element]] {
    guard let first else { return [] }
    return first.indices.map { index in map { $0[index] } }
  }
}
