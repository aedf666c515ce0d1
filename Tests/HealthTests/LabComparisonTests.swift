import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Comparisons of performance tests")
struct LabComparisonTests {
  /// A run with the values of one test, in seconds.
  private func run(
    _ values: [Double], runner: String = "mini-1", device: String = "iPhone 15", unit: String = "s",
    metric: String = "com.apple.dt.XCTMetric_ApplicationLaunch-AppLaunch.duration", release: String = "4.2.0"
  ) -> LabRun {
    LabRun(
      release: release, commit: "9fceb02", runner: runner, imported: Timestamp(milliseconds: 0),
      series: [
        LabSeries(
          test: "LaunchTests/testColdLaunch()", metric: metric, title: "Duration (AppLaunch)", device: device,
          unit: unit, counterpart: "launch.first_draw", values: values)
      ])
  }

  private func compare(_ base: [LabRun], _ head: [LabRun], margin: Double = 0.1) -> LabComparison {
    LabComparison(
      app: "com.example.shop", base: ("main", base), head: ("9fceb02", head), margin: margin)
  }

  private func text(_ comparison: LabComparison, _ format: OutputFormat = .text) -> String {
    String(decoding: LabFormatter.text(comparison, format), as: UTF8.self)
  }

  private static let steady = [0.500, 0.504, 0.496, 0.501]

  @Test("a launch that takes a fifth longer is worse, by the geometric means of the runs' medians")
  func worse() throws {
    let head = Self.steady.map { $0 * 1.2 }
    let found = compare(Self.steady.map { run([$0, $0, 9]) }, head.map { run([$0, 0.1, $0]) })
    let series = try #require(found.series.first)
    let difference = try #require(series.comparison.difference)
    #expect(abs(difference.value - 0.2) < 1e-9, "the outliers of iterations do not count")
    #expect(series.comparison.verdict == .worse && series.stops)
    #expect(found.outcome == .worse && found.exitStatus == 2)
    #expect(series.comparison.base.estimate.value.map { abs($0 - 0.50024) < 1e-4 } == true)
    #expect(abs(difference.pValue - 2.0 / 70) < 1e-12 && series.adjustedPValue == difference.pValue)
    #expect(difference.low > 0.18 && difference.high < 0.22)
    let lines = text(found).split(separator: "\n")
    #expect(lines[0] == "9fceb02 against main: worse in LaunchTests/testColdLaunch(), Duration (AppLaunch).")
    #expect(lines[1] == "com.example.shop, runs: 4 of main, 4 of 9fceb02, on mini-1")
    #expect(text(found, .github).hasPrefix("::error title=LaunchTests/testColdLaunch()%2C Duration (AppLaunch)::worse"))
    #expect(text(found, .junit).contains("failures=\"1\"") && text(found, .markdown).contains("| **worse** |"))
    let small = compare(Self.steady.map { run([$0]) }, Self.steady.map { run([$0 * 1.03]) })
    #expect(small.exitStatus == 1 && small.series[0].comparison.severity == .slightlyWorse)
    #expect(text(small, .github).hasPrefix("::warning"))
    let better = compare(head.map { run([$0]) }, Self.steady.map { run([$0]) })
    #expect(better.exitStatus == 0 && better.series[0].comparison.verdict == .better)
    let equal = compare(Self.steady.map { run([$0]) }, Self.steady.map { run([$0 + 0.001]) })
    #expect(equal.exitStatus == 0 && equal.series[0].comparison.verdict == .noDifferenceShown)
    #expect(compare(Self.steady.map { run([$0]) }, head.map { run([$0]) }, margin: 0.5).exitStatus == 1)
  }

