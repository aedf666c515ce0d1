/// Events on their way, in the order of arrival.
struct Arrivals {
  private var waiting: [Event] = []

  struct Event {
    /// The arrival, in minutes since the start.
    var minute: Int
    /// The minute that the event is about.
    var about: Int
    var user: Int
    var release: Int
    var what: What
  }

  enum What {
    case session
    /// The cause of the crash.
    case crash(Int)
    /// A day's launches and hangs in one payload, which arrives on the next morning.
    case payload([Double], Fleet.HangTime?)
  }

  /// Adds a day of a fleet.
  mutating func add(_ fleet: inout Fleet, day: Int) {
    let sessions = fleet.sessions(on: day)
    struct Owner: Hashable {
      let user: Int
      let release: Int
    }
    for session in sessions {
      waiting.append(
        Event(
          minute: session.minute, about: session.minute, user: session.user, release: session.release, what: .session))
      guard let cause = session.cause else { continue }
      waiting.append(
        Event(
          minute: session.reported, about: session.minute, user: session.user, release: session.release,
          what: .crash(cause)))
    }
    let days = Dictionary(grouping: sessions) { Owner(user: $0.user, release: $0.release) }
    for (owner, own) in days.sorted(by: { ($0.key.user, $0.key.release) < ($1.key.user, $1.key.release) }) {
      waiting.append(
        Event(
          minute: (day + 1) * 1440 + 360 + owner.user % 480, about: day * 1440, user: owner.user,
          release: owner.release,
          what: .payload(own.map(\.launch), fleet.hangTime(own.count, on: Double(day), owner.release))))
    }
    waiting.sort { $0.minute > $1.minute }
  }

  /// Removes and returns the events that have arrived, the earliest first.
  mutating func take(through minute: Int) -> [Event] {
    var taken: [Event] = []
    while let next = waiting.last, next.minute <= minute { taken.append(waiting.removeLast()) }
    return taken
  }
}
