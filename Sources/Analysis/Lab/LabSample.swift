import Core
import Foundation
import Statistics

/// The runs of performance tests of two sides, and the numbers by which they are compared.
///
/// A stratum has the runs of one runner on the same devices. Its runs can be exchanged if the sides do not differ.
struct LabSample {
  /// The runs of the base, then those of the head.
  let runs: [LabRun]
  let inHead: [Bool]
  /// The runners that have runs of both sides, sorted.
  let commonRunners: [String]
  private let strata: [Int]

  init(base: [LabRun], head: [LabRun]) {
    runs = base + head
    inHead = base.map { _ in false } + head.map { _ in true }
    commonRunners = Set(base.map(\.runner)).intersection(head.map(\.runner)).sorted()
    let names = runs.map { [$0.runner] + Set($0.series.map(\.device)).sorted() }
    var known: [[String]: Int] = [:]
    strata = names.map { name in
      let stratum = known[name] ?? known.count
      known[name] = stratum
      return stratum
    }
  }

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
    return LabMeasure(values: values, isRelative: isRelative, inHead: inHead)
  }
}

/// A number for each run; nil for a run without one.
struct LabMeasure {
  let values: [Double?]
  /// Whether the numbers are logarithms.
  let isRelative: Bool
  fileprivate let inHead: [Bool]

  /// The values of one side.
  private func side(head: Bool) -> [Double] { zip(values, inHead).compactMap { $1 == head ? $0 : nil } }

  /// The number of runs of a side, and their mean (geometric if relative) in the unit of the series; nil without runs.
  func summary(head: Bool) -> (runs: Int, mean: Double?) {
    let own = side(head: head)
    guard !own.isEmpty else { return (0, nil) }
    let mean = own.reduce(0) { $0 + $1 / Double(own.count) }
    return (own.count, isRelative ? exp(mean) : mean)
  }

  /// The difference on the scale of people: relative to the base (0.1 means 10 % more) if the numbers are logarithms.
  func shown(_ difference: RunDifference) -> ComparedDifference {
    func shown(_ value: Double) -> Double { isRelative ? expm1(value) : value }
    return ComparedDifference(
      value: shown(difference.value), low: difference.low.isFinite ? shown(difference.low) : -.infinity,
      high: shown(difference.high), pValue: difference.pValue, strata: difference.strata)
  }
}
