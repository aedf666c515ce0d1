import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("The state machine of incidents")
struct IncidentStateMachineTests {
  static let key = BreachKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.2.0"))

  static func at(_ hours: Double) -> Timestamp { Timestamp(milliseconds: Int64(hours * 3_600_000)) }

  static func finding(
    _ condition: Incident.Condition, count: Int = 1000, key: BreachKey = key,
    severity: Severity = .critical
  ) -> Finding {
    Finding(
      key: key, severity: severity, condition: condition, count: count, enough: 598,
      evidence: Evidence(summary: "\(condition) \(count)"))
  }

  /// What happens to one incident, look after look.
  private final class Play {
    var machine = IncidentStateMachine(app: 1, thresholds: AlertThresholds())
    var open: [Incident] = []
    var events: [String] = []

    func look(_ hours: Double, _ findings: Finding..., retired: String? = nil) {
      let changes = machine.transitions(of: open, findings: findings, retired: { _ in retired }, now: at(hours))
      for change in changes {
        open.removeAll { $0.id == change.incident.id }
        if change.incident.closed == nil { open.append(change.incident) }
        if let event = change.event { events.append(event.rawValue) }
      }
    }
  }

  @Test("a breach opens one incident, which is repeated after a day and resolves when it is proven within budget")
  func life() {
    let play = Play()
    for hour in 0..<50 { play.look(Double(hour), Self.finding(.broken)) }
    #expect(play.events == ["opened", "still_broken", "still_broken"])
    play.look(50, Self.finding(.unclear))
    #expect(play.open.count == 1)
    play.look(51, Self.finding(.within))
    #expect(play.events.last == "resolved" && play.open.isEmpty)
    play.look(52, Self.finding(.within))
    #expect(play.events.count == 4)
    play.look(53, Self.finding(.broken))
    #expect(play.events.last == "opened")
  }

  @Test("a breach in payload metrics resolves after six hours within budget, on later data")
  func settling() {
    let play = Play()
    func look(_ hours: Double, _ condition: Incident.Condition, _ count: Int) {
      var finding = Self.finding(condition, count: count)
      finding.settling = Finding.lasting
      play.look(hours, finding)
    }
    look(0, .broken, 1000)
    // One burst of good numbers, and nothing after it.
    for hour in stride(from: 1, through: 20, by: 0.5) { look(hour, .within, 90_000) }
    #expect(play.open.count == 1)
    // Bad ones again, which begins anew.
    look(21, .broken, 90_100)
    for hour in stride(from: 22, to: 28, by: 0.5) { look(hour, .within, 90_100 + Int(hour * 10)) }
    #expect(play.open.count == 1 && play.events == ["opened"])
    look(28, .within, 90_400)
    #expect(play.events == ["opened", "resolved"] && play.open.isEmpty)
  }

  @Test("unclear, better or within results open no incident")
  func quiet() {
    let play = Play()
    for condition in [Incident.Condition.unclear, .recovering, .within] { play.look(1, Self.finding(condition)) }
    #expect(play.events.isEmpty && play.open.isEmpty)
  }

  @Test("missing data resolves no incident, and reminders continue")
  func silence() {
    let play = Play()
    play.look(0, Self.finding(.broken))
    for hour in 1...72 { play.look(Double(hour)) }
    #expect(play.events == ["opened", "still_broken", "still_broken", "still_broken"])
    #expect(play.open.first?.breaches.first?.evidence.summary == "broken 1000")
  }

  @Test("without proof an end takes 24 hours and as many new events as a proof would, and a relapse restarts it")
  func recovery() {
    let play = Play()
    play.machine.thresholds.reminder = nil
    play.look(0, Self.finding(.broken, count: 1000))
    play.look(1, Self.finding(.recovering, count: 1000))
    // 30 hours later, but only 597 new sessions.
    play.look(31, Self.finding(.recovering, count: 1597))
    #expect(play.open.count == 1)
    play.look(32, Self.finding(.unclear, count: 1700))
    play.look(33, Self.finding(.recovering, count: 1700))
    play.look(40, Self.finding(.recovering, count: 3000))
    #expect(play.open.count == 1, "events enough, too early")
    // The window moves on by a day: fewer sessions are no new ones.
    play.look(41, Self.finding(.recovering, count: 2000))
    play.look(57, Self.finding(.recovering, count: 2001))
    #expect(play.events == ["opened", "resolved"])
  }

