import Statistics

@testable import Analysis
@testable import Core
@testable import Storage

extension Fleet {
  /// The rollout of 4.3.0 over twelve days: one vital is worse, one suspicious, one clear, one without data.
  static let rollout = RolloutReport(
    app: app, release: "4.3.0 (1298)", base: "4.2.0", slice: slice, window: life, verdict: .halt,
    vitals: [
      vital(
        "sessions.crash_free", nil, .worse, (0.9972, 0.9964, 0.9979), (0.9871, 0.9855, 0.9886),
        RatioInterval(value: 4.6, low: 3.1, high: 6.8),
        [1, 1.6, 5, 30, 95, 300, 700, 1200, 2000, 2600, 3300, 4100]),
      vital(
        "launch.first_draw", "p90", .suspicious, (1342, 1310, 1375), (1390, 1331, 1452),
        RatioInterval(value: 1.3, low: 0.9, high: 1.9), [1, 1, 1.2, 1.4, 2, 2.4, 3, 3.5, 4.4, 5, 6.1, 7.2]),
      vital(
        "memory.peak", "p90", .clear, (210e6, 204e6, 217e6), (212e6, 205e6, 221e6),
        RatioInterval(value: 1, low: 0.8, high: 1.3), Array(repeating: 0.4, count: 12)),
      vital("hang.rate", nil, .unknown, nil, nil, RatioInterval(), []),
    ],
    days: zip(life.allDays, [0.012, 0.021, 0.048, 0.09, 0.19, 0.3, 0.36, 0.38, 0.39, 0.4, 0.41, 0.412]).map {
      RolloutDay(day: $0, use: Int($1 * 10_000), share: $1, fresh: max(0.1, 0.9 - $1 * 2))
    }, digestedThrough: 1_204_511, asOf: asOf)

  private static func vital(
    _ name: String, _ statistic: String?, _ state: RolloutVital.State, _ base: (Double, Double, Double)?,
    _ head: (Double, Double, Double)?, _ ratio: RatioInterval, _ evidence: [Double]
  ) -> RolloutVital {
    func estimate(_ numbers: (Double, Double, Double)?) -> Estimate {
      numbers.map { Estimate(value: $0.0, low: $0.1, high: $0.2) } ?? .unknown
    }
    let entry = Catalogue.metric(named: name)!
    // The comparison on the same days shows twice the evidence, so the other one decides.
    let looks = zip(life.allDays, evidence).map {
      RolloutLook(day: $0, evidence: RolloutEvidence(sameDays: $1 * 2, sameAge: $1))
    }
    return RolloutVital(
      name: name, title: entry.title, unit: entry.unit, statistic: statistic, budget: entry.budget ?? "",
      baseValue: estimate(base), headValue: estimate(head), n: head == nil ? 0 : 16_840, events: 120,
      threshold: statistic == nil ? nil : base?.0, ratio: ratio,
      evidence: looks.last?.evidence ?? RolloutEvidence(), limit: 80, history: looks, state: state, matchedShare: 0.9)
  }
}
