import Analysis
import Core
import Ingest
import Storage

/// Plays a scenario. Events go into the store, and every alert is evaluated every five minutes.
struct Play {
  let scenario: Scenario
  let seed: UInt64

  /// What happened: the incidents with their messages, the minutes of each plain alert's alarms, and who used what.
  struct Outcome {
    var book: SimulatedBook
    var plain: [PlainAlert]
    var shares: ReleaseShare
  }

  func run() throws -> Figures {
    let outcome = try outcome(comparing: [PlainAlert(fewest: 0), PlainAlert(fewest: 50)])
    let book = outcome.book
    return Figures(
      scenario, seed: seed, incidents: book.all.count, breaches: Array(book.breaches.values),
      messages: book.messages.count, plain: outcome.plain.map(\.alarms), shares: outcome.shares,
      origin: Scenario.origin)
  }

  /// Plays the scenario. `alerts`: the plain alerts to compare with.
  func outcome(comparing alerts: [PlainAlert]) throws -> Outcome {
    let store = SimulatedStore()
    let book = SimulatedBook()
    let app = App(id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0))
    let evaluator = AlertEvaluator(control: book, thresholds: AlertThresholds(), links: .none)
    let health = HealthReader(store: store, budgets: DefaultBudgets.all)
    let groups = { (health: HealthReader) in
      GroupReader(store: store, health: health, states: book, symbols: NoSymbols()) { _ in CallTree() }
    }
    var plain = alerts
    var fleet = Fleet(scenario, seed: seed)
    var queue = Arrivals()
    var shares = ReleaseShare()
    for day in 0..<Int(scenario.length) {
      queue.add(&fleet, day: day)
      let interval = Double(day) < scenario.evaluatedFrom ? 1440 : scenario.interval
      for minute in stride(from: day * 1440 + interval, through: (day + 1) * 1440, by: interval) {
        for event in queue.take(through: minute) where !isLost(event.minute) && !isLost(event.about) {
          apply(event, to: store, &plain, &shares)
        }
        for index in plain.indices { plain[index].look(at: minute) }
        guard Double(day) >= scenario.evaluatedFrom else { continue }
        let now = Timestamp(milliseconds: (Int64(Scenario.origin) * 1440 + Int64(minute)) * 60_000)
        if let failure = try evaluator.evaluate(app, now: now, groups: groups, health: { health }).failure {
          throw failure
        }
      }
      store.tidy(at: (Scenario.origin + day) * 1440)
    }
    return Outcome(book: book, plain: plain, shares: shares)
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
    case .payload(let launches, let hangs):
      store.addPayload(release, launches, hangs, day: about / 1440, at: now)
    }
    for index in plain.indices {
      switch event.what {
      case .session: plain[index].add(event.minute, crashed: false)
      case .crash: plain[index].add(event.minute, crashed: true)
      case .payload(let launches, _): plain[index].add(launches, event.minute)
      }
    }
  }
}
