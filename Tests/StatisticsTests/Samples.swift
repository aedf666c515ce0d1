import Foundation
import TestSupport

@testable import Statistics

/// Distributions as apps produce them.
enum Shape: String, CaseIterable {
  case logNormal, bimodal, exponential, uniform, ties

  func samples(_ count: Int, seed: UInt64) -> [Double] {
    var random = SeededRandom(seed: seed)
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
    var random = SeededRandom(seed: seed)
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
