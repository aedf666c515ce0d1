import Foundation
import Testing
import TestSupport

@testable import Statistics

@Suite("Design effects")
struct DesignEffectTests {
  /// A fleet's values, payload by payload.
  private func payloads(_ count: Int, likeness: Double, seed: UInt64) -> [[Double]] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      let level = random.normal() * likeness.squareRoot()
      return (0..<2 + Int(random.next() % 6)).map { _ in
        600 * exp(0.4 * (level + random.normal() * (1 - likeness).squareRoot()))
      }
    }
  }

  private func histogram(_ payloads: [[Double]]) -> Histogram {
    var histogram = Histogram(scheme: .logarithmic)
    for payload in payloads {
      var cluster = ClusterSum()
      for value in payload { histogram.insert(value, stepsPerUnit: 1_000, into: &cluster) }
      histogram.close(cluster)
    }
    return histogram
  }

  /// The textbook's one-way analysis of variance on the indices themselves.
  private func correlation(_ payloads: [[Double]]) -> Double {
    let groups = payloads.map { $0.map { Double(BinScheme.logarithmic.index(of: $0)) } }
    let n = Double(groups.reduce(0) { $0 + $1.count })
    let k = Double(groups.count)
    let mean = groups.joined().reduce(0, +) / n
    var (between, within, squares) = (0.0, 0.0, 0.0)
    for group in groups {
      let own = group.reduce(0, +) / Double(group.count)
      between += Double(group.count) * (own - mean) * (own - mean)
      within += group.reduce(0) { $0 + ($1 - own) * ($1 - own) }
      squares += Double(group.count * group.count)
    }
    let (msb, msw) = (between / (k - 1), within / (n - k))
    return (msb - msw) / (msb + ((n - squares / n) / (k - 1) - 1) * msw)
  }

  @Test("the correlation equals an analysis of variance on the raw samples", arguments: [0.2, 0.5, 0.8])
  func correlationAgrees(likeness: Double) {
    let payloads = payloads(300, likeness: likeness, seed: 21)
    let truth = correlation(payloads)
    #expect(abs(IntraclassCorrelation(of: histogram(payloads)).estimate - truth) < 1e-3)
    #expect(abs(truth - likeness) < 0.12)
  }

  @Test("an estimate that chance explains counts little, and a clear one fully")
  func shrinking() {
    let clear = IntraclassCorrelation(of: histogram(payloads(300, likeness: 0.5, seed: 3)))
    #expect(clear.shrunken > 0.98 * clear.estimate && clear.shrunken < clear.estimate)
    let chance = (0..<200).map { seed in
      IntraclassCorrelation(of: histogram(payloads(40, likeness: 0, seed: UInt64(seed))))
    }
    let mean = chance.reduce(0) { $0 + $1.shrunken } / 200
    #expect(mean < 0.85 * chance.reduce(0) { $0 + $1.estimate } / 200)
  }

  /// Standard errors as they really scatter: positive estimates from independent payloads have a root mean square of it.
  @Test("the standard error equals the scatter of estimates from different payloads")
  func standardError() {
    let found = (0..<400).map { IntraclassCorrelation(of: histogram(payloads(60, likeness: 0, seed: UInt64($0)))) }
      .filter { $0.estimate > 0 }
    let scatter = (found.reduce(0) { $0 + $1.estimate * $1.estimate } / Double(found.count)).squareRoot()
    let stated = found.reduce(0) { $0 + $1.error } / Double(found.count)
    #expect(abs(scatter / stated - 1) < 0.15)
  }

  /// ρ from SciPy's F = MSB/MSW: (F − 1)/(F − 1 + n₀), n₀ the mean size of payloads corrected for their unevenness.
  @Test("the correlation equals SciPy's analysis of variance")
  func scipy() {
    for row in ScipyReference.oneWay {
      var rest = row.dropFirst(2)[...]
      var payloads: [[Double]] = []
      while let size = rest.popFirst() {
        payloads.append(Array(rest.prefix(Int(size))))
        rest = rest.dropFirst(Int(size))
      }
      let sizes = payloads.map { Double($0.count) }
      let n = sizes.reduce(0, +)
      let size = (n - sizes.reduce(0) { $0 + $1 * $1 } / n) / Double(payloads.count - 1)
      let truth = max(0, (row[0] - 1) / (row[0] - 1 + size))
      var histogram = Histogram(scheme: .integer)
      for payload in payloads {
        var cluster = ClusterSum()
        for value in payload { histogram.insert(value, stepsPerUnit: 1, into: &cluster) }
        histogram.close(cluster)
      }
      // A payload's squared sum over its size is kept in sixteenths.
      #expect(abs(IntraclassCorrelation(of: histogram).estimate - truth) < 1e-3, "\(truth)")
    }
  }

  @Test("independent values keep almost all of their weight")
  func independent() {
    let values = (0..<40).map { seed in
      let histogram = histogram(payloads(100, likeness: 0, seed: UInt64(seed)))
      return DesignEffect.forDistribution(histogram, phones: DeviceClusterSize([histogram]), oneValuePerCluster: false)
        .value
    }
    #expect(values.reduce(0, +) / 40 < 1.1)
  }

  /// By hand, of values that never differ: m = 1 + (Σn² − N)/N, an even share is N over the payloads, and what few phones cannot
  /// show is 2.5 over their squared number.
  @Test("some correlation is assumed, and more if one phone has most of the values")
  func leastLikeness() {
    func effect(_ sizes: [Int]) -> Double {
      let histogram = histogram(sizes.map { [Double](repeating: 5, count: $0) })
      return DesignEffect.forDistribution(histogram, phones: DeviceClusterSize([histogram]), oneValuePerCluster: false)
        .value
    }
    #expect(abs(effect([Int](repeating: 20, count: 30)) - (1 + (0.005 + 2.5 / 900) * 19)) < 1e-9)
    // 49 of 1 and one of 951: m = 1 + (951² − 951)/1000 = 904.45, an even share is 20.
    let (size, even) = (904.45, 20.0)
    let least = 0.03 * (size - even) / size + 2.5 / 2_500
    #expect(abs(effect([Int](repeating: 1, count: 49) + [951]) - (1 + least * (size - 1))) < 1e-9)
  }

  @Test("payloads with one value weigh as if half correlated: 1 + 0.5·(N/D - 1)")
  func oneValue() {
    let histogram = Histogram((1...280).map(Double.init))
    let days = (0..<28).map { day in Histogram((1...10).map { Double(10 * day + $0) }) }
    let effect = DesignEffect.forDistribution(histogram, phones: DeviceClusterSize(days), oneValuePerCluster: false)
    #expect(effect.value == 14.5)
    #expect(effect.isClustered)
    let few = Histogram((1...9).map(Double.init))
    let basis = DesignEffect.forDistribution(few, phones: DeviceClusterSize([few]), oneValuePerCluster: true)
    #expect(basis == DesignEffect(value: 1, of: 9, isClustered: false))
  }

  @Test("values that never differ, or differ only between payloads, give 0 and 1")
  func degenerate() {
    #expect(IntraclassCorrelation(of: histogram(Array(repeating: [5, 5], count: 20))).estimate == 0)
    #expect(IntraclassCorrelation(of: histogram((1...20).map { [Double($0), Double($0)] })).estimate > 0.999)
  }

  @Test("a ratio's design effect is the variance of clusters over that of independent events")
  func ratio() {
    var moments = RatioMoments()
    for cluster in 0..<100 { moments.add(x: cluster == 0 ? 10 : 0, y: 10) }
    // p = 0.01; Σ(k - pn)² = 9.9² + 99·0.1² = 99; n·p·q = 9.9.
    let effect = DesignEffect.forRatio(k: 10, n: 1_000, moments: moments)
    #expect(abs(effect.value - 10) < 1e-9)
    #expect(abs(effect.nEffective - 100) < 1e-6)
    #expect(DesignEffect.forRatio(k: 990, n: 1_000, moments: moments) == effect)
    #expect(DesignEffect.forRatio(k: 0, n: 0, moments: RatioMoments()).value == 1)
  }

  /// Releases that differ by half and classes of devices by a third, independent of each other; within both, payloads are
  /// independent.
  @Test("differences between releases and device classes are not correlation within phones")
  func partitions() {
    var random = SeededRandom(seed: 77)
    var cells: [[Histogram]] = []
    for speed in [1.0, 1.5] {
      cells.append(
        [1.0, 1.33].map { kind in
          histogram((0..<200).map { _ in (0..<5).map { _ in 500 * speed * kind * exp(0.3 * random.normal()) } })
        })
    }
    let whole = Histogram(sum: cells.flatMap { $0 })
    let releases = cells.map { Histogram(sum: $0) }
    let classes = (0..<2).map { kind in Histogram(sum: cells.map { $0[kind] }) }
    func likeness(_ partitions: [[Histogram]]) -> Double {
      IntraclassCorrelation(of: whole, partitions: partitions.map { $0.map { IntraclassCorrelationSums($0) } }).estimate
    }
    #expect(likeness([]) > 0.35 && likeness([releases]) > 0.1 && likeness([releases]) < likeness([]) - 0.1)
    // Half of what classes alone leave is left, in case releases and classes go together.
    #expect(likeness([releases, classes]) < 0.06 && likeness([releases, classes]) < likeness([classes]) / 2)
    // Within the four cells themselves it is none, either.
    #expect(abs(likeness([releases, classes]) - IntraclassCorrelation(within: cells.flatMap { $0 }).estimate) < 0.06)
    // The same partition twice leaves at least half of what it leaves once; one that misses values explains nothing.
    #expect(likeness([releases, releases]) > 0.04)
    #expect(likeness([[releases[0]]]) == likeness([]) && likeness([[releases[0], cells[1][0]]]) == likeness([]))
  }
}
