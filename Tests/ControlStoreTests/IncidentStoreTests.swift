import Foundation
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: incidents, silences, messages")
struct IncidentStoreTests {
  private static func incident(_ id: String, key: BreachKey, closed: Timestamp? = nil) -> Incident {
    let breach = Breach(
      key: key, state: .resolved, severity: .warning, condition: .recovering, since: day(0), opened: day(1),
      announced: day(2), closed: day(4), closedBecause: "over", lastCount: 4, recoveringSince: day(5),
      recoveredCount: 6,
      evidence: Evidence(
        summary: "a \"b\"\n\u{202E}", facts: [Detail("x", "y"), Detail("x", "")], advice: "z",
        headline: "h"))
    let other = Breach(
      key: BreachKey(.burn), severity: .critical, since: day(1), opened: day(1), evidence: .init(summary: ""))
    return Incident(
      id: id, app: 7, key: key.incident, state: closed == nil ? .open : .resolved, title: "t \u{202E}", opened: day(1),
      closed: closed, closedBecause: closed.map { _ in "because" }, evaluated: day(3), breaches: [breach, other])
  }

  private static func message(_ name: String, _ time: Timestamp) -> AlertMessage {
    AlertMessage(
      identifier: name, event: .opened, severity: .critical, app: "a.b", title: "t \u{202E}\"", items: [], time: time)
  }

  private static let keys = [
    BreachKey(.stale), BreachKey(.budget, "p90 a <= 1 s", slice: Slice()),
    BreachKey(
      .regression, "[\"",
      slice: Slice(environment: "e", release: "r", os: "o", device: "d", deviceClass: "c", label: "")),
    BreachKey(.burn, slice: Slice(release: "4.2.0 (1)")),
    BreachKey(
      .budget, "p90 a <= 1 s, where region != DE",
      slice: Slice(attribute: AttributeFilter(name: "region", value: "DE = x", isExcluding: true))),
  ]

  @Test("incidents read back as they were written, open ones with the state of their app")
  func roundTrip() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let open = Self.keys.enumerated().map { Self.incident("i\($0.offset)", key: $0.element) }
      let past = Self.incident("past", key: Self.keys[0], closed: day(9))
      #expect(try store.decide(open + [past], [], AlertState(digestedThrough: 42, rules: "r"), of: 7))
      let reopened = try SQLiteControlStore(folder: folder)
      let state = try reopened.alertState(of: 7)
      #expect(state == AlertState(version: 1, digestedThrough: 42, rules: "r", open: open))
      #expect(try reopened.incident("past") == past)
      #expect(try reopened.incident("none") == nil)
      #expect(try Set(reopened.incidents(of: nil, closedAfter: day(8)).map(\.id)) == Set(open.map(\.id) + ["past"]))
      #expect(try reopened.incidents(of: 7, closedAfter: day(9)).count == open.count)
      #expect(try reopened.incidents(of: 8, closedAfter: day(0)).isEmpty)
      #expect(try reopened.alertState(of: 8) == AlertState())
    }
  }

  @Test("a decision on an outdated state is not stored, and neither are its messages")
  func version() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let message = Self.message("m", day(1))
      #expect(try store.decide([], [], AlertState(digestedThrough: 1), of: 7))
      func decide(_ incident: String, version: Int64, through: Int64) throws -> Bool {
        try store.decide(
          [Self.incident(incident, key: Self.keys[1])], [message],
          AlertState(version: version, digestedThrough: through), of: 7)
      }
      #expect(try !decide("a", version: 0, through: 2))
      #expect(try store.pendingMessages().isEmpty && store.alertState(of: 7).open.isEmpty)
      #expect(try decide("a", version: 1, through: 2))
      #expect(try store.pendingMessages() == [message])
      // A second message of an id fails as a whole.
      #expect(throws: (any Error).self) { try decide("b", version: 2, through: 3) }
      #expect(try store.alertState(of: 7).digestedThrough == 2)
    }
  }

  @Test("a message is taken once, returned if it failed or its sender died, and kept until it is settled")
  func outbox() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      _ = try store.decide([], [Self.message("m", day(1))], AlertState(digestedThrough: 1), of: 7)
      func after(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: day(1).milliseconds + seconds * 1000) }
      #expect(try store.claim("m", channel: "slack", at: after(0)))
      #expect(try !store.claim("m", channel: "slack", at: after(59)))
      #expect(try !store.claim("m", channel: "slack", at: after(-1)), "by a slower process")
      #expect(try store.claim("m", channel: "log", at: after(600)))
      #expect(try store.claim("m", channel: "log", at: after(0)), "claimed before the clock was set back")
      #expect(try store.claim("m", channel: "mail", at: after(59)))
      #expect(try store.claim("m", channel: "slack", at: after(60)), "its taker died")
      try store.markFailed("m", channel: "slack", reason: "503", isFinal: false, at: after(61))
      #expect(try store.claim("m", channel: "slack", at: after(62)))
      try store.markDelivered("m", channel: "slack", at: after(63))
      #expect(try !store.claim("m", channel: "slack", at: after(10_000)))
      let found = try #require(try store.pendingMessages().first)
      #expect(
        found.deliveries["slack"]
          == DeliveryState(delivered: after(63), attempts: 1, failure: "503", failed: after(61)))
      try store.settle("m", at: after(70))
      #expect(try store.pendingMessages().isEmpty)
    }
  }

  @Test("silences are listed until they end, need an end and a reason, and are deleted with their app")
  func silences() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0)).id
      let all = Silence(starts: day(1), ends: day(2), reason: "move", created: day(0))
      let one = Silence(
        app: app, release: "4.2.0", rule: "burn", starts: day(5), ends: day(6), reason: "known", created: day(0))
      let stored = [try store.addSilence(all), try store.addSilence(one)]
      #expect(try store.silences(at: day(1)) == stored)
      #expect(stored[0].isActive(at: day(1)) && !stored[0].isActive(at: day(2)) && !stored[1].isActive(at: day(4)))
      #expect(try store.silences(at: day(2)) == [stored[1]])
      for (starts, ends, reason) in [(2, 2, "x"), (3, 2, "x"), (1, 2, " ")] as [(Int64, Int64, String)] {
        #expect(throws: ControlError.self) {
          try store.addSilence(Silence(starts: day(starts), ends: day(ends), reason: reason, created: day(0)))
        }
      }
      #expect(throws: ControlError.noSuchSilence(99)) { try store.removeSilence(99) }
      try store.removeApp(app)
      #expect(try store.silences(at: day(0)) == [stored[0]])
      try store.removeSilence(stored[0].id)
      #expect(try store.silences(at: day(0)).isEmpty)
    }
  }

  @Test("old incidents are deleted, but open ones never")
  func forget() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let messages = [("old", 1), ("new", 5)].map { Self.message($0, day($1)) }
      _ = try store.decide(
        [
          Self.incident("open", key: Self.keys[0]), Self.incident("old", key: Self.keys[0], closed: day(2)),
          Self.incident("new", key: Self.keys[0], closed: day(4)),
        ], messages, AlertState(digestedThrough: 1), of: 7)
      _ = try store.claim("old", channel: "x", at: day(1))
      try store.forgetAlerts(closedBefore: day(3), toldBefore: day(3))
      #expect(try Set(store.incidents(of: nil, closedAfter: day(0)).map(\.id)) == ["open", "new"])
      #expect(try store.pendingMessages().map(\.identifier) == ["new"])
    }
  }
}
