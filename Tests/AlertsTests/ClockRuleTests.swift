import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Rules about time")
struct ClockRuleTests {
  private let rules = IncidentRules(thresholds: AlertThresholds())
  private static let last = Timestamp(milliseconds: 1_795_176_000_000)

  private func stale(hours: Double, usual: Int?) -> Finding? {
    let freshness = PayloadFreshness(last: Self.last, interval: 4, usualSilence: usual)
    return rules.stale(freshness, now: Timestamp(milliseconds: Self.last.milliseconds + Int64(hours * 3_600_000)))
  }

  @Test("an alert about missing payloads comes after a day, or after the app's usual silence")
  func stale() {
    #expect(stale(hours: 23, usual: 1440)?.condition == .within)
    let found = stale(hours: 26, usual: 1440)
    #expect(found?.condition == .broken)
    #expect(
      found?.evidence.summary.replacing("\u{A0}", with: " ") == "no payload for 26 h; before, one arrived every 4 min")
    #expect(stale(hours: 26, usual: 3 * 1440)?.condition == .within)
    #expect(stale(hours: 26, usual: nil) == nil)
  }

  @Test("a payload may wait 15 minutes for the digest before an alert")
  func digest() {
    func condition(_ minutes: Int64?) -> Incident.Condition {
      rules.digest(
        waiting: minutes.map { _ in 1204 }, oldest: minutes.map { .init(milliseconds: -$0 * 60_000) },
        now: .init(milliseconds: 0)
      ).condition
    }
    #expect(condition(nil) == .within && condition(15) == .within && condition(16) == .broken)
  }
}
