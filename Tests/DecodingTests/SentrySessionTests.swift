import Testing

@testable import Core
@testable import Ingest

@Suite("A Sentry session")
struct SentrySessionTests {
  private func updates(_ text: String, received: Timestamp = receiptTime) throws -> [SessionUpdate] {
    try decode(envelope: text, received: received).reports.flatMap(\.sessions)
  }

  @Test("a Sentry session is read completely")
  func whole() throws {
    let item = sessionItem(
      """
      "sid":"\(sentrySID)","did":"someone","init":true,"seq":7,"timestamp":"2026-11-21T09:05:00.250Z",\
      "status":"crashed","errors":2,"duration":300.25
      """)
    let report = try #require(try decode(envelope: envelope(item)).reports.first)
    #expect(report.source == .sentry && report.environment == "production")
    #expect(report.bundleID == "com.example.shop" && report.release == Release(version: "4.2.0", build: "1234"))
    let session = try #require(report.sessions.first)
    #expect(
      session
        == SessionUpdate(
          id: "7c7b6585f9014351bf8d02711b721929", outcome: .crashed,
          started: Timestamp(milliseconds: 1_795_251_600_000),
          sequence: 7, updated: Timestamp(milliseconds: 1_795_251_900_250), user: "someone", duration: 300.25))
  }

  @Test(
    "a Sentry session's outcome follows from its status and errors",
    arguments: [
      ("\"x\":0", SessionOutcome.healthy), ("\"status\":\"ok\"", .healthy),
      ("\"status\":\"exited\",\"errors\":0", .healthy),
      ("\"status\":\"exited\",\"errors\":3", .errored), ("\"errors\":1", .errored),
      ("\"status\":\"errored\"", .errored),
      ("\"status\":\"unhandled\",\"errors\":1", .unhandled), ("\"status\":\"abnormal\"", .abnormal),
      ("\"status\":\"crashed\",\"errors\":0", .crashed), ("\"status\":\"novel\"", .healthy),
      ("\"status\":\"novel\",\"errors\":1", .errored),
    ])
  func outcomes(members: String, outcome: SessionOutcome) throws {
    #expect(try updates(envelope(sessionItem(members))).map(\.outcome) == [outcome])
  }

  @Test("a Sentry session is the same in any spelling of its id, and a user of zeros means no user")
  func identities() throws {
    let spellings = [sentrySID, sentrySID.lowercased(), "7c7b6585f9014351bf8d02711b721929"]
    let ids = try spellings.map { try updates(envelope(sessionItem("\"sid\":\"\($0)\"")))[0].id }
    #expect(Set(ids).count == 1)
    #expect(try updates(envelope(sessionItem("\"sid\":\"-ÄB-c\"")))[0].id == "äbc")
    #expect(try updates(envelope(sessionItem("\"sid\":\"--\"")))[0].id.hasSuffix("/0"))
    for nobody in ["00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", ""] {
      #expect(try updates(envelope(sessionItem("\"did\":\"\(nobody)\"")))[0].user == nil)
    }
  }

  @Test(
    "a Sentry session has the release in its name",
    arguments: [
      ("com.app@2.3.1+145", "com.app", "2.3.1", "145"), ("2.3.1", nil, "2.3.1", ""), ("app@2.3.1", "app", "2.3.1", ""),
      ("2.3.1+9", nil, "2.3.1", "9"), ("@scope/app@1.0+2+3", "@scope/app", "1.0", "2+3"), ("8f2a", nil, "8f2a", ""),
      ("app@", nil, "app@", ""), ("+5", nil, "+5", ""), ("", nil, "", ""),
    ] as [(String, String?, String, String)])
  func releases(name: String, package: String?, version: String, build: String) throws {
    let report = try #require(
      try decode(envelope: envelope(sessionItem("\"status\":\"ok\"", release: name))).reports.first)
    #expect(report.bundleID == package && report.release == Release(version: version, build: build))
  }

  @Test("a Sentry session that started by a wrong clock is corrected by the time of sending")
  func drift() throws {
    func started(sentAt: String) throws -> String {
      let header = "{\"sent_at\":\"\(sentAt)\"}"
      return try updates(envelope(sessionItem("\"status\":\"ok\""), header: header))[0].started.iso
    }
    // Received at 10:00.
    #expect(try started(sentAt: "2026-11-21T09:56:00Z") == "2026-11-21T09:00:00Z", "the way here may take minutes")
    #expect(try started(sentAt: "2026-11-21T10:10:00Z") == "2026-11-21T08:50:00Z")
    #expect(try started(sentAt: "2026-11-20T10:00:00Z") == "2026-11-22T09:00:00Z")
    #expect(try started(sentAt: "whenever") == "2026-11-21T09:00:00Z")
  }

  @Test(
    "an aggregate becomes its number of Sentry sessions, with ids that a retry repeats but another envelope does not")
  func aggregates() throws {
    let item = (
      "sessions",
      """
      {"aggregates":[{"started":"2026-11-21T09:00:00.000000Z","exited":5,"errored":2,"crashed":1},\
      {"started":"2026-11-21T09:01:00Z","did":"u","abnormal":1,"unhandled":1}],"attrs":{"release":"a@1"}}
      """
    )
    let found = try updates(envelope(item))
    let counts = Dictionary(grouping: found, by: \.outcome).mapValues(\.count)
    #expect(counts == [.healthy: 5, .errored: 2, .crashed: 1, .abnormal: 1, .unhandled: 1])
    #expect(Set(found.map(\.id)).count == 10 && found.filter { $0.user == "u" }.count == 2)
    #expect(try updates(envelope(item)) == found)
    let later = try updates(envelope(item, header: "{\"sent_at\":\"2026-11-21T10:00:00Z\"}"))
    #expect(Set(later.map(\.id)).isDisjoint(with: found.map(\.id)))
    let twice = try updates(envelope(item, item))
    #expect(Set(twice.map(\.id)).count == 20, "two items of one envelope are two")
  }

  @Test("an item with an aggregate above the limit is left out")
  func tooMany() throws {
    func item(_ count: String) -> (String, String) {
      ("sessions", "{\"aggregates\":[{\"started\":\"2026-11-21T09:00:00Z\",\"exited\":\(count)}]}")
    }
    #expect(try updates(envelope(item("10000"))).count == 10_000)
    for count in ["10001", "18446744073709551615", "-1", "\"3\""] {
      let decoded = try decode(envelope: envelope(item(count), sessionItem("\"status\":\"ok\"")))
      #expect(decoded.reports.flatMap(\.sessions).count == 1 && decoded.rejection?.count == 1, "\(count)")
    }
    let five = try decode(envelope: envelope(item("9000"), item("9000"), item("9000"), item("9000"), item("9000")))
    #expect(five.reports.flatMap(\.sessions).count == 18_000 && five.rejection?.count == 3)
  }

  @Test("a Sentry session takes no device and no build from an event, which only failed sessions have")
  func devices() throws {
    let event = """
      {"level":"fatal","release":"com.example.shop@4.2.0+1234","dist":"9","contexts":{"device":{"model":"iPhone15,2"},\
      "os":{"name":"iOS","version":"17.4.1","build":"21E236"}}}
      """
    let decoded = try decode(
      envelope: envelope(
        sessionItem("\"sid\":\"\(sentrySID)\""), ("event", event), sessionItem("\"sid\":\"b\"", release: "other@1")))
    #expect(decoded.reports.map(\.device.model) == ["iPhone15,2", "", ""])
    #expect(decoded.reports.map(\.sessions.count) == [0, 1, 1])
    let built = #"{"level":"fatal","release":"com.example.shop@4.2.0","dist":"9"}"#
    #expect(try decode(envelope: envelope(("event", built))).reports.map(\.release.build) == [""])
    let unnamed = #"{"level":"fatal","dist":"9","contexts":{"app":{"app_version":"4.2.0"}}}"#
    #expect(try decode(envelope: envelope(("event", unnamed))).reports.map(\.release.title) == ["4.2.0 (9)"])
  }

  @Test("sessions of several releases in turn are grouped in the order of their first")
  func turns() throws {
    let releases = ["1", "2", "1", "3", "3", "2", "1"]
    let items = releases.enumerated().map { sessionItem("\"sid\":\"\($0)\"", release: $1) }
    let text = "{}\n" + items.map { "{\"type\":\"\($0.type)\"}\n\($0.payload)\n" }.joined()
    let reports = try decode(envelope: text).reports
    #expect(reports.map(\.release.version) == ["1", "2", "3"])
    #expect(reports.map { $0.sessions.map(\.id) } == [["0", "2", "6"], ["1", "5"], ["3", "4"]])
  }

  @Test("a session that the Sentry client discarded is counted as lost")
  func losses() throws {
    let report = """
      {"timestamp":"2026-11-21T09:00:00Z","discarded_events":[\
      {"reason":"ratelimit_backoff","category":"session","quantity":12},{"category":"error","quantity":-3},7],\
      "rate_limited_events":[{"category":"error","quantity":2}]}
      """
    let found = try decode(envelope: envelope(("client_report", report))).reports
    #expect(
      found.flatMap(\.losses) == [
        ClientLoss(category: "session", reason: "ratelimit_backoff", quantity: 12),
        ClientLoss(category: "error", reason: "rate_limited", quantity: 2),
      ])
  }
}