  @Test("one run of each side, or runs on other machines or devices, cannot show a difference, and the answer says so")
  func few() {
    let one = compare([run([0.5])], [run([0.9])])
    #expect(one.exitStatus == 3)
    #expect(
      text(one).hasPrefix(
        "9fceb02 against main: 1 run against 1 cannot show a difference; 4 of each on one runner and the same devices "
          + "can.\n"))
    #expect(text(one).contains("+80"), "the numbers are still printed")
    let three = compare(
      (0..<3).map { run([0.5 + 0.001 * Double($0)]) }, (0..<3).map { run([0.9 + 0.001 * Double($0)]) })
    #expect(three.exitStatus == 3)
    let apart = compare((0..<9).map { run([Double($0 + 1)]) }, (0..<9).map { run([Double($0 + 9)], runner: "mini-2") })
    #expect(apart.exitStatus == 3 && text(apart).contains("no runner has runs of both"))
    let devices = compare(
      (0..<9).map { run([Double($0 + 1)]) }, (0..<9).map { run([Double($0 + 9)], device: "iPhone SE") })
    #expect(devices.exitStatus == 3 && devices.series[0].comparison.difference == nil)
    // Six machines with one run of each side are enough: 2 of 2⁶ assignments.
    let pairs = (0..<6).map { "job-\($0)" }
    let paired = compare(
      pairs.enumerated().map { run([0.5 + 0.1 * Double($0)], runner: $1) },
      pairs.enumerated().map { run([(0.5 + 0.1 * Double($0)) * 1.3], runner: $1) })
    #expect(paired.exitStatus == 2 && abs(paired.smallestPValue - 2.0 / 64) < 1e-12)
  }

  @Test("values of 0 and below are compared in their unit, and unknown units are named")
  func absolute() throws {
    let hitches = compare(
      [0, 1, 0.5, 0].map { run([$0], unit: "ms per s", metric: "hitch") },
      [9, 10, 9.5, 9].map { run([$0], unit: "ms per s", metric: "hitch") })
    let first = try #require(hitches.series.first?.comparison)
    #expect(!first.isRelative && first.unit == .millisecondsPerSecond && first.verdict == .worse)
    #expect(first.difference.map { abs($0.value - 9) < 1e-9 } == true)
    let cycles = compare(
      Self.steady.map { run([$0 * 1e6], unit: "kC", metric: "cycles") },
      Self.steady.map { run([$0 * 2e6], unit: "kC", metric: "cycles") })
    #expect(cycles.series[0].comparison.title.hasSuffix("(kC)") && cycles.exitStatus == 2)
    let bytes = compare(
      Self.steady.map { run([$0 * 1e6], unit: "kB", metric: "peak") },
      Self.steady.map { run([$0 * 1e6], unit: "kB", metric: "peak") })
    #expect(bytes.series[0].comparison.unit == .bytes)
    #expect(bytes.series[0].comparison.base.estimate.value.map { abs($0 - 500_240_000) < 1e5 } == true)
  }

  @Test("means are weighted like the difference, so that they cannot contradict it, and only compared runs count")
  func mixedMachines() throws {
    // On each machine the head takes a tenth longer, but most runs of the base were on the slow machine.
    func runs(_ fast: Int, _ slow: Int, _ factor: Double) -> [LabRun] {
      (0..<fast).map { run([(1 + 0.001 * Double($0)) * factor]) }
        + (0..<slow).map { run([(2 + 0.001 * Double($0)) * factor], runner: "mini-2") }
    }
    let found = compare(
      runs(3, 12, 1) + [run([9], runner: "mini-3"), run([9], runner: "mini-3")], runs(12, 3, 1.1), margin: 0.05)
    let metric = try #require(found.series.first?.comparison)
    let (base, head) = (try #require(metric.base.estimate.value), try #require(metric.head.estimate.value))
    let difference = try #require(metric.difference)
    #expect(metric.verdict == .worse && abs(head / base - 1 - difference.value) < 1e-9)
    // By hand: both machines weigh 3·12/15, so the mean is that of the machines.
    let logs = [[1, 1.001, 1.002].map { log($0) }, (0..<12).map { log(2 + 0.001 * Double($0)) }]
    let means = logs.map { $0.reduce(0, +) / Double($0.count) }
    #expect(abs(base - exp((means[0] + means[1]) / 2)) < 1e-9)
    #expect(metric.base.n == 15 && metric.head.n == 15 && found.baseRuns == 15 && found.leftOut == 2)
    #expect(
      text(found).contains(
        "runs: 15 of main, 15 of 9fceb02, on mini-1, mini-2; left out, without a counterpart on the same runner and "
          + "devices: 2\n"))
  }

  @Test("equal builds are called different in at most 5 % of comparisons, with noisy machines, outliers and drift")
  func alike() {
    var random = SeededRandom(seed: 2026)
    func fleet(_ isHead: Bool, _ number: Int) -> LabRun {
      // Base and head alternate on two machines, of which one is half as fast.
      let (machine, place) = (number % 2, Double(2 * number + (isHead ? 1 : 0)))
      let noise = 0.04 * random.normal() + (random.uniform() < 0.1 ? 0.3 : 0) + 0.003 * place
      var all = run([1], runner: "mini-\(machine)")
      all.series = (0..<12).map { test in
        let own = exp(noise + 0.02 * random.normal()) * (machine == 0 ? 1 : 2)
        return LabSeries(
          test: "test \(test)", metric: "clock", title: "Clock", device: "iPhone 15", unit: "s",
          values: (0..<5).map { _ in own * exp(0.05 * random.normal()) })
      }
      return all
    }
    let comparisons = 300
    let wrong = (0..<comparisons).count { _ in
      let runs = (0..<10).map { (fleet(false, $0), fleet(true, $0)) }
      return compare(runs.map(\.0), runs.map(\.1)).series.contains {
        [.worse, .better].contains($0.comparison.verdict)
      }
    }
    #expect(Double(wrong) <= 0.05 * Double(comparisons) + 3 * (0.0475 * Double(comparisons)).squareRoot(), "\(wrong)")
  }

  private func difference(_ value: Double) -> ComparedDifference {
    ComparedDifference(value: value, low: value - 0.01, high: value + 0.01, pValue: 0.01, strata: 1)
  }

  @Test("neighbouring releases are paired in the order of versions, each with the field's change")
  func pairs() throws {
    let releases = ["4.10.0": 1.1, "4.9.0": 1.0, "4.11.0": 0.99]
    let runs = releases.flatMap { release, factor in Self.steady.map { run([$0 * factor], release: release) } }
    var asked: [String] = []
    let found = LabAndField(runs) { base, head in
      asked.append("\(base) \(head)")
      return head == "4.10.0" ? .known(difference(0.2)) : .unknown("too old")
    }
    #expect(found.releases == ["4.9.0", "4.10.0", "4.11.0"] && asked == ["4.9.0 4.10.0", "4.10.0 4.11.0"])
    #expect(found.pairs.map { ($0.lab.value * 1000).rounded() } == [100, -100])
    #expect(found.pairs.map { $0.field?.value } == [0.2, nil] && found.record == nil)
    #expect(found.pairs.map(\.fieldReason) == [nil, "too old"])
    #expect(found.pairs[0].lab.low > 0.08 && found.pairs[0].headRuns == 4)
    #expect(LabAndField([]) { _, _ in .unknown("") } == LabAndField())
  }

  @Test("the record counts equal signs, with Clopper and Pearson's bounds")
  func record() throws {
    func model(_ right: Int, of all: Int) -> LabAndField {
      LabAndField(
        pairs: (0..<all).map { number in
          LabPair(
            base: "\(number)", head: "\(number + 1)", lab: difference(number.isMultiple(of: 2) ? 0.1 : -0.1),
            baseRuns: 4, headRuns: 4,
            field: .known(difference((number.isMultiple(of: 2) ? 0.3 : -0.3) * (number < right ? 1 : -1))))
        })
    }
    #expect(model(4, of: 4).record == nil)
    let record = try #require(model(6, of: 7).record)
    // scipy 1.17.1: binomtest(6, 7).proportion_ci(method="exact")
    #expect(record.right == 6 && record.of == 7)
    #expect(abs(record.low - 0.42128) < 1e-4 && abs(record.high - 0.99639) < 1e-4, "\(record)")
  }
}
