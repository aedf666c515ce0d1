import Alerts
import App
import ArgumentParser
import Telemetry

/// The flags that every command has: data folder and settings file.
struct FolderOptions: ParsableArguments {
  @Option(help: "The data folder. (PLUMB_DATA; default: ./plumb-data)")
  var data: String?

  @Option(help: "The settings file. (default: plumb.yaml, if there is one)")
  var config: String?

  func settings() throws -> Settings { try Settings(path: config) }

  /// The path of the data folder.
  func path() throws -> String { try settings().value("data", flag: data) ?? "plumb-data" }
}

/// The hidden flag that replaces the system clock, so that weeks can be played through the real commands in minutes.
struct ClockOptions: ParsableArguments {
  @Option(
    name: .customLong("now"),
    help: ArgumentHelp("The time to act at, instead of the system clock's: 2026-11-20T10:00:00Z.", visibility: .hidden),
    transform: Self.time)
  var fixed: Timestamp?

  /// The time of the flag; without it, the system clock's.
  var now: Timestamp { fixed ?? WallClock.now() }

  /// A clock that stands still at the time of the flag; without it, the system clock.
  var source: @Sendable () -> Timestamp {
    guard let fixed else { return WallClock.now }
    return { fixed }
  }

  private static func time(_ text: String) throws -> Timestamp {
    guard let time = Timestamp(iso: text) else {
      throw ValidationError("Expected a time such as 2026-11-20T10:00:00Z.")
    }
    return time
  }
}

/// The flags about alerts that `check` and `serve` share.
struct AlertOptions: ParsableArguments {
  @Option(
    name: .customLong("remind-after"),
    help: "Tell again of what is still broken after this time; never for once only. (default: 24h)")
  var remindAfter: String?

  @Option(
    name: .customLong("release-age"),
    help: "A release that is in use for less opens no incident of its own. (default: 2h)")
  var releaseAge: String?

  @Option(
    name: .customLong("stale-after"),
    help: "Tell when no payload came for this time, or for longer where that is usual. (default: 24h)")
  var staleAfter: String?

  @Option(
    name: .customLong("group-share"),
    help:
      "Tell of a new cause of crashes or hangs that concerns more than this share of a release's sessions. (default: 0.5%)"
  )
  var groupShare: String?

  func thresholds(_ settings: Settings) throws -> AlertThresholds {
    var thresholds = AlertThresholds()
    let reminder = settings.value("remind-after", flag: remindAfter)
    if reminder == "never" {
      thresholds.reminder = nil
    } else if let span = try settings.span("remind-after", flag: remindAfter) {
      thresholds.reminder = span.milliseconds
    }
    if let span = try settings.span("release-age", flag: releaseAge) { thresholds.releaseAge = span.minutes }
    if let share = try settings.share("group-share", flag: groupShare) { thresholds.groupShare = share }
    if let span = try settings.span("stale-after", flag: staleAfter) { thresholds.staleAfter = span.minutes }
    return thresholds
  }
}
