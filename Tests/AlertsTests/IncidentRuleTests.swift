import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Rules on budgets, burn rates and regressions")
struct IncidentRuleTests {
  private static let days = Window(from: CalendarDay(number: 20_760), to: CalendarDay(number: 20_777))
  private static let slice = Slice(environment: "production", release: "4.2.0")

  private func findings(
    _ input: AlertRuleInput, open: Set<BreachKey> = [], ended: EndedBreaches = .init()
  ) -> [Finding] {
    IncidentRules(thresholds: AlertThresholds()).findings(input, open: open, ended: ended)
  }

  private static func release(
    _ version: String, adoption: Double?, stage: ReleaseStage?, age: Int? = 100_000
  ) -> ReleaseReport {
    var report = ReleaseReport(
      release: Release(version: version, build: ""), sessions: 1000, payloads: 0, adoption: adoption, stage: stage,
      firstSeen: days.from, lastSeen: days.to, crashFree: RatioEstimate())
    report.age = age
    return report
  }

  private func ended(_ key: BreachKey) -> EndedBreaches { EndedBreaches(inMetrics: [key]) }

  // MARK: Burn rates

  private func burn(_ windows: [BurnWindow]) -> Finding? {
    findings(
      AlertRuleInput(
        app: "a.b", slice: Slice(),
        burns: [BurnCheck(slice: Slice(), report: BurnReport(target: 0.995, windows: windows))])
    ).first
  }

  @Test("a burn recovers if the short windows have sessions and few crashes, not if nothing arrives")
  func burnRecovery() {
    func windows(short: Double?) -> [BurnWindow] {
      BurnPolicy.all.map { BurnWindow($0, longRate: 0.5, shortRate: short) }
    }
    #expect(burn(windows(short: 0.2))?.condition == .recovering)
    #expect(burn(windows(short: nil))?.condition == .unclear)
    #expect(burn(windows(short: 1.1))?.condition == .unclear)
  }

  @Test("a fast burn is critical, one of the two slow windows a warning")
  func burnSeverity() {
    for (index, severity) in [Severity.critical, .critical, .warning, .warning].enumerated() {
      var windows = BurnPolicy.all.map { BurnWindow($0, longRate: 20, shortRate: 20) }
      windows[index].fires = true
      windows[index].isCertain = true
      #expect(burn(windows)?.severity == severity)
      #expect(burn(windows)?.condition == .broken)
    }
  }

  // MARK: Budgets

  private static func result(
    _ verdict: Verdict, release: String?, isWithin: Bool = true, metric: String = "sessions.crash_free"
  ) -> BudgetResult {
    var result = BudgetResult(
      budget: "\(metric) >= 99.5%", metric: metric, unit: .ratio, statistic: nil, verdict: verdict, value: 0.999,
      n: 5000, target: 0.995, direction: .higher, basis: .clusters,
      slice: Slice(environment: "production", release: release), window: days)
    result.incidentTests = IncidentSignificanceTests(
      budget: IncidentSignificanceTest(
        target: 0.995, isCertainlyBroken: false, isBroken: false, isWithin: isWithin, isMet: true, value: 0.999,
        confidence: 0.999, n: 5000, basis: .clusters, badEvents: 5, affectedUsers: 5, known: 1000, enough: 598))
    return result
  }

  private func condition(_ result: BudgetResult) -> Incident.Condition? {
    findings(AlertRuleInput(app: "a.b", slice: Slice(), results: [result])).first { $0.key.rule == .budget }?.condition
  }

  @Test("a release is not called better before crashes of its last sessions can have been reported")
  func settled() {
    #expect(condition(Self.result(.notEnoughData, release: "4.2.0")) == .recovering)
    #expect(condition(Self.result(.within, release: "4.2.0")) == .within)
    // The app as a whole has settled days enough, and a launch time is reported at once.
    #expect(condition(Self.result(.notEnoughData, release: nil)) == .within)
    #expect(condition(Self.result(.notEnoughData, release: "4.2.0", metric: "launch.first_draw")) == .within)
  }

