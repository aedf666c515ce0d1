import Intake
import Storage
import Synchronization
import Telemetry

/// The zones and settings of all apps, read again every five seconds.
final class AppFactsCache: Sendable {
  private let control: any ControlStore
  private let state = Mutex(State())

  private struct State {
    /// Apps in UTC have none.
    var zones: [AppID: ControlTimeZone] = [:]
    var keepingText: Set<AppID> = []
    var read: Int64 = 0
  }

  init(_ control: any ControlStore) { self.control = control }

  func facts(of app: AppID, at instant: Timestamp) -> Intake.AppFacts {
    let now = Clock.now().milliseconds
    let (zone, keepsText) = state.withLock { state in
      if now - 5000 > state.read {
        state.read = now
        read(into: &state)
      }
      return (state.zones[app], state.keepingText.contains(app))
    }
    return Intake.AppFacts(utcOffsetSeconds: zone?.utcOffsetSeconds(at: instant) ?? 0, keepsExceptionText: keepsText)
  }

  private func read(into state: inout State) {
    for app in (try? control.apps()) ?? [] {
      let settings = app.settings
      state.zones[app.id] = settings.timeZone == "UTC" ? nil : ControlTimeZone(name: settings.timeZone)
      if settings.keepsExceptionText { state.keepingText.insert(app.id) } else { state.keepingText.remove(app.id) }
    }
  }
}
