import Intake
import Storage
import Synchronization
import Telemetry

/// Apps' settings as the intake needs them: their zones with their clocks.
///
/// What goes into a record is there for good. So where the settings of an app cannot be read there are none, and nothing is
/// taken for it, rather than UTC.
final class AppFactsCache: Sendable {
  private let control: any ControlStore
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  private struct State {
    /// By the name of the zone.
    var clocks: [String: LocalClock] = [:]
    /// The day they were made on: the years they cover move on.
    var day: CalendarDay?
    /// Of senders that do not know them, read again every five seconds.
    var settings: [AppID: AppSettings] = [:]
    var read: Int64 = .min
  }

  init(_ control: any ControlStore, report: @escaping @Sendable (any Error) -> Void) {
    self.control = control
    self.report = report
  }

  /// Waits for the control database only when the submission does not say what the team chose.
  func facts(of submission: Submission) -> Intake.AppFacts? {
    let now = Clock.now()
    return state.withLock { state in
      guard let settings = submission.settings ?? settings(of: submission.app, at: now, &state),
        let clock = clock(settings.timeZone, at: now, &state)
      else { return nil }
      return Intake.AppFacts(clock: clock, keepsExceptionText: settings.keepsExceptionText)
    }
  }

  private func settings(of app: AppID, at now: Timestamp, _ state: inout State) -> AppSettings? {
    let (age, isFar) = now.milliseconds.subtractingReportingOverflow(state.read)
    if isFar || age < 0 || age > 5000 || state.settings[app] == nil {
      do {
        state.settings = Dictionary(
          try control.apps().map { ($0.id, $0.settings) }, uniquingKeysWith: { first, _ in first })
        state.read = now.milliseconds
      } catch {
        report(error)
      }
    }
    return state.settings[app]
  }

  private func clock(_ zone: String, at now: Timestamp, _ state: inout State) -> LocalClock? {
    if zone == "UTC" { return .utc }
    if state.day != now.day() { (state.day, state.clocks) = (now.day(), [:]) }
    if let clock = state.clocks[zone] { return clock }
    guard let clock = ControlTimeZone(name: zone)?.clock(around: now) else {
      report(Failure("The time zone \(zone) is not known on this machine: install tzdata."))
      return nil
    }
    state.clocks[zone] = clock
    return clock
  }
}
