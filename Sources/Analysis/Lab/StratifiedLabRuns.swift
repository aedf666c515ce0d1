import Core
import Foundation
import Statistics

/// The runs of performance tests of two sides, and the numbers by which they are compared.
///
/// A stratum has the runs of one runner on the same devices. Its runs can be exchanged if the sides do not differ.
struct StratifiedLabRuns {
  /// The runs of the base, then those of the head.
  let runs: [LabRun]
  let inHead: [Bool]
  /// The runners that have runs of both sides, sorted.
  let commonRunners: [String]
  private let strata: [Int]
  /// The strata with runs of both sides; all if there are none.
  private let compared: Set<Int>

  init(base: [LabRun], head: [LabRun]) {
    runs = base + head
    inHead = base.map { _ in false } + head.map { _ in true }
    commonRunners = Set(base.map(\.runner)).intersection(head.map(\.runner)).sorted()
    let names = runs.map { [$0.runner] + Set($0.series.map(\.device)).sorted() }
    var known: [[String]: Int] = [:]
    let strata = names.map { name in
      let stratum = known[name] ?? known.count
      known[name] = stratum
      return stratum
    }
    self.strata = strata
    let sides = [base.indices, base.count..<runs.count].map { Set(strata[$0]) }
    let common = sides[0].intersection(sides[1])
    compared = common.isEmpty ? Set(strata) : common
  }

  /// The number of a side's runs that are compared: those that have runs of the other side on the same runner and
  /// devices, or all if no run has.
  func count(head: Bool) -> Int { runs.indices.count { inHead[$0] == head && compared.contains(strata[$0]) } }

  /// The assignments for a test of several series at once. With many series there are fewer, so that a test takes about
  /// a second at most.
  func assignments(series: Int, most: Int = 10_000) -> RunAssignments {
    let affordable = Self.mostOperations / max(1, runs.count * series)
    return RunAssignments(strata: strata, inHead: inHead, most: min(most, max(1_000, affordable)))
  }

  private static let mostOperations = 200_000_000

  /// One number for each run from the medians of its series.
  ///
  /// A run's number is the mean over the series that all runs of its stratum have, so that a series that only one side
  /// has changes nothing. It is a mean of logarithms if all medians are positive.
  func measure(where isWanted: (LabSeries) -> Bool) -> LabMeasure {
    let medians = runs.map { run in
      Dictionary(
        run.series.filter(isWanted).compactMap { series in
          series.median.map { ([series.test, series.metric, series.unit, series.device], $0) }
        }, uniquingKeysWith: { first, _ in first })
    }
    let isRelative = medians.allSatisfy { $0.values.allSatisfy { $0 > 0 } }
    var values = [Double?](repeating: nil, count: runs.count)
    let groups = Dictionary(grouping: runs.indices.filter { !medians[$0].isEmpty }, by: { strata[$0] }).values
    // Means of the sides are those of the runs that are compared, if any are.
    let compared = groups.filter { group in Set(group.map { inHead[$0] }).count == 2 }
    for group in compared.isEmpty ? Array(groups) : compared {
      let common = group.dropFirst().reduce(Set(medians[group[0]].keys)) { $0.intersection(medians[$1].keys) }
        .sorted { $0.lexicographicallyPrecedes($1) }
      for run in group where !common.isEmpty {
        let own = common.map { medians[run][$0] ?? 0 }
        values[run] = own.reduce(0) { $0 + (isRelative ? log($1) : $1) } / Double(common.count)
      }
    }
    return LabMeasure(values: values, isRelative: isRelative, inHead: inHead, strata: strata)
  }
}

/// A number for each run; nil for a run without one.
struct LabMeasure {
  let values: [Double?]
  /// Whether the numbers are logarithms.
  let isRelative: Bool
  fileprivate let inHead: [Bool]
  fileprivate let strata: [Int]

  /// The number of runs of a side, and their mean (geometric if relative) in the unit of the series; nil without runs.
  ///
  /// Strata have the weights of `RunDifference`, so that the means of the two sides differ by its value.
  func summary(head: Bool) -> (runs: Int, mean: Double?) {
    let known = values.indices.filter { values[$0] != nil }
    let groups = Dictionary(grouping: known, by: { strata[$0] }).sorted { $0.key < $1.key }.map(\.value)
    let isCompared = groups.contains { group in Set(group.map { inHead[$0] }).count == 2 }
    var (runs, sum, weights) = (0, 0.0, 0.0)
    for group in groups {
      let own = group.filter { inHead[$0] == head }
      guard !own.isEmpty else { continue }
      let number = Double(own.count)
      let weight = isCompared ? number * Double(group.count - own.count) / Double(group.count) : number
      runs += own.count
      weights += weight
      sum += weight * own.reduce(0) { $0 + (values[$1] ?? 0) / number }
    }
    guard weights > 0 else { return (runs, nil) }
    return (runs, isRelative ? exp(sum / weights) : sum / weights)
  }

  /// The difference on the scale of people: relative to the base (0.1 means 10 % more) if the numbers are logarithms.
  func shown(_ difference: RunDifference) -> ComparedDifference {
    func shown(_ value: Double) -> Double { isRelative ? expm1(value) : value }
    return ComparedDifference(
      value: shown(difference.value), low: difference.low.isFinite ? shown(difference.low) : -.infinity,
      high: shown(difference.high), pValue: difference.pValue, strata: difference.strata)
  }
}
