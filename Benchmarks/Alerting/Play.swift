import Analysis
import Core
import Ingest
import Storage

/// Plays a scenario. Events go into the store, and every alert is evaluated every five minutes.
struct Play {
  let scenario: Scenario
  let seed: UInt64

  func run() throws -> Figures {
    let store = SimulatedStore()
    let book = SimulatedBook()
    let app = App(id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0))
    let evaluator = AlertEvaluator(control: book, thresholds: AlertThresholds(), links: .none)
    let health = HealthReader(store: store, budgets: DefaultBudgets.all)
    let groups = { (health: HealthReader) in
      GroupReader(store: store, health: health, states: book, symbols: NoSymbols()) { _ in CallTree() }
    }
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
        let now = Timestamp(milliseconds: (Int64(Scenario.origin) * 1440 + Int64(minute)) * 60_000)
        if let failure = try evaluator.evaluate(app, now: now, groups: groups, health: { health }).failure {
          throw failure
        }
      }
      store.tidy(at: (Scenario.origin + day) * 1440)
    }
    return Figures(
      scenario, seed: seed, incidents: book.all.count, breaches: Array(book.breaches.values),
      messages: book.messages, plain: plain.map(\.alarms),
      shares: shares, origin: Scenario.origin)
  }

  private func isLost(_ minute: Int) -> Bool { scenario.outage?.contains(Double(minute) / 1440) ?? false }

  private func apply(
    _ event: Arrivals.Event, to store: SimulatedStore, _ plain: inout [PlainAlert], _ shares: inout ReleaseShare
  ) {
    let release = Scenario.name(of: event.release)
    let now = Scenario.origin * 1440 + event.minute
    let user = UInt64(event.user &+ 1) &* 0x9e37_79b9_7f4a_7c15
    let about = Scenario.origin * 1440 + event.about
    switch event.what {
    case .session:
      store.addSession(release, user: user, minute: about, at: now)
      shares.add(event.release, minute: event.minute)
    case .crash(let cause): store.turnCrashed(release, user: user, cause: cause, minute: about, at: now)
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