  @Test("what broke on a release opens no second incident of the app, but a warning about it hides no broken budget")
  func explained() {
    func broken(_ release: String?) -> BudgetResult {
      var result = Self.result(.broken, release: release, isWithin: false)
      result.incidentTests?.budget.isCertainlyBroken = true
      result.incidentTests?.budget.isMet = false
      return result
    }
    func ofApp(
      _ results: [BudgetResult], open: Set<BreachKey> = [], ended: EndedBreaches = .init()
    ) -> Incident.Condition? {
      findings(AlertRuleInput(app: "a.b", slice: Slice(), results: results), open: open, ended: ended)
        .first { $0.key.rule == .budget && $0.key.version == nil }?.condition
    }
    #expect(ofApp([broken(nil)]) == .broken)
    #expect(ofApp([broken(nil), broken("4.2.0")]) == .unclear)
    let budget = "sessions.crash_free >= 99.5%"
    #expect(ofApp([broken(nil)], open: [BreachKey(.budget, budget, slice: Self.slice)]) == .unclear)
    #expect(ofApp([broken(nil)], open: [BreachKey(.warning, budget, slice: Self.slice)]) == .broken)
    #expect(ofApp([broken(nil)], open: [BreachKey(.regression, "sessions.crash_free", slice: Self.slice)]) == .broken)
    // The app's window still contains the days of a release whose breach has ended.
    let past = BreachKey(.budget, budget, slice: Self.slice)
    #expect(ofApp([broken(nil)], ended: ended(past)) == .unclear)
    #expect(ofApp([broken(nil)], ended: ended(BreachKey(.warning, budget, slice: Self.slice))) == .broken)
    #expect(
      ofApp([broken(nil)], ended: ended(BreachKey(.budget, "p90 launch.first_draw <= 2 s", slice: Self.slice)))
        == .broken)
    #expect(ofApp([broken(nil)], ended: ended(BreachKey(.budget, budget, slice: Slice()))) == .broken)
    // An incident of the app that is open already goes on.
    let own = BreachKey(.budget, budget, slice: Slice(environment: "production"))
    #expect(ofApp([broken(nil), broken("4.2.0")], open: [own]) == .broken)
  }

  @Test("after a release's breach, burn rates over days open no incident of the app, but those of the last hours do")
  func burnAfterRelease() {
    func condition(window: Int, ended: EndedBreaches) -> Incident.Condition? {
      var report = BurnReport(
        target: 0.995, windows: BurnPolicy.all.map { BurnWindow($0, longRate: 20, shortRate: 20) })
      report.windows[window].isCertain = true
      let input = AlertRuleInput(app: "a.b", slice: Slice(), burns: [BurnCheck(slice: Slice(), report: report)])
      return findings(input, ended: ended).first?.condition
    }
    let key = BreachKey(.burn, slice: Self.slice)
    #expect(condition(window: 3, ended: .init()) == .broken)
    #expect(condition(window: 3, ended: EndedBreaches(inBurnRates: [key])) == .unclear)
    #expect(condition(window: 0, ended: EndedBreaches(inBurnRates: [key])) == .broken)
    // Its end is longer ago than any of the burn rates' windows.
    #expect(condition(window: 3, ended: EndedBreaches(inMetrics: [key])) == .broken)
  }

  @Test("a breach explains the app's budgets for 28 days after its end, and its burn rates for three")
  func ended() {
    var incident = Incident.of(BreachKey(.burn, slice: Self.slice), opened: IncidentStateMachineTests.at(0))
    func sets(_ days: Double) -> [Int] {
      let ended = EndedBreaches(of: [incident], now: IncidentStateMachineTests.at(days * 24))
      return [ended.inMetrics.count, ended.inBurnRates.count]
    }
    #expect(sets(1) == [0, 0], "it is open")
    incident.breaches[0].closed = IncidentStateMachineTests.at(0)
    #expect([2.9, 3.1, 27.9, 28.1].map(sets) == [[1, 1], [1, 0], [1, 0], [0, 0]])
  }

  // MARK: Regressions

  @Test("a certain regression opens an incident only beyond the margin, in the metric's bad direction")
  func margin() {
    func condition(_ difference: Double, _ direction: Metric.Direction) -> Incident.Condition? {
      var metric = MetricComparison(
        name: "launch.first_draw", title: "Launch to first draw", unit: .milliseconds, kind: .distribution,
        statistic: "p90", budget: "p90 launch.first_draw <= 2 s", direction: direction, source: nil, days: 7,
        base: ComparedValue(n: 500), head: ComparedValue(n: 500),
        difference: ComparedDifference(
          value: difference, low: difference - 0.01, high: difference + 0.01, pValue: 0.00001, strata: 3),
        isRelative: true, margin: 0.05, verdict: .worse)
      metric.isCertain = true
      let comparison = ReleaseComparison(
        app: "a.b", base: "4.1.0", head: "4.2.0", window: Self.days, environment: "production", metrics: [metric],
        digestedThrough: 1, asOf: Self.days.to.startUTC)
      return findings(AlertRuleInput(app: "a.b", slice: Slice(), comparisons: [comparison])).first?.condition
    }
    #expect(condition(0.06, .lower) == .broken)
    #expect(condition(0.05, .lower) == .unclear)
    #expect(condition(-0.06, .lower) == .unclear)
    #expect(condition(-0.06, .higher) == .broken)
    #expect(condition(0.06, .higher) == .unclear)
  }

  @Test("releases are compared for the whole fleet, and a part of it has no comparison")
  func comparedWhole() {
    let metric = MetricComparison(
      name: "screen.load", title: "Screen load", unit: .milliseconds, kind: .distribution, statistic: "p90",
      budget: nil, direction: .lower, source: nil, days: 7, base: ComparedValue(n: 500), head: ComparedValue(n: 500),
      isRelative: true, margin: 0.05, verdict: .worse)
    let comparison = ReleaseComparison(
      app: "a.b", base: "4.1.0", head: "4.2.0", window: Self.days, environment: "production", metrics: [metric],
      digestedThrough: 1, asOf: Self.days.to.startUTC)
    let context = RuleContext(
      input: AlertRuleInput(app: "a.b", slice: Slice(), comparisons: [comparison]), open: [],
      thresholds: AlertThresholds())
    #expect(context.comparison(of: "screen.load", on: Slice()) != nil)
    #expect(context.comparison(of: "screen.load", on: Self.slice) != nil)
    #expect(context.comparison(of: "screen.load", on: Slice(release: "4.1.0")) == nil)
    for part in [
      Slice(os: "iOS 18.0"), Slice(device: "iPhone15,2"), Slice(deviceClass: "iPhone 14"), Slice(label: "Cart"),
      Slice(attribute: AttributeFilter(name: "region", value: "DE")),
    ] {
      #expect(context.comparison(of: "screen.load", on: part) == nil, "\(part)")
    }
  }

  // MARK: Releases

  @Test("a release in use for less than two hours opens no incident, and its open ones continue")
  func young() {
    var certain = BurnReport(target: 0.995)
    certain.windows[0].isCertain = true
    let burns = [BurnCheck(slice: Self.slice, report: certain)]
    func condition(age: Int?, open: Set<BreachKey> = []) -> Incident.Condition? {
      let input = AlertRuleInput(
        app: "a.b", slice: Slice(), burns: burns,
        releases: [Self.release("4.2.0", adoption: 0.5, stage: .adopted, age: age)])
      return findings(input, open: open).first?.condition
    }
    #expect(condition(age: 119) == .unclear)
    #expect(condition(age: 120) == .broken)
    #expect(condition(age: 119, open: [BreachKey(.burn, slice: Self.slice)]) == .broken)
  }

  private static func breach(_ environment: String, release: String) -> Breach {
    let key = BreachKey(.burn, slice: Slice(environment: environment, release: release))
    return Incident.of(key, opened: days.from.startUTC).breaches[0]
  }

  private func retired(_ breach: Breach, _ releases: [ReleaseReport]) -> String? {
    let input = AlertRuleInput(app: "a.b", slice: Slice(environment: "production"), releases: releases)
    return IncidentRules(thresholds: AlertThresholds()).retired(breach, input)
  }

  @Test("a superseded release is retired only in the environment that was read")
  func environments() {
    let releases = [
      Self.release("4.3.0", adoption: 0.9, stage: .adopted), Self.release("4.2.0", adoption: 0.05, stage: .replaced),
    ]
    #expect(retired(Self.breach("production", release: "4.2.0"), releases) == "4.2.0 is superseded by 4.3.0.")
    #expect(retired(Self.breach("beta", release: "4.2.0"), releases) == nil)
    #expect(retired(Self.breach("production", release: "4.3.0"), releases) == nil)
  }

  @Test("a release that was withdrawn is retired a day after it appeared, while its use is below 1 %")
  func pulled() {
    func reason(adoption: Double, age: Int?) -> String? {
      let releases = [
        Self.release("4.1.0", adoption: 0.9, stage: .adopted),
        Self.release("4.2.0", adoption: adoption, stage: .low, age: age),
      ]
      return retired(Self.breach("production", release: "4.2.0"), releases)
    }
    #expect(reason(adoption: 0.009, age: 1440) == "4.2.0 is superseded by 4.1.0.")
    #expect(reason(adoption: 0.009, age: 1439) == nil)
    #expect(reason(adoption: 0.009, age: nil) == nil)
    #expect(reason(adoption: 0.01, age: 10_000) == nil)
  }

  // MARK: The state machine

  @Test("a relapse resets the recovery, and the severity of an open incident never decreases")
  func relapse() {
    let machine = IncidentStateMachine(app: 1, thresholds: AlertThresholds(reminder: nil))
    var incident: Incident?
    func step(_ hours: Double, _ condition: Incident.Condition, _ count: Int, _ severity: Severity = .critical) {
      let finding = IncidentStateMachineTests.finding(condition, count: count, severity: severity)
      let transitions = machine.transitions(
        of: incident.map { [$0] } ?? [], findings: [finding], retired: { _ in nil },
        now: IncidentStateMachineTests.at(hours))
      if let next = transitions.first?.incident { incident = next }
    }
    step(0, .broken, 1000)
    step(1, .recovering, 1000)
    step(2, .recovering, 1500)
    #expect(incident?.breaches[0].recoveredCount == 500)
    step(3, .broken, 1600, .warning)
    #expect(incident?.breaches[0].recoveredCount == 0 && incident?.breaches[0].recoveringSince == nil)
    #expect(incident?.severity == .critical)
    step(4, .recovering, 1700, .warning)
    #expect(
      incident?.breaches[0].recoveredCount == 0
        && incident?.breaches[0].recoveringSince == IncidentStateMachineTests.at(4))
    // 24 hours after the first recovery, and with the first 500 enough: but it began anew.
    step(26, .recovering, 2200, .warning)
    #expect(incident?.closed == nil)
  }
}
