import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: incidents of older versions")
struct IncidentMigrationTests {
  /// Rows as versions wrote them that had an incident for each rule and subject.
  private static let rows = """
    INSERT INTO incident VALUES
      ('a', 7, '["new_group","00000000000000c1 4.3.0","production",null,null,null,null,null]', 'open', 'critical',
       'broken', 1000, NULL, NULL, 2000, 3000, 40, NULL, 0,
       '{"summary":"EXC in \\"x\\" is new","facts":[["Evidence","3 of 5"],["Group","c1"]],"advice":"Open the group"}'),
      ('b', 7, '["budget","p90 launch.first_draw <= 2 s","production","4.3.0 (1240)",null,null,null,null]', 'open',
       'critical', 'recovering', 1500, NULL, NULL, NULL, 3000, 41, 2500, 6, '{"summary":"s","facts":[]}'),
      ('c', 7, '["burn","","production",null,null,null,null,null]', 'open', 'warning', 'unclear', 1500, NULL, NULL,
       1500, 3000, 0, NULL, 0, '{"summary":"s","facts":[]}'),
      ('d', 7, '["stale",""]', 'resolved', 'critical', 'within', 100, 900, 'Proven to be over.', 900, 900, 0, NULL, 0,
       '{"summary":"no payload","facts":[]}'),
      ('e', 0, '["space",""]', 'open', 'warning', 'broken', 100, NULL, NULL, 100, 900, 0, NULL, 0,
       '{"summary":"s","facts":[]}'),
      ('f', 7, '["budget","x","beta","(unknown)",null,null,"c","l"]', 'retired', 'warning', 'broken', 100, 200, 'gone',
       100, 900, 0, NULL, 0, '{"summary":"s","facts":[]}');
    INSERT INTO silence (app, release, rule, starts, ends, reason, created) VALUES (7, NULL, 'burn', 0, 5, 'r', 0);
    """

