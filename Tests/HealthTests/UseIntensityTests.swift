import Core
import Statistics
import Storage
import Testing

@testable import Analysis

/// How much more the users of a release use the app, with numbers that are computed by hand.
struct UseIntensityTests {
  private static let first = CalendarDay(number: 20_000)

  /// A day's users in a device class, each with so many sessions.
  private struct Users {
    var day: Int
    var deviceClass = "iPhone 15"
    var count: Int
    var sessions: Int64
  }

  private static func side(_ users: [Users], isNamed: Bool = true) -> ReleaseSeriesPair.Side {
    var series: [String: Series] = [:]
    for own in users {
      var tally = SessionTally()
      for _ in 0..<own.count { tally.userDays.add(x: 0, y: own.sessions) }
      tally[.healthy] = Int64(own.count) * own.sessions
      tally.knownUserDays = isNamed ? Int64(own.count) : 0
      for member in ["", own.deviceClass] {
        var known =
          series[member] ?? Series(metric: .known(Catalogue.sessions), label: "", source: .native, member: member)
        known.add(.sessions(tally), on: first + own.day)
        series[member] = known
      }
    }
    return ReleaseSeriesPair.Side(
      whole: series[""].map { [$0] } ?? [], classes: series.filter { $0.key != "" }.map(\.value))
  }

  private static func excess(
    _ head: ReleaseSeriesPair.Side, _ base: ReleaseSeriesPair.Side,
    fresh: (head: [Int: Double], base: [Int: Double]) = ([:], [:])
  ) -> [Int: Double] {
    func shares(_ days: [Int: Double]) -> FreshInstallShares {
      FreshInstallShares(byDay: Dictionary(uniqueKeysWithValues: days.map { (first + $0.key, $0.value) }))
    }
    let found = UseIntensity.excess(head: head, base: base, fresh: (shares(fresh.head), shares(fresh.base)))
    return Dictionary(uniqueKeysWithValues: found.map { ($0.key.number - first.number, $0.value) })
  }

  @Test(
    "users with three times the sessions of the base's users use the app three times as much, whatever their number")
  func ratio() {
    let base = Self.side([Users(day: 0, count: 200, sessions: 2), Users(day: 1, count: 200, sessions: 2)])
    let found = Self.excess(
      Self.side([Users(day: 1, count: 40, sessions: 6), Users(day: 2, count: 400, sessions: 1)]), base)
    #expect(abs((found[1] ?? 0) - 3) < 1e-12)
    #expect(found[2] == 1)
  }

  @Test("device classes are compared with themselves, because newer phones are used more")
  func classes() {
    let base = Self.side([
      Users(day: 0, count: 100, sessions: 2), Users(day: 0, deviceClass: "iPhone 11", count: 300, sessions: 1),
    ])
    let found = Self.excess(Self.side([Users(day: 1, count: 50, sessions: 2)]), base)
    #expect(found == [1: 1])
  }

  @Test("one standard error is left out: users of the base who differ by half say little about four of the head")
  func error() {
    // 100 users with 1 session and 100 with 3: mean 2, variance 1, squared coefficient of variation ¼.
    let base = Self.side([Users(day: 0, count: 100, sessions: 1), Users(day: 0, count: 100, sessions: 3)])
    let found = Self.excess(Self.side([Users(day: 1, count: 4, sessions: 3)]), base)
    // √(¼·(¼ + 1/200)) = 0.25249; 1.5·e^−0.25249 = 1.16529.
    #expect(abs((found[1] ?? 0) - 1.16529) < 1e-5)
  }

  @Test("a day of new installations is compared with such days of the base, which have only a part of their use")
  func stages() {
    let base = Self.side([Users(day: 0, count: 200, sessions: 2), Users(day: 9, count: 2_000, sessions: 4)])
    // The squared coefficient of variation of all user-days is 0.0226757; e^−√(0.0226757·(1/100 + 1/200)) = 0.98173.
    let head = Self.side([Users(day: 20, count: 100, sessions: 4), Users(day: 21, count: 100, sessions: 4)])
    let found = Self.excess(head, base, fresh: ([20: 1, 21: 0.02], [0: 0.9, 9: 0.05]))
    #expect(abs((found[20] ?? 0) - 2 * 0.98173) < 1e-4)
    #expect(found[21] == 1)
  }

  @Test("the newest day, which may have only begun, is also compared with the base's users of the same day")
  func newest() {
    let base = Self.side([Users(day: 0, count: 10_000, sessions: 4), Users(day: 1, count: 1_000, sessions: 1)])
    let found = Self.excess(Self.side([Users(day: 1, count: 1_000_000, sessions: 2)]), base)
    #expect((found[1] ?? 0) > 1.9 && (found[1] ?? 0) <= 2)
  }

  @Test("nothing is known of sessions that name no user, and have no payloads beside them")
  func unknown() {
    let users = [Users(day: 0, count: 100, sessions: 2)]
    #expect(Self.excess(Self.side(users, isNamed: false), Self.side(users, isNamed: false)).isEmpty)
  }
}
