import Alerts
import ArgumentParser

/// What may be set about alerts, the same for `check` and `serve`.
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

  func policy(_ settings: Settings) throws -> AlertPolicy {
    var policy = AlertPolicy()
    let reminder = settings.value("remind-after", flag: remindAfter)
    if reminder == "never" {
      policy.reminder = nil
    } else if let span = try settings.span("remind-after", flag: remindAfter) {
      policy.reminder = span.milliseconds
    }
    if let span = try settings.span("release-age", flag: releaseAge) { policy.releaseAge = span.minutes }
    if let share = try settings.share("group-share", flag: groupShare) { policy.groupShare = share }
    if let span = try settings.span("stale-after", flag: staleAfter) { policy.staleAfter = span.minutes }
    return policy
  }
}

extension Settings {
  /// A setting that is a share, such as `0.5%`; nil when nobody set it.
  func share(_ key: String, flag: String?) throws -> Double? {
    guard let text = value(key, flag: flag) else { return nil }
    let number = text.hasSuffix("%") ? Double(text.dropLast().filter { $0 != " " }).map { $0 / 100 } : Double(text)
    guard let number, number > 0, number < 1 else {
      throw ValidationError("\(key): expected a share such as 0.5%, found \"\(text)\".")
    }
    return number
  }

  /// A setting that is a length of time; nil when nobody set it.
  func span(_ key: String, flag: String?) throws -> TimeSpan? {
    guard let text = value(key, flag: flag) else { return nil }
    guard let span = TimeSpan(text) else {
      throw ValidationError("\(key): expected a time such as 5m, 2h or 1d, found \"\(text)\".")
    }
    return span
  }
}
