import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage

/// Timelines played by hand: what a person expects to be told, hour by hour.
@Suite("Incidents of a fleet's timeline")
struct IncidentTimelineTests {
  private static func at(_ hours: Double) -> Timestamp { IncidentStateMachineTests.at(hours) }

  private static let crash = BreachKey(.newGroup, "c1 4.3.0", slice: Slice())
  private static let sessions = BreachKey(
    .budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.3.0 (1240)"))
  private static let launch = BreachKey(.budget, "p90 launch.first_draw <= 2 s", slice: Slice(release: "4.3.0 (1240)"))
  private static let burn = BreachKey(.burn, slice: Slice(release: "4.3.0 (1240)"))
  private static let whole = BreachKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice())

  private static func finding(
    _ key: BreachKey, _ condition: Incident.Condition, _ severity: Severity = .critical, since: Double? = nil
  ) -> Finding {
    Finding(
      key: key, severity: severity, condition: condition, count: 1000, enough: 598, since: since.map(at),
      evidence: .init(summary: "\(key.rule.rawValue) \(key.subject)", headline: "\(key.rule.rawValue) headline"))
  }

  private final class Play {
    var machine = IncidentStateMachine(app: 1, thresholds: AlertThresholds())
    var open: [Incident]
    var ended: [Incident] = []
    var told: [String] = []

    init(_ open: [Incident] = []) { self.open = open }

    func look(_ hours: Double, _ findings: [Finding], retired: (Breach) -> String? = { _ in nil }) {
      let now = IncidentTimelineTests.at(hours)
      let changes = machine.transitions(of: open, findings: findings, retired: retired, now: now)
      for change in changes {
        open.removeAll { $0.id == change.incident.id }
        if change.incident.closed == nil { open.append(change.incident) } else { ended.append(change.incident) }
      }
      guard let message = AlertMessage(changes, app: "a.b", links: .none, now: now, decision: 1) else { return }
      told.append(
        "\(hours): " + message.items.map { "\($0.event.rawValue) \($0.incident.prefix(4))" }.joined(separator: ", "))
    }
  }

  @Test("a bad release is one incident from its first hour to its last breach's end")
  func badRelease() throws {
    let play = Play()
    play.look(10, [Self.finding(Self.burn, .broken, since: 6)])
    let release = try #require(play.open.first?.id.prefix(4))
    play.look(11, [Self.finding(Self.burn, .broken), Self.finding(Self.crash, .unclear)])
    play.look(
      12,
      [
        Self.finding(Self.burn, .broken), Self.finding(Self.crash, .broken, since: 0),
        Self.finding(Self.sessions, .broken, since: 2), Self.finding(Self.whole, .broken),
      ])
    play.look(13, [Self.finding(Self.launch, .broken, since: 0), Self.finding(Self.crash, .broken)])
    let bad = try #require(play.open.first)
    #expect(play.open.count == 1 && bad.key.release == "4.3.0" && bad.breaches.count == 5)
    #expect(bad.title == "4.3.0: new_group headline; one more budget broken")
    // When it broke is the earliest time in the data; when it was noticed is the first look.
    #expect(bad.since == Self.at(0) && bad.opened == Self.at(10))
    // The crash is fixed; the launch is not: nothing is over, and nobody hears of the half.
    play.look(20, [Self.crash, Self.sessions, Self.burn, Self.whole].map { Self.finding($0, .within) })
    #expect(try #require(play.open.first).title == "4.3.0: budget headline")
    // A day after the last word, what else broke meanwhile.
    play.look(37, [Self.finding(Self.launch, .broken)])
    play.look(40, [Self.finding(Self.launch, .within)])
    #expect(play.open.isEmpty && play.ended.map(\.state) == [.resolved])
    #expect(play.told == ["10.0: opened \(release)", "37.0: worsened \(release)", "40.0: resolved \(release)"])
  }

  @Test("what breaks in a release within a day after the same vitals of the whole app joins the app's incident")
  func wholeFirst() throws {
    let play = Play()
    play.look(0, [Self.finding(Self.whole, .broken)])
    play.look(3, [Self.finding(Self.whole, .broken), Self.finding(Self.sessions, .broken)])
    play.look(4, [Self.finding(Self.sessions, .broken), Self.finding(Self.crash, .broken)])
    #expect(play.open.count == 1 && play.told.count == 1)
    let incident = try #require(play.open.first)
    #expect(incident.key.theme == .app)
    #expect(incident.title == "all releases: in 4.3.0, new_group headline")
    // Another vital is another break.
    play.look(5, [Self.finding(Self.launch, .broken)])
    #expect(play.open.count == 2 && play.told.count == 2)
    // The same crashes in an older release are the same break.
    let older = BreachKey(.budget, Self.sessions.subject, slice: Slice(release: "4.2.0"))
    play.look(5.5, [Self.finding(older, .broken)])
    #expect(play.open.count == 2 && play.told.count == 2)
    // The incident lasts until the release's breaches are over, too.
    play.look(6, [Self.finding(Self.whole, .within), Self.finding(Self.sessions, .within)])
    #expect(play.open.count == 2)
    play.look(7, [Self.finding(Self.crash, .within), Self.finding(older, .within)])
    #expect(play.open.map(\.key.theme) == [.release] && play.ended.map(\.id) == [incident.id])
  }

