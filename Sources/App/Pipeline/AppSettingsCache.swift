import Intake
import Storage
import Synchronization
import Telemetry

/// The settings of apps that the intake needs, with a clock for each time zone.
///
/// What a record holds is never changed afterwards. So when the settings of an app cannot be read, its payloads are not
/// taken, rather than booked by UTC.
final class AppSettingsCache: Sendable {
  private let control: any ControlStore
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  private struct State {
    /// By the name of the zone.
    var clocks: [String: LocalClock] = [:]
    /// The day on which the clocks were made. They cover some years around it, and are made anew each day.
    var day: CalendarDay?
    /// For submissions that do not carry them; read again every five seconds.
    var settings: [AppID: AppSettings] = [:]
    var read: Int64 = .min
  }

  init(_ control: any ControlStore, report: @escaping @Sendable (any Error) -> Void) {
    self.control = control
    self.report = report
  }

  /// Reads the control database only when the submission does not carry the settings. Nil when they cannot be read.
  func options(of submission: Submission) -> Intake.DecodingOptions? {
    let now = WallClock.now()
    return state.withLock { state in
      guard let settings = submission.settings ?? settings(of: submission.app, at: now, &state),
        let clock = clock(settings.timeZone, at: now, &state)
      else { return nil }
      return Intake.DecodingOptions(clock: clock, keepsExceptionText: settings.keepsExceptionText)
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
