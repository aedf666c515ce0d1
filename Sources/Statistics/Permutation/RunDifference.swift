/// The difference between the runs of two sides, head minus base, by a permutation test of whole runs.
///
/// Iterations of one run share its machine, its temperature and its caches, so a run counts once. Within a stratum (a
/// machine) the difference is that of the means; strata are weighted by the precision that their numbers of runs give.
public struct RunDifference: Sendable, Equatable {
  public let value: Double
  /// The two-sided 95 % interval: the shifts of the head that the test does not reject. Infinite with too few runs.
  public let low: Double
  public let high: Double
  /// The two-sided p-value of this series alone.
  public let pValue: Double
  /// The p-value among all series that were tested together; at least `pValue`.
  public internal(set) var adjustedPValue: Double
  /// The number of strata with runs of both sides.
  public let strata: Int

  private static let tail = 0.025

  /// Tests several series together. `series`: a value for each run; nil for a run without one. The result is nil for a
  /// series that no stratum has on both sides.
  ///
  /// The adjusted p-value compares a series with the largest difference of any series in each assignment, so that the
  /// probability of any false rejection is limited however many series there are, and however similar they are. P.
  /// Westfall and S. Young, "Resampling-based multiple testing" (1993), single step.
  public static func of(_ series: [[Double?]], _ assignments: RunAssignments) -> [RunDifference?] {
    var largest = [Double](repeating: 0, count: assignments.count)
    var sizes: [Double?] = []
    var results = series.map { values -> RunDifference? in
      guard let course = DifferenceCourse(values, assignments) else {
        sizes.append(nil)
        return nil
      }
      let spread = course.spread
      for index in largest.indices where spread > 0 {
        largest[index] = max(largest[index], course.differences[index].magnitude / spread)
      }
      sizes.append(spread > 0 ? course.differences[0].magnitude / spread : 0)
      return RunDifference(course)
    }
    largest.sort()
    for (index, size) in sizes.enumerated() {
      guard let size, let pValue = results[index]?.pValue else { continue }
      let atLeast = largest.count - largest.firstIndex(atLeast: size * (1 - 1e-9))
      // The p-value of one series doubles the smaller tail, which can be more with unequal sides.
      let adjusted = Double(atLeast) / Double(assignments.count)
      results[index]?.adjustedPValue = max(adjusted, pValue)
    }
    return results
  }

  private init(_ course: DifferenceCourse) {
    let (differences, shares, observed) = (course.differences, course.shares, course.differences[0])
    let (count, slack) = (differences.count, 1e-9 * course.spread)
    value = observed
    let above = differences.count { $0 >= observed - slack }
    let below = differences.count { $0 <= observed + slack }
    pValue = min(1, 2 * Double(min(above, below)) / Double(count))
    adjustedPValue = pValue
    strata = course.strata
    // A shift moves the difference of an assignment by the share of the head's runs that it leaves in the head, so the
    // shift at which it exceeds the observed difference follows directly.
    let shifts = zip(differences, shares).compactMap { $1 < 1 - 1e-9 ? (observed - $0) / (1 - $1) : nil }.sorted()
    let rejected = Int(Self.tail * Double(count)) - (count - shifts.count)
    let isBounded = rejected >= 0 && rejected < shifts.count
    low = isBounded ? min(observed, shifts[rejected]) : -.infinity
    high = isBounded ? max(observed, shifts[shifts.count - 1 - rejected]) : .infinity
  }
}

/// The difference of one series under each assignment, the observed one first.
private struct DifferenceCourse {
  private(set) var differences: [Double] = []
  /// The difference of a series that is 1 for the runs of the head and 0 for others.
  private(set) var shares: [Double] = []
  let strata: Int

  /// Nil if no stratum has runs of both sides.
  init?(_ values: [Double?], _ assignments: RunAssignments) {
    precondition(values.count == assignments.runs)
    let runs = values.indices.filter { values[$0] != nil }
    let groups = Dictionary(grouping: runs, by: { assignments.strata[$0] }).sorted { $0.key < $1.key }.map(\.value)
    let observed = assignments.inHead.prefix(assignments.runs)
    strata = groups.count { group in Set(group.map { observed[$0] }).count == 2 }
    guard strata > 0 else { return nil }
    // Without the stratum's mean, large values lose no digits.
    let centred = groups.map { group in
      let own = group.map { values[$0] ?? 0 }
      let mean = own.reduce(0) { $0 + $1 / Double(own.count) }
      return zip(group, own).map { (run: $0, value: $1 - mean, head: observed[$0]) }
    }
    differences.reserveCapacity(assignments.count)
    shares.reserveCapacity(assignments.count)
    assignments.inHead.withUnsafeBufferPointer { inHead in
      for start in stride(from: 0, to: assignments.count * assignments.runs, by: assignments.runs) {
        var (difference, share, weights) = (0.0, 0.0, 0.0)
        for group in centred {
          var (number, value, head, all, heads) = (0.0, 0.0, 0.0, 0.0, 0.0)
          for run in group {
            let isHead = inHead[start + run.run]
            number += isHead
            value += isHead * run.value
            head += isHead * run.head
            all += run.value
            heads += run.head
          }
          let others = Double(group.count) - number
          guard number > 0, others > 0 else { continue }
          let weight = number * others / Double(group.count)
          weights += weight
          difference += weight * (value / number - (all - value) / others)
          share += weight * (head / number - (heads - head) / others)
        }
        differences.append(weights > 0 ? difference / weights : 0)
        shares.append(weights > 0 ? share / weights : 0)
      }
    }
  }

  /// The standard deviation of the difference if the sides do not differ.
  var spread: Double {
    (differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)).squareRoot()
  }
}

extension [Double] {
  /// The index of the first element of a sorted array that is at least `value`; `count` if there is none.
  fileprivate func firstIndex(atLeast value: Double) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
