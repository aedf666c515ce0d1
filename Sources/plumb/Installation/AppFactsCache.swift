import Intake
import Storage
import Synchronization
import Telemetry

/// The zones and settings of all apps, read again every five seconds.
final class AppFactsCache: Sendable {
  private let control: any ControlStore
  private let state = Mutex(State())

  private struct State {
    var zones: [AppID: String] = [:]
    /// By the name of the zone. UTC has none.
    var clocks: [String: LocalClock] = [:]
    /// The day they were made on: the years they cover move on.
    var day: CalendarDay?
    var keepingText: Set<AppID> = []
    var read: Int64 = 0
  }

  init(_ control: any ControlStore) { self.control = control }

  func facts(of app: AppID) -> Intake.AppFacts {
    let now = Clock.now().milliseconds
    return state.withLock { state in
      if now - 5000 > state.read {
        state.read = now
        read(into: &state)
      }
      return Intake.AppFacts(
        clock: state.zones[app].flatMap { state.clocks[$0] } ?? .utc,
        keepsExceptionText: state.keepingText.contains(app))
    }
  }

  private func read(into state: inout State) {
    let now = Timestamp(milliseconds: state.read)
    if state.day != now.day() { (state.day, state.clocks) = (now.day(), [:]) }
    for app in (try? control.apps()) ?? [] {
      let settings = app.settings
      let zone = settings.timeZone
      state.zones[app.id] = zone
      if zone != "UTC", state.clocks[zone] == nil {
        state.clocks[zone] = ControlTimeZone(name: zone)?.clock(around: now)
      }
      if settings.keepsExceptionText { state.keepingText.insert(app.id) } else { state.keepingText.remove(app.id) }
    }
  }
}