  @Test("a superseded release is retired, not resolved")
  func retired() {
    let play = Play()
    play.look(0, Self.finding(.broken))
    play.look(1, Self.finding(.broken), retired: "4.2.0 is superseded by 4.3.0.")
    #expect(play.events == ["opened", "retired"] && play.open.isEmpty)
  }

  @Test("a silenced incident is reported when the silence ends, if it is still broken")
  func silenced() {
    let silence = Silence(rule: "budget", starts: Self.at(0), ends: Self.at(5), reason: "x", created: Self.at(0))
    let play = Play()
    play.machine.silences = [silence]
    play.look(1, Self.finding(.broken))
    play.look(4, Self.finding(.broken))
    #expect(play.events.isEmpty && play.open.count == 1)
    play.look(5)
    #expect(play.events == ["opened"])
    #expect(play.open.first?.opened == Self.at(1))
    let other = Play()
    other.machine.silences = [silence]
    other.look(1, Self.finding(.broken))
    other.look(2, Self.finding(.within))
    other.look(6, Self.finding(.within))
    #expect(other.events.isEmpty && other.open.isEmpty)
  }

  @Test("the end is reported even during a silence, to every channel that got the start")
  func endInSilence() {
    let play = Play()
    play.look(0, Self.finding(.broken))
    play.machine.silences = [Silence(starts: Self.at(1), ends: Self.at(99), reason: "x", created: Self.at(0))]
    play.look(30, Self.finding(.broken))
    play.look(31, Self.finding(.within))
    #expect(play.events == ["opened", "resolved"])
  }

  @Test("a silence covers what it names: app, version with its builds, rule, metric, budget or incident")
  func covers() {
    func isCovered(app: AppID? = nil, release: String? = nil, rule: String? = nil, id: String? = nil) -> Bool {
      let key = BreachKey(.budget, "p90 launch.first_draw <= 2 s", slice: Slice(release: "4.2.0 (1234)"))
      let incident = Incident.of(key, opened: Self.at(0))
      return Silence(
        app: app, release: release, rule: rule, incident: id, starts: Self.at(0), ends: Self.at(1), reason: "x",
        created: Self.at(0)
      ).covers(incident.breaches[0], of: incident, at: Self.at(0.5))
    }
    #expect(isCovered())
    #expect(isCovered(app: 1, release: "4.2.0", rule: "launch.first_draw"))
    #expect(isCovered(release: "4.2.0 (1234)", rule: "p90 launch.first_draw <= 2 s"))
    #expect(isCovered(rule: "budget") && isCovered(id: "x") && !isCovered(id: "y"))
    for (app, release, rule) in [
      (2, nil, nil), (1, "4.2", nil), (1, "4.2.0 (1)", nil), (1, nil, "burn"), (1, nil, "launch.resume"),
    ] as [(AppID, String?, String?)] {
      #expect(!isCovered(app: app, release: release, rule: rule))
    }
  }
}

extension Incident {
  /// An incident of one breach.
  static func of(
    _ key: BreachKey, id: String = "x", severity: Severity = .critical, opened: Timestamp, announced: Timestamp? = nil,
    evidence: Evidence = Evidence(summary: "")
  ) -> Incident {
    Incident(
      id: id, app: 1, key: key.incident, title: evidence.headline, opened: opened, evaluated: opened,
      breaches: [
        Breach(
          key: key, severity: severity, since: opened, opened: opened, announced: announced, evidence: evidence)
      ])
  }
}
