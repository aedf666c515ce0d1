import Core
import Ingest
import Storage
import Synchronization

/// A cache of the app settings that decoding needs, and of a local clock for each time zone.
///
/// Records are never changed later. If an app's settings cannot be read, its payloads are therefore refused rather than
/// counted by UTC days.
final class AppSettingsCache: Sendable {
  private let control: any ControlStore
  private let clock: @Sendable () -> Timestamp
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  private struct State {
    /// Local clocks by the name of their time zone.
    var clocks: [String: TimeZoneOffsets] = [:]
    /// The day on which `clocks` were created. A clock covers a few years around it, so clocks are recreated each day.
    var day: CalendarDay?
    /// Settings for submissions without settings, reread every five seconds.
    var settings: [AppID: AppSettings] = [:]
    var read: Int64 = .min
  }

  init(
    _ control: any ControlStore, clock: @escaping @Sendable () -> Timestamp,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.control = control
    self.clock = clock
    self.report = report
  }

  /// The context in which a submission is decoded; nil if its app's settings cannot be read. Reads the control database
  /// only if the submission does not contain the settings.
  func context(of submission: Submission) -> DecodingContext? {
    let now = clock()
    return state.withLock { state in
      guard let settings = submission.settings ?? settings(of: submission.app, at: now, &state),
        let clock = clock(settings.timeZone, at: now, &state)
      else { return nil }
      return DecodingContext(
        received: submission.received, clock: clock, keepsExceptionText: settings.keepsExceptionText,
        attributes: settings.attributes)
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

  private func clock(_ zone: String, at now: Timestamp, _ state: inout State) -> TimeZoneOffsets? {
    if zone == "UTC" { return .utc }
    if state.day != now.day() { (state.day, state.clocks) = (now.day(), [:]) }
    if let clock = state.clocks[zone] { return clock }
    guard let clock = AppTimeZone(name: zone)?.clock(around: now) else {
      report(UserFacingError("The time zone \(zone) is unknown on this machine. Install the package tzdata."))
      return nil
    }
    state.clocks[zone] = clock
    return clock
  }
}
