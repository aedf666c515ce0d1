import Testing

@testable import Analysis
@testable import Core

@Suite("The missing values of a comparison")
struct ComparisonShortageTests {
  private func result(n: Int, nEffective: Double, base: Double = 1_000) -> MetricComparison {
    MetricComparison(
      name: "launch.first_draw", title: "Launch to first draw", unit: .milliseconds, kind: .distribution,
      statistic: "p90", budget: nil, direction: .lower, source: nil, days: 7,
      base: ComparedValue(n: 5_000, nEffective: base), head: ComparedValue(n: n, nEffective: nEffective),
      isRelative: true, margin: 0.1)
  }

  @Test("a comparison states how many more values its bounds need, but no number for assumed counts")
  func more() throws {
    let shortage = try #require(ComparisonDraft.Shortage(result(n: 360, nEffective: 36), .percentile(90)))
    guard case .head(let needed?) = shortage else { throw Unexpected() }
    // Bounds on p90 take 72 effective values or some more: as many again, and ten real ones for each.
    #expect((360...1_000).contains(needed))
    for n in [Int.max, 1 << 60, 100_000_000_000_000_000] {
      guard case .head(nil)? = ComparisonDraft.Shortage(result(n: n, nEffective: 1.5), .percentile(90)) else {
        Issue.record("\(n)")
        continue
      }
    }
    guard case .base? = ComparisonDraft.Shortage(result(n: .max, nEffective: 17, base: 3), .percentile(90)) else {
      throw Unexpected()
    }
    let enough = ComparisonDraft.Shortage(result(n: .max, nEffective: 1_000), .percentile(90))
    #expect(enough == nil)
  }

  private struct Unexpected: Error {}
}
