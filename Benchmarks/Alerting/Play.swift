import Alerts
import Budgets
import Foundation
import Health
import Storage
import Telemetry

/// Plays a scenario: what arrives goes into the store, and every five minutes everybody looks.
struct Play {
  let scenario: Scenario
  let seed: UInt64
  /// 2026-01-01: days since 1970.
  private static let origin = 20_454
  /// What the fleets are made for: each crosses one of them, or none.
  private static let budgets = "budgets:\n  - sessions.crash_free >= 99.5%\n  - p90 launch.first_draw <= 2 s\n"

  func run() throws -> Figures {
    let store = SimulatedStore()
    let book = SimulatedBook()
    let app = App(id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0))
    let round = AlertRound(control: book, policy: AlertPolicy(), links: .none)
    let budgets = try BudgetFile.parse(Self.budgets, fileName: "budgets.yaml").budgets
    let health = HealthReader(store: store, budgets: budgets)
    var plain = [PlainAlert(fewest: 0), PlainAlert(fewest: 50)]
    var fleet = Fleet(scenario, seed: seed)
    var queue = Arrivals()
    var shares = ReleaseShare()
    for day in 0..<Int(Scenario.days) {
      queue.add(fleet.sessions(on: day), day: day)
      for minute in stride(from: day * 1440 + 5, through: (day + 1) * 1440, by: 5) {
        for event in queue.take(through: minute) where !isLost(event.minute) && !isLost(event.about) {
          apply(event, to: store, &plain, &shares)
        }
        for index in plain.indices { plain[index].look(at: minute) }
        let now = Timestamp(milliseconds: (Int64(Self.origin) * 1440 + Int64(minute)) * 60_000)
        if let failure = try round.look(at: app, now: now, health: { health }).failure { throw failure }
      }
      store.tidy(at: (Self.origin + day) * 1440)
    }
    return Figures(
      scenario: scenario, incidents: Array(book.all.values), messages: book.messages, plain: plain.map(\.alarms),
      shares: shares, origin: Self.origin)
  }

  private func isLost(_ minute: Int) -> Bool { scenario.outage?.contains(Double(minute) / 1440) ?? false }

  private func apply(
    _ event: Arrivals.Event, to store: SimulatedStore, _ plain: inout [PlainAlert], _ shares: inout ReleaseShare
  ) {
    let release = "4.\(event.release).0"
    let now = Self.origin * 1440 + event.minute
    let user = UInt64(event.user &+ 1) &* 0x9e37_79b9_7f4a_7c15
    let about = Self.origin * 1440 + event.about
    switch event.what {
    case .session:
      store.addSession(release, user: user, minute: about, at: now)
      shares.add(event.release, minute: event.minute)
    case .crash: store.turnCrashed(release, user: user, minute: about, at: now)
    case .launches(let values): store.addLaunches(release, values, day: about / 1440, at: now)
    }
    for index in plain.indices {
      switch event.what {
      case .session: plain[index].add(event.minute, crashed: false)
      case .crash: plain[index].add(event.minute, crashed: true)
      case .launches(let values): plain[index].add(values, event.minute)
      }
    }
  }
}

/// What is on its way, in the order of arrival.
struct Arrivals {
  private var waiting: [Event] = []

  struct Event {
    /// When it arrives, in minutes since the start.
    var minute: Int
    /// What it is about.
    var about: Int
    var user: Int
    var release: Int
    var what: What
  }

  enum What {
    case session
    case crash
    /// A day's launches in one payload, the morning after.
    case launches([Double])
  }

  mutating func add(_ sessions: [Fleet.Session], day: Int) {
    struct Owner: Hashable {
      let user: Int
      let release: Int
    }
    for session in sessions {
      waiting.append(
        Event(
          minute: session.minute, about: session.minute, user: session.user, release: session.release, what: .session))
      guard session.crashed else { continue }
      waiting.append(
        Event(
          minute: session.reported, about: session.minute, user: session.user, release: session.release, what: .crash))
    }
    let days = Dictionary(grouping: sessions) { Owner(user: $0.user, release: $0.release) }
    for (owner, own) in days.sorted(by: { ($0.key.user, $0.key.release) < ($1.key.user, $1.key.release) }) {
      waiting.append(
        Event(
          minute: (day + 1) * 1440 + 360 + owner.user % 480, about: day * 1440, user: owner.user,
          release: owner.release, what: .launches(own.map(\.launch))))
    }
    waiting.sort { $0.minute > $1.minute }
  }

  /// What has arrived, the earliest first.
  mutating func take(through minute: Int) -> [Event] {
    var taken: [Event] = []
    while let next = waiting.last, next.minute <= minute { taken.append(waiting.removeLast()) }
    return taken
  }
}

/// The share of a release in the sessions of the 24 hours before any moment.
struct ReleaseShare {
  private var hours: [Int: [Int: Int]] = [:]

  mutating func add(_ release: Int, minute: Int) { hours[minute / 60, default: [:]][release, default: 0] += 1 }

  func share(of release: Int, at minute: Int) -> Double {
    let recent = (0..<24).compactMap { hours[minute / 60 - $0] }
    let own = recent.reduce(0) { $0 + ($1[release] ?? 0) }
    let all = recent.reduce(0) { $0 + $1.values.reduce(0, +) }
    return all > 0 ? Double(own) / Double(all) : 0
  }
}
