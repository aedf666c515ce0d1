import Analysis
import App
import ArgumentParser
import Core
import Foundation

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

/// The flags of commands that ask a server instead of reading a data folder.
struct ServerOptions: ParsableArguments {
  @Option(help: "The server's address. Without one, the data folder of this machine is used. (PLUMB_SERVER)")
  var server: String?

  @Option(help: "A token of the server; as PLUMB_TOKEN it shows in no list of processes. (PLUMB_TOKEN)")
  var token: String?

  @Option(
    name: .customLong("ca-file"),
    help: "Certificates of authorities to trust instead of the system's, as PEM. (PLUMB_CA_FILE)")
  var caFile: String?

  /// The server and how it is reached.
  struct Server {
    /// The address without a slash at its end.
    var address: String
    var token: String
    var caFile: String?
  }

  /// The named server; nil if the data folder is meant. `tokenHint`: the command that prints a token.
  func server(
    _ settings: Settings, _ folder: FolderOptions, _ clock: ClockOptions? = nil, tokenHint: String
  ) throws -> Server? {
    // `--data` wins over PLUMB_SERVER.
    if server == nil, folder.data != nil { return nil }
    guard let address = settings.value("server", flag: server) else { return nil }
    guard folder.data == nil else { throw ValidationError("--server and --data name two places: leave one out.") }
    guard clock?.fixed == nil else { throw ValidationError("--now is for a data folder: a server has a clock.") }
    guard let token = settings.value("token", flag: token) else {
      throw ValidationError("--token is needed: `\(tokenHint)` prints one on the server.")
    }
    guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
      throw ValidationError("--server must begin with https:// (or http:// on this machine), found \(address).")
    }
    let caFile = settings.value("ca-file", flag: caFile)
    if let caFile, !FileManager.default.isReadableFile(atPath: caFile) {
      throw ValidationError("--ca-file: \(caFile) cannot be read.")
    }
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    return Server(address: base, token: token, caFile: caFile)
  }
}

/// A command that prints in several formats.
protocol FormattedCommand: SendableMetatype {
  /// The formats it has, in the order in which the help lists them.
  static var formats: [OutputFormat] { get }
}

/// The value of `--format`, which must be one of the command's formats.
struct Format<Command: FormattedCommand>: RawRepresentable, CaseIterable, ExpressibleByArgument {
  let value: OutputFormat

  private init(value: OutputFormat) { self.value = value }

  init?(rawValue: String) {
    guard let value = Command.formats.first(where: { $0.rawValue == rawValue }) else { return nil }
    self.value = value
  }

  /// The default of all commands.
  static var text: Self { Self(value: .text) }
  static var allCases: [Self] { Command.formats.map(Self.init(value:)) }
  var rawValue: String { value.rawValue }
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
    help: "Remind of what is still broken after this time; `never` sends no reminder. (default: 24h)")
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
