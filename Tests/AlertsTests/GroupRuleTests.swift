import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Rules on causes of crashes and hangs")
struct GroupRuleTests {
  private static func watch(
    isNew: Bool = true, kind: DiagnosticKind = .crash, status: GroupStatus = .open, share: Double = 0.03,
    certain: Double? = nil, recent: Double? = nil, certainRecent: Double? = nil, earlier: Double? = nil
  ) -> GroupRuleInput {
    GroupRuleInput(
      release: "4.2.0",
      group: GroupSummary(
        id: "3f2a9c01d4e5b678", title: "EXC_BAD_ACCESS in Cart.checkout()", kind: kind, diagnostics: 30, sessions: 30,
        users: 28,
        share: RatioEstimate(estimate: Estimate(value: share, low: share / 2, high: share * 2), n: 1000),
        firstSeen: CalendarDay(number: 20_770), lastSeen: CalendarDay(number: 20_777), status: status),
      isNew: isNew, certainShare: certain, certainRecentShare: certainRecent, recentShare: recent,
      mostEarlierShare: earlier)
  }

  private func findings(_ watch: GroupRuleInput) -> [Finding] {
    let input = AlertRuleInput(app: "a.b", slice: Slice(), watchedGroups: [watch])
    return IncidentRules(thresholds: AlertThresholds()).findings(input, open: [])
  }

  @Test("a new cause opens an incident once its share is certain, with what, where and how many")
  func new() throws {
    #expect(findings(Self.watch(certain: nil)).map(\.condition) == [.unclear])
    #expect(findings(Self.watch(certain: 0.004)).map(\.condition) == [.unclear])
    let found = try #require(findings(Self.watch(certain: 0.006)).first)
    #expect(found.condition == .broken && found.severity == .critical && found.key.rule == .newGroup)
    #expect(found.key.group == "3f2a9c01d4e5b678" && found.key.metric == nil)
    let summary = found.evidence.summary.replacing("\u{A0}", with: " ")
    #expect(
      summary == "EXC_BAD_ACCESS in Cart.checkout() is new in 4.2.0: 3.0 % (1.5–6.0 % at 95 %, n 1,000) of its "
        + "sessions, more than 0.5 % [production]")
    // Called by its place, not by its fingerprint, and dated by the data.
    #expect(found.evidence.headline == "a new crash in Cart.checkout() affects 3.0\u{A0}% of sessions")
    #expect(found.since == CalendarDay(number: 20_770).startUTC)
    #expect(found.key.incident == IncidentKey(.release, environment: "production", release: "4.2.0"))
    var known = Self.watch(certain: 0.006)
    known.shareOfKind = 0.734
    #expect(findings(known).first?.evidence.headline.hasPrefix("a new crash in Cart.checkout() explains 73") == true)
    #expect(findings(Self.watch(kind: .hang, certain: 0.006)).first?.severity == .warning)
    #expect(findings(Self.watch(kind: .error, certain: 0.006)).isEmpty)
  }

  @Test("resolved or ignored groups end an incident, rarer ones let it recover, and an unused release retires it")
  func ends() {
    #expect(findings(Self.watch(status: .ignored, certain: 0.006)).map(\.condition) == [.within])
    #expect(findings(Self.watch(status: .resolved(release: "4.2.1"), certain: 0.006)).map(\.condition) == [.within])
    #expect(findings(Self.watch(share: 0.002)).map(\.condition) == [.recovering])
    let key = BreachKey(.newGroup, "3f2a9c01d4e5b678 4.2.0", slice: Slice())
    #expect(GroupRule.retired(key, AlertRuleInput(app: "a.b", slice: Slice(), watchedGroups: [Self.watch()])) == nil)
    #expect(GroupRule.retired(key, AlertRuleInput(app: "a.b", slice: Slice(), watchedGroups: [])) != nil)
  }

  @Test("a known cause is a spike if two days have far more than the days before allow")
  func spike() {
    let steady = Self.watch(isNew: false, recent: 0.01, certainRecent: 0.006, earlier: 0.004)
    #expect(findings(steady).map(\.condition) == [.unclear])
    let grown = Self.watch(isNew: false, recent: 0.04, certainRecent: 0.02, earlier: 0.004)
    #expect(findings(grown).map(\.condition) == [.broken] && findings(grown).first?.key.rule == .groupSpike)
    #expect(findings(Self.watch(isNew: false, recent: nil, earlier: 0.004)).isEmpty)
    #expect(findings(Self.watch(isNew: false, recent: 0.004, earlier: 0.004)).map(\.condition) == [.recovering])
  }

  @Test("payloads without a release, with several releases, or from a simulator open no incident")
  func unnamed() {
    func condition(_ release: String?, _ environment: String = "production") -> [Incident.Condition] {
      let burn = BurnReport(target: 0.995, windows: BurnPolicy.all.map(Self.firing))
      let slice = Slice(environment: environment, release: release)
      let input = AlertRuleInput(
        app: "a.b", slice: Slice(environment: environment), burns: [BurnCheck(slice: slice, report: burn)])
      return IncidentRules(thresholds: AlertThresholds()).findings(input, open: []).map(\.condition)
    }
    #expect(condition("4.2.0") == [.broken] && condition(nil) == [.broken])
    for release in ["(unknown)", "(unknown) (7)", "(mixed)", "(other)"] {
      #expect(condition(release).isEmpty, "\(release)")
    }
    #expect(condition("4.2.0", "simulated").isEmpty && condition(nil, "simulated").isEmpty)
  }

  private static func firing(_ policy: BurnPolicy) -> BurnWindow {
    var window = BurnWindow(policy, longRate: 20, shortRate: 20)
    window.fires = true
    window.isCertain = true
    return window
  }

  @Test("a version is too new while all its builds are, and its open incidents continue")
  func young() {
    func condition(ages: [Int?], open: Set<BreachKey> = []) -> Incident.Condition? {
      let releases = ages.enumerated().map { build, age in
        var report = ReleaseReport(
          release: Release(version: "4.2.0", build: "\(build)"), sessions: 100, payloads: 0, adoption: 0.02,
          firstSeen: CalendarDay(number: 20_777), lastSeen: CalendarDay(number: 20_777), crashFree: RatioEstimate())
        report.age = age
        return report
      }
      let input = AlertRuleInput(
        app: "a.b", slice: Slice(), watchedGroups: [Self.watch(certain: 0.006)], releases: releases)
      return IncidentRules(thresholds: AlertThresholds()).findings(input, open: open).first?.condition
    }
    #expect(condition(ages: [119]) == .unclear)
    #expect(condition(ages: [120]) == .broken)
    #expect(condition(ages: [30, 119]) == .unclear)
    #expect(condition(ages: [30, 120]) == .broken)
    #expect(condition(ages: [nil]) == .broken && condition(ages: []) == .broken)
    let key = BreachKey(.newGroup, "3f2a9c01d4e5b678 4.2.0", slice: Slice())
    #expect(condition(ages: [119], open: [key]) == .broken)
  }
}
