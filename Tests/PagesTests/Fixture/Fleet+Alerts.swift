@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

extension Fleet {
  static let alerts = alerts(of: nil)

  static func alerts(of app: String?) -> AlertList {
    var list = AlertList(
      app: app,
      open: [
        .init(
          app: "com.example.shop", incident: release,
          page: .group(app: "com.example.shop", id: "3f2a9c01d4e5b678"),
          deliveries: [
            "team": .init(delivered: before(6)), "pager": .init(attempts: 2, failure: "503", failed: before(6)),
          ]),
        .init(app: nil, incident: digest),
      ], past: [.init(app: "com.example.shop", incident: past)], asOf: asOf)
    list.silences = [
      Silence(id: 3, incident: digest.id, starts: before(1), ends: before(-23), reason: "known", created: before(1))
    ]
    return list
  }

  private static func before(_ hours: Int64) -> Timestamp {
    Timestamp(milliseconds: asOf.milliseconds - hours * 3_600_000)
  }

  private static let release = Incident(
    id: "3f2a9c01d4e5b678", app: 1, key: IncidentKey(.release, environment: "production", release: "4.2.0"),
    title: "4.2.0: a new crash in Cart.pay() explains 73 % of its crashes", opened: before(30), evaluated: before(1),
    breaches: [
      Breach(
        key: BreachKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.2.0 (1234)")),
        severity: .critical, condition: .recovering, since: CalendarDay(number: 20_776).startUTC, opened: before(30),
        announced: before(6), lastCount: 4210, recoveringSince: before(5), recoveredCount: 1204,
        evidence: Evidence(
          summary: "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget >= 99.5 % "
            + "[production, 4.2.0 (1234), 2026-11-14 to 2026-11-20]",
          facts: [Detail("Evidence", "47 of 4,210 sessions crashed, of at least 41 users")],
          advice: "List this release's crashes.", headline: "crash-free sessions is 98.88 %, budget ≥ 99.5 %")),
      Breach(
        key: BreachKey(.newGroup, "3f2a9c01d4e5b678 4.2.0", slice: Slice()), severity: .critical, since: before(48),
        opened: before(29), announced: before(6),
        evidence: Evidence(
          summary: "EXC_BAD_ACCESS in Cart.pay() is new in 4.2.0: 0.82 % of its sessions",
          advice: "Open the group. Find your first frame in the crashed thread and what changed there in 4.2.0.",
          headline: "a new crash in Cart.pay() explains 73 % of its crashes")),
    ])

  private static let digest = Incident(
    id: "00000000000000aa", app: 0, key: IncidentKey(.digest), title: "digest: 1,204 records wait", opened: before(2),
    evaluated: before(1),
    breaches: [
      Breach(
        key: BreachKey(.digest), severity: .warning, since: before(2), opened: before(2),
        evidence: Evidence(
          summary: "1,204 records wait for the digest, the oldest for 32 min: metrics and alerts are behind"))
    ])

  private static let past = Incident(
    id: "00000000000000bb", app: 1, key: IncidentKey(.data), state: .resolved, title: "data: no payload for 26 h",
    opened: before(200), closed: before(170), closedBecause: "Recovery confirmed.", evaluated: before(170),
    breaches: [
      Breach(
        key: BreachKey(.stale), state: .resolved, severity: .critical, condition: .within, since: before(225),
        opened: before(200), announced: before(200), closed: before(170), closedBecause: "Recovery confirmed.",
        evidence: Evidence(summary: "no payload for 26 h; before, one arrived every 4 min"))
    ])
}
