import Health
import Pages
import Storage
import Telemetry

extension Fleet {
  static let alerts = alerts(of: nil)

  static func alerts(of app: String?) -> AlertList {
    AlertList(
      app: app,
      open: [
        .init(app: "com.example.shop", incident: crashes), .init(app: nil, incident: digest),
      ], past: [.init(app: "com.example.shop", incident: past)], asOf: asOf)
  }

  private static func before(_ hours: Int64) -> Timestamp {
    Timestamp(milliseconds: asOf.milliseconds - hours * 3_600_000)
  }

  private static let crashes = Incident(
    id: "3f2a9c01d4e5b678", app: 1,
    key: IncidentKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.2.0 (1234)")),
    severity: .critical, condition: .recovering, opened: before(30), announced: before(6), evaluated: before(1),
    lastCount: 4210, recoveringSince: before(5), recoveredCount: 1204,
    evidence: Incident.Evidence(
      summary: "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget >= 99.5 % "
        + "[production, 4.2.0 (1234), 2026-11-14 to 2026-11-20]",
      facts: [Incident.Fact("Evidence", "47 of 4,210 sessions crashed, of at least 41 users")],
      advice: "List this release's crashes."))

  private static let digest = Incident(
    id: "00000000000000aa", app: 0, key: IncidentKey(.digest), severity: .warning, opened: before(2),
    evaluated: before(1),
    evidence: Incident.Evidence(summary: "1,204 records are received and not counted, the oldest for 32 min"))

  private static let past = Incident(
    id: "00000000000000bb", app: 1, key: IncidentKey(.stale), state: .resolved, severity: .critical,
    condition: .within, opened: before(200), closed: before(170), closedBecause: "Proven to be over.",
    announced: before(170), evaluated: before(170),
    evidence: Incident.Evidence(summary: "no payload for 26 h; before, one came every 4 min"))
}
