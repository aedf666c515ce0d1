import Foundation

/// The values of one series: the first ones exactly, many as a histogram. A thousand bodies per second therefore cost
/// no more than ten.
struct Values: Equatable {
  /// The number of values that are kept exactly.
  static let exact = 32

  private(set) var samples: [Double] = []
  private(set) var counts: [Bucket: Int] = [:]
  private let isCount: Bool

  init(isCount: Bool) { self.isCount = isCount }

  mutating func add(_ value: Double) {
    if counts.isEmpty, samples.count < Self.exact {
      samples.append(value)
      return
    }
    for sample in samples { counts[Bucket(sample, isCount: isCount), default: 0] += 1 }
    samples = []
    counts[Bucket(value, isCount: isCount), default: 0] += 1
  }

  /// The histogram in native JSON's form: n ascending bounds and n + 1 counts. The first bucket starts at 0, and the
  /// last has no upper bound.
  var histogram: (bounds: [Double], counts: [Int])? {
    guard !counts.isEmpty else { return nil }
    var bounds: [Double] = []
    var numbers = [0]
    for (bucket, count) in counts.sorted(by: { $0.key.low < $1.key.low }) {
      // The server starts the first bucket at 0.
      if bucket.low == 0 {
        bounds.append(bucket.high)
        numbers[0] = count
        numbers.append(0)
        continue
      }
      if bounds.last != bucket.low {
        bounds.append(bucket.low)
        numbers.append(0)
      }
      bounds.append(bucket.high)
      numbers[numbers.count - 1] = count
      numbers.append(0)
    }
    return (bounds, numbers)
  }
}

/// A range of values. There are sixteen buckets per doubling, at most 4.5 % wide. Whole numbers up to 64 have one
/// bucket each.
struct Bucket: Hashable {
  let low: Double
  let high: Double

  init(_ value: Double, isCount: Bool) {
    if isCount, value <= 64, value == value.rounded(), value > 0 {
      // The bucket ends at the number, so that a budget of `<= 5` holds for 5.
      low = value - 0.001
      high = value
      return
    }
    guard value >= 0.001 else {
      low = 0
      high = 0.001
      return
    }
    let step = (log2(value) * 16).rounded(.down)
    low = Self.edge(step)
    high = Self.edge(step + 1)
  }

  private static func edge(_ step: Double) -> Double { max(0.001, exp2(step / 16)) }
}