  @Test("each old incident becomes an incident of its release or theme with one breach and all its data")
  func rows() throws {
    try withFolder { folder in
      let steps = MigrationFiles.control.prefix { $0.name != "v012_incident_breaches" }
      let file = try DatabaseQueue(path: folder + "/control.db")
      try Migrator.migrate(file, steps: Array(steps))
      try file.write { try $0.execute(sql: Self.rows) }
      try file.close()
      let store = try SQLiteControlStore(folder: folder, migrates: true)
      let release = IncidentKey(.release, environment: "production", release: "4.3.0")
      let open = try store.alertState(of: 7).open
      #expect(open.map(\.id) == ["a", "b", "c"])
      #expect(open.map(\.key) == [release, release, IncidentKey(.app, environment: "production")])
      func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
      #expect(
        open[0]
          == Incident(
            id: "a", app: 7, key: release, title: "EXC in \"x\" is new", opened: time(1000), evaluated: time(3000),
            breaches: [
              Breach(
                key: BreachKey(.newGroup, "00000000000000c1 4.3.0", slice: Slice()), severity: .critical,
                since: time(1000), opened: time(1000), announced: time(2000), lastCount: 40,
                evidence: .init(
                  summary: "EXC in \"x\" is new", facts: [.init("Evidence", "3 of 5"), .init("Group", "c1")],
                  advice: "Open the group"))
            ]))
      let launch = open[1].breaches[0]
      #expect(
        launch.key.slice == Slice(release: "4.3.0 (1240)") && launch.key.key == "budget p90 launch.first_draw <= 2 s")
      #expect(launch.announced == nil && launch.recoveringSince == time(2500) && launch.recoveredCount == 6)
      #expect(launch.condition == .recovering && launch.evidence.advice == nil)
      #expect(open[2].severity == .warning && open[2].breaches[0].condition == .unclear)
      #expect(try store.alertState(of: 0).open.map(\.key) == [IncidentKey(.space)])
      let past = try #require(try store.incident("d"))
      #expect(past.state == .resolved && past.key == IncidentKey(.data) && past.closed == time(900))
      #expect(past.breaches[0].closedBecause == "Proven to be over." && past.announced == time(900))
      let beta = try #require(try store.incident("f"))
      #expect(beta.key == IncidentKey(.release, environment: "beta", release: "(unknown)"))
      #expect(beta.breaches[0].key.slice?.label == "l" && beta.state == .retired)
      #expect(try store.silences(at: time(1)).map(\.incident) == [nil])
    }
  }

  @Test("incidents and waiting messages of earlier versions are read, and written in the same form")
  func stored() throws {
    try withFolder { folder in
      let breaches =
        #"[{"advice":"Open /it","closed":900,"closedBecause":"over","condition":"within","facts":[["Evidence","3 of 5"]],"#
        + #""headline":"h","key":["budget","p90 x <= 1 s","production","4.3.0 (1)",null,null,"c",null,"region=DE"],"#
        + #""lastCount":4,"opened":100,"recoveredCount":6,"recoveringSince":500,"severity":"warning","since":50,"#
        + #""state":"resolved","summary":"s \"q\""},{"condition":"broken","facts":[],"headline":"n","key":["stale",""],"#
        + #""announced":200,"lastCount":0,"opened":100,"recoveredCount":0,"severity":"critical","since":100,"state":"open","#
        + #""summary":"n"}]"#
      let body =
        #"{"app":"a.b","environment":"production","event":"still_broken","identifier":"m","items":[{"advice":"look","#
        + #""event":"opened","facts":[["Why","x/y"],["",""]],"incident":"i","link":"https://p/1","since":86400000,"#
        + #""summary":"s"}],"link":"https://p","release":"4.3.0","severity":"info","time":1795166100001,"title":"t"}"#
      _ = try SQLiteControlStore(folder: folder)
      let file = try DatabaseQueue(path: folder + "/control.db")
      try file.write { db in
        try db.execute(
          sql: """
            INSERT INTO incident (id, app, key, state, title, opened, evaluated, breaches)
            VALUES ('i', 7, '["release","production","4.3.0"]', 'open', 't', 100, 300, ?)
            """, arguments: [breaches])
        try db.execute(
          sql: "INSERT INTO alert_message (id, created, body) VALUES ('m', 1795166100001, ?)", arguments: [body])
      }
      let store = try SQLiteControlStore(folder: folder)
      func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
      let slice = Slice(
        release: "4.3.0 (1)", deviceClass: "c", attribute: AttributeFilter(name: "region", value: "DE"))
      let incident = Incident(
        id: "i", app: 7, key: IncidentKey(.release, environment: "production", release: "4.3.0"), title: "t",
        opened: time(100), evaluated: time(300),
        breaches: [
          Breach(
            key: BreachKey(.budget, "p90 x <= 1 s", slice: slice), state: .resolved, severity: .warning,
            condition: .within, since: time(50), opened: time(100), closed: time(900), closedBecause: "over",
            lastCount: 4, recoveringSince: time(500), recoveredCount: 6,
            evidence: Evidence(
              summary: "s \"q\"", facts: [Detail("Evidence", "3 of 5")], advice: "Open /it", headline: "h")),
          Breach(
            key: BreachKey(.stale), severity: .critical, since: time(100), opened: time(100), announced: time(200),
            evidence: Evidence(summary: "n")),
        ])
      let message = AlertMessage(
        identifier: "m", event: .stillBroken, severity: .info, app: "a.b", release: "4.3.0", environment: "production",
        title: "t",
        items: [
          .init(
            incident: "i", event: .opened, summary: "s", facts: [Detail("Why", "x/y"), Detail("", "")], advice: "look",
            link: "https://p/1", since: day(1))
        ], link: "https://p", time: time(1_795_166_100_001))
      #expect(try store.alertState(of: 7).open == [incident])
      #expect(try store.pendingMessages() == [message])
      var again = message
      again.identifier = "m2"
      #expect(try store.decide([incident], [again], AlertState(), of: 7))
      let (key, rewritten, second) = try file.read { db in
        (
          try String.fetchOne(db, sql: "SELECT key FROM incident"),
          try String.fetchOne(db, sql: "SELECT breaches FROM incident"),
          try String.fetchOne(db, sql: "SELECT body FROM alert_message WHERE id = 'm2'")
        )
      }
      #expect(key == #"["release","production","4.3.0"]"#)
      let sorted = breaches.replacing(#"{"condition":"broken""#, with: #"{"announced":200,"condition":"broken""#)
        .replacing(#"["stale",""],"announced":200,"#, with: #"["stale",""],"#)
      #expect(rewritten == sorted)
      #expect(second == body.replacing(#""identifier":"m""#, with: #""identifier":"m2""#))
    }
  }

  @Test("open incidents are counted per app, and the last delivery is stored per channel")
  func countsAndDeliveries() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0)).id
      #expect(try store.openIncidentCounts().isEmpty && store.lastDeliveries().isEmpty)
      let keys = [IncidentKey(.app), IncidentKey(.data), IncidentKey(.evaluation)]
      let incidents = keys.enumerated().map { index, key in
        Incident(
          id: "i\(index)", app: app, key: key, opened: day(1), closed: index == 2 ? day(2) : nil, evaluated: day(1),
          breaches: [
            Breach(
              key: BreachKey(.burn), severity: .critical, since: day(1), opened: day(1), evidence: .init(summary: ""))
          ])
      }
      let messages = [("m1", "i0"), ("m2", "i0"), ("m3", "i1")].map { name, incident in
        AlertMessage(
          identifier: name, event: .opened, severity: .critical, app: "a.shop", title: "",
          items: [.init(incident: incident, event: .opened, summary: "", since: day(1))], time: day(1))
      }
      let odd = AlertMessage(
        identifier: "odd", event: .digest, severity: .info, app: "a.shop", title: "", items: [], time: day(1))
      _ = try store.decide(incidents, messages + [odd], AlertState(digestedThrough: 1), of: app)
      for message in ["m1", "m2", "odd"] { _ = try store.claim(message, channel: "team", at: day(1)) }
      try store.markDelivered("m1", channel: "team", at: day(1))
      try store.markFailed("m2", channel: "team", reason: "503", isFinal: false, at: day(2))
      #expect(try store.openIncidentCounts() == ["a.shop": 2])
      let deliveries = try store.lastDeliveries()
      #expect(deliveries.keys.sorted() == ["i0"])
      #expect(deliveries["i0"]?["team"]?.failure == "503" && deliveries["i0"]?["team"]?.delivered == nil)
    }
  }
}

extension BreachKey {
  fileprivate var key: String { "\(rule.rawValue) \(subject)" }
}
