import Fleets
import Foundation
import TestSupport

/// People who use an app, mostly by day, on the releases that are offered to them.
struct Fleet {
  private let scenario: Scenario
  private var random: SeededRandom
  /// Each user's launch time relative to the median.
  private let pace: [Double]
  /// How early a user takes each release, from 0 to 1.
  private let turn: [[Double]]
  private let causes = CrashCauses()
  /// The newest release that each user has opened.
  private var opened: [Int]

  init(_ scenario: Scenario, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    self.scenario = scenario
    pace = (0..<scenario.users).map { _ in exp(0.25 * random.normal()) }
    turn = (0..<scenario.users).map { _ in scenario.releases.map { _ in random.uniform() } }
    opened = Array(repeating: 0, count: scenario.users)
    self.random = random
  }

  /// A session.
  struct Session {
    var user: Int
    var release: Int
    /// Minutes since the start.
    var minute: Int
    /// The cause of its crash; nil if it did not crash.
    var cause: Int?
    /// The time of the crash's report, which the next launch sends.
    var reported: Int
    var launch: Double
  }

  /// The hangs of a day's payload, in milliseconds.
  struct HangTime {
    var hung: Int64
    var used: Int64
  }

  /// Every session of a day, in order.
  mutating func sessions(on day: Int) -> [Session] {
    var found: [Session] = []
    for user in 0..<scenario.users {
      let prone = random.share(mean: 1, likeness: 0)
      for _ in 0..<random.poisson(scenario.sessionsPerDay) { found.append(session(user, minuteOfDay(day), prone)) }
    }
    if let loop = scenario.loop, loop.days.contains(Double(day)) {
      for index in 0..<80 {
        let minute = day * 1440 + 480 + index * 10
        var session = session(0, minute, 1)
        session.cause = loop.cause
        session.reported = minute + 5
        found.append(session)
      }
    }
    return found.sorted { $0.minute < $1.minute }
  }

  private mutating func session(_ user: Int, _ minute: Int, _ prone: Double) -> Session {
    let day = Double(minute) / 1440
    let release = scenario.releases.indices.last { scenario.rollout(of: $0, on: day) > turn[user][$0] } ?? 0
    let cause = firstCause(user, release) ?? cause(day, release, prone)
    let median = scenario.launch(day, release)
    let wait = -log(1 - random.uniform()) * 120
    return Session(
      user: user, release: release, minute: minute, cause: cause, reported: minute + 1 + Int(wait),
      launch: median * pace[user] * exp(0.31 * random.normal()))
  }

  /// The cause of a crash at the first launch of a release; nil if it is not the first, or did not crash.
  private mutating func firstCause(_ user: Int, _ release: Int) -> Int? {
    guard opened[user] < release else { return nil }
    opened[user] = release
    let share = scenario.firstLaunch(release)
    return share > 0 && random.uniform() < share ? CrashCauses.fault : nil
  }

  /// The milliseconds of hangs in a number of sessions, and of use. A hang takes 0.85 s on average.
  mutating func hangTime(_ sessions: Int, on day: Double, _ release: Int) -> HangTime? {
    guard let rate = scenario.hangs?(day, release) else { return nil }
    let hours = Double(sessions) * 0.1 * exp(0.5 * random.normal() - 0.125)
    let hung = (0..<random.poisson(rate / 0.85 * hours)).reduce(0.0) { sum, _ in
      sum + 250 + 500 * exp(0.6 * random.normal())
    }
    return HangTime(hung: Int64(hung), used: Int64(hours * 3_600_000))
  }

  private mutating func cause(_ day: Double, _ release: Int, _ prone: Double) -> Int? {
    let position = random.uniform()
    let extra = scenario.extra.map { $0.share(day, release) * prone } ?? 0
    if position < extra { return scenario.extra?.cause }
    return position < extra + scenario.crashed(day, release) * prone ? causes.draw(in: release, &random) : nil
  }

  /// One of fifty sessions is between midnight and six.
  private mutating func minuteOfDay(_ day: Int) -> Int {
    let isNight = random.uniform() < 0.02
    let hour = isNight ? 6 * random.uniform() : 6 + 18 * (random.uniform() + random.uniform()) / 2
    return day * 1440 + min(1439, Int(hour * 60))
  }
}