  @Test("a release that breaks more than a day after the whole app is a break of its own, with a message at once")
  func chronic() {
    let play = Play()
    play.look(0, [Self.finding(Self.whole, .broken)])
    play.look(24, [Self.finding(Self.whole, .broken), Self.finding(Self.sessions, .broken)])
    #expect(Set(play.open.map(\.key.theme)) == [.app, .release])
  }

  @Test("a breach that ends and returns within an open incident sends no message, even if no other was reported")
  func returning() {
    let rollout = BreachKey(.rollout, slice: Slice(release: "4.3.0"))
    for key in [Self.launch, rollout] {
      let play = Play()
      play.look(0, [Self.finding(key, .broken)])
      play.look(1, [Self.finding(key, .broken), Self.finding(Self.sessions, .broken)])
      play.look(2, [Self.finding(key, .within), Self.finding(Self.sessions, .broken)])
      play.look(3, [Self.finding(key, .broken), Self.finding(Self.sessions, .broken)])
      #expect(play.told.count == 1, "\(key.rule)")
      // The other one is new, and its turn comes a day after the last message.
      play.look(24, [Self.finding(key, .broken), Self.finding(Self.sessions, .broken)])
      #expect(play.told.count == 2 && play.told.last?.contains("worsened") == true)
    }
  }

  @Test("a warning that returns as critical is reported, because that is worse")
  func returningWorse() {
    let play = Play()
    play.look(0, [Self.finding(Self.burn, .broken, .warning), Self.finding(Self.launch, .broken, .warning)])
    play.look(1, [Self.finding(Self.burn, .within, .warning), Self.finding(Self.launch, .broken, .warning)])
    play.look(2, [Self.finding(Self.burn, .broken), Self.finding(Self.launch, .broken, .warning)])
    #expect(play.told.count == 2)
  }

  @Test("a superseded release is retired with all its breaches")
  func superseded() {
    let play = Play()
    play.look(0, [Self.finding(Self.sessions, .broken), Self.finding(Self.launch, .broken)])
    play.look(1, [Self.finding(Self.launch, .broken)]) { $0.key.version == "4.3.0" ? "4.3.0 is superseded." : nil }
    #expect(play.open.isEmpty && play.ended.first?.state == .retired)
    #expect(play.ended.first?.closedBecause == "4.3.0 is superseded.")
    #expect(play.told.count == 2)
  }

  @Test("a silence of a metric hides only its breach; a silence of an incident hides all, and the rest is sent later")
  func silences() throws {
    let play = Play()
    play.machine.silences = [
      Silence(rule: "launch.first_draw", starts: Self.at(0), ends: Self.at(5), reason: "x", created: Self.at(0))
    ]
    play.look(0, [Self.finding(Self.launch, .broken)])
    #expect(play.told.isEmpty)
    play.look(1, [Self.finding(Self.launch, .broken), Self.finding(Self.sessions, .broken)])
    let id = try #require(play.open.first?.id)
    let name = id.prefix(4)
    #expect(play.told == ["1.0: opened \(name)"])
    play.look(6, [Self.finding(Self.launch, .broken), Self.finding(Self.sessions, .broken)])
    #expect(play.told.count == 1, "the silence of the launch is over, but the last message is not a day old")
    play.look(26, [Self.finding(Self.launch, .broken), Self.finding(Self.sessions, .broken)])
    #expect(play.told.last == "26.0: worsened \(name)")
    play.machine.silences = [
      Silence(incident: id, starts: Self.at(27), ends: Self.at(60), reason: "x", created: Self.at(27))
    ]
    play.look(28, [Self.finding(Self.burn, .broken), Self.finding(Self.crash, .broken)])
    play.look(40, [Self.finding(Self.launch, .broken)])
    #expect(play.told.count == 2)
    play.look(61, [Self.finding(Self.launch, .broken)])
    #expect(play.told.last == "61.0: worsened \(name)", "what broke meanwhile")
  }

  @Test("incidents from an older version, one per rule, become one that stays reported, and the others end once")
  func upgrade() throws {
    var old = [Self.crash, Self.sessions, Self.launch, Self.whole].enumerated().map { index, key in
      Incident.of(key, id: "old\(index)", opened: Self.at(Double(index)), announced: Self.at(Double(index)))
    }
    // Nobody was told of the launch: a silence covered it, and still does.
    old[2].breaches[0].announced = nil
    let play = Play(old)
    play.machine.silences = [
      Silence(rule: "launch.first_draw", starts: Self.at(0), ends: Self.at(20), reason: "x", created: Self.at(0))
    ]
    let all = [Self.crash, Self.sessions, Self.launch, Self.whole].map { Self.finding($0, .broken) }
    play.look(5, all)
    #expect(Set(play.open.map(\.id)) == ["old0", "old3"])
    #expect(play.ended.map(\.id) == ["old1", "old2"])
    #expect(
      play.ended.allSatisfy { $0.state == .retired && $0.closedBecause == "Merged into incident old0." })
    // Receivers that wait for an end get it; nothing is said to begin.
    #expect(play.told == ["5.0: retired old1"])
    play.look(6, all)
    #expect(play.told.count == 1)
    play.look(20, all)
    #expect(play.told.count == 1, "the silence of the launch is over, but the last message is not a day old")
    play.look(26, all)
    #expect(play.told.last == "26.0: worsened old0")
    play.look(27, all.map { Self.finding($0.key, .within) })
    #expect(play.open.isEmpty && play.told.last == "27.0: resolved old0, resolved old3")
  }
}
