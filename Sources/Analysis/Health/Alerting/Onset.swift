internal import Core
import Statistics
internal import Storage

/// Estimates when a value began to exceed its limit.
enum Onset {
  /// The index from which the sum of the excess up to the end is largest: the change point by cumulative sums (Page
  /// 1954, "Continuous inspection schemes"). Single good days after it or single bad days before it do not move it. Nil
  /// if no such sum is positive.
  static func start(of excess: [Double]) -> Int? {
    var (sum, most): (Double, Double) = (0, 0)
    var start: Int?
    for index in excess.indices.reversed() {
      sum += excess[index]
      if sum > most { (most, start) = (sum, index) }
    }
    return start
  }
}
