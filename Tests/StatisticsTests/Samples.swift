import Foundation

@testable import Statistics

/// Random numbers that are the same in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }

  mutating func poisson(_ mean: Double) -> Int {
    var product = uniform()
    let limit = exp(-mean)
    var count = 0
    while product > limit {
      product *= uniform()
      count += 1
    }
    return count
  }
}

/// Distributions as apps produce them.
enum Shape: String, CaseIterable {
  case logNormal, bimodal, exponential, uniform, ties

  func samples(_ count: Int, seed: UInt64) -> [Double] {
    var random = Seeded(seed)
    return (0..<count).map { _ in
      switch self {
      case .logNormal: exp(6 + 0.6 * random.normal())
      case .bimodal: random.uniform() < 0.7 ? 300 + 20 * random.normal() : 2_000 + 150 * random.normal()
      case .exponential: -log(1 - random.uniform()) * 80
      case .uniform: 5 + 95 * random.uniform()
      case .ties: [0, 8, 16, 16, 16, 33, 50][Int(random.next() % 7)]
      }
    }
    .map { max(0, $0) }
  }
}

extension Histogram {
  /// Each value a payload of its own, or all of one payload.
  init(_ values: [Double], scheme: BinScheme = .logarithmic, perPayload: Int = 1) {
    self.init(scheme: scheme)
    for start in stride(from: 0, to: values.count, by: perPayload) {
      var payload = ClusterSum()
      for value in values[start..<min(start + perPayload, values.count)] {
        insert(value, stepsPerUnit: 1_000, into: &payload)
      }
      close(payload)
    }
  }

  /// Random spans, some of them points or infinite, and random samples.
  static func mixed(seed: UInt64, spans: Int = 40, widths: [Double] = [10, 0, 2.5, .infinity]) -> Histogram {
    var random = Seeded(seed)
    var histogram = Histogram(scheme: .logarithmic)
    for _ in 0..<4 {
      var payload = ClusterSum()
      for _ in 0..<spans / 4 {
        let low = Double(random.next() % 2_000) / 2
        let width = widths[Int(random.next() % UInt64(widths.count))]
        let count = 1 + Int(random.next() % 5)
        histogram.insertSpan(low: low, high: low + width, count: count, stepsPerUnit: 1_000, into: &payload)
        histogram.insert(low * random.uniform(), stepsPerUnit: 1_000, into: &payload)
      }
      histogram.close(payload)
    }
    return histogram
  }
}
