import Storage
import Analysis
public import App
public import ArgumentParser
import Core
import Foundation

/// The flags of nearly all commands: the data folder and the settings file.
struct FolderOptions: ParsableArguments {
  @Option(help: "The data folder. (PLUMB_DATA; default: ./plumb-data)")
  var data: String?

  @Option(help: "The settings file. (default: plumb.yaml, if it exists)")
  var config: String?

  func settings() throws -> Settings { try Settings(path: config) }

  /// The path of the data folder.
  func path() throws -> String { try settings().value("data", flag: data) ?? "plumb-data" }
}

/// The flags of commands that can use a server instead of a data folder.
struct ServerOptions: ParsableArguments {
  @Option(help: "The address of a server to use instead of a data folder. (PLUMB_SERVER)")
  var server: String?

  @Option(help: "An API token of the server. It is visible in process lists, so prefer the variable. (PLUMB_TOKEN)")
  var token: String?

  @Option(
    name: .customLong("ca-file"),
    help: "A PEM file of CA certificates to trust instead of the system's. (PLUMB_CA_FILE)")
  var caFile: String?

  /// The address and credentials of a server.
  struct Server {
    /// The address without a slash at its end.
    var address: String
    var token: String
    var caFile: String?
  }

  /// The selected server; nil to use the data folder. `tokenHint`: the command that prints a token.
  func server(
    _ settings: Settings, _ folder: FolderOptions, _ clock: ClockOptions? = nil, tokenHint: String
  ) throws -> Server? {
    // `--data` takes precedence over PLUMB_SERVER.
    if server == nil, folder.data != nil { return nil }
    guard let address = settings.value("server", flag: server) else { return nil }
    guard folder.data == nil else { throw ValidationError("--server and --data cannot be combined: leave one out.") }
    guard clock?.fixed == nil else {
      throw ValidationError("--now works with a data folder only: leave out --server and PLUMB_SERVER.")
    }
    guard let token = settings.value("token", flag: token) else {
      throw ValidationError("--token or PLUMB_TOKEN is missing. `\(tokenHint)` on the server prints a token.")
    }
    guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
      throw ValidationError("--server: expected an address such as https://plumb.example.com, found \"\(address)\".")
    }
    let caFile = settings.value("ca-file", flag: caFile)
    if let caFile, !FileManager.default.isReadableFile(atPath: caFile) {
      throw ValidationError("--ca-file: \(caFile) cannot be read.")
    }
    let base = address.hasSuffix("/") ? String(address.dropLast()) : address
    return Server(address: base, token: token, caFile: caFile)
  }
}

/// A command with several output formats.
protocol FormattedCommand: SendableMetatype {
  /// The command's formats, in the order in which the help lists them.
  static var formats: [OutputFormat] { get }
}

/// The value of `--format`: one of the command's formats.
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

/// The hidden flag that replaces the system clock, so that tests can simulate weeks in minutes with the real commands.
struct ClockOptions: ParsableArguments {
  @Option(
    name: .customLong("now"),
    help: ArgumentHelp("The time to use instead of the system clock's: 2026-11-20T10:00:00Z.", visibility: .hidden),
    transform: Self.time)
  var fixed: Timestamp?

  /// The time of the flag, or the system clock's.
  var now: Timestamp { fixed ?? WallClock.now() }

  /// A clock that always returns the flag's time, or the system clock.
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

/// The alert flags that `check` and `serve` share.
struct AlertOptions: ParsableArguments {
  @Option(
    name: .customLong("remind-after"),
    help: "Repeat the alert of an incident that is still open after this time, or `never`. (default: 24h)")
  var remindAfter: String?

  @Option(
    name: .customLong("release-age"),
    help: "Open no incident for a release that has been in use for less than this time. (default: 2h)")
  var releaseAge: String?

  @Option(
    name: .customLong("stale-after"),
    help: "Alert when no payload has arrived for this time, or longer if gaps are usual. (default: 24h)")
  var staleAfter: String?

  @Option(
    name: .customLong("group-share"),
    help:
      "Alert on a new group of crashes or hangs in more than this share of a release's sessions. (default: 0.5%)"
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

extension DurationSetting: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension ValidationError {
  /// The error about a query parameter, as one about the option that has its value.
  init(_ query: InvalidQuery) {
    guard let parameter = query.parameter, query.detail.hasPrefix(parameter + ":") else {
      self.init(query.detail)
      return
    }
    let problem = query.detail.dropFirst(parameter.count).replacing("before from ", with: "before --from ")
    self.init("--" + parameter.replacing("_", with: "-") + problem)
  }
}

/// The flag that filters by one of the app's attributes.
struct AttributeOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only this value of an attribute: 'experiment=new-cart', or 'region!=DE' for all others. (default: all)",
      valueName: "attribute"))
  var filters: [String] = []

  /// The filter; nil without one.
  var filter: String? { filters.first }

  func validate() throws {
    if filters.count > 1 {
      throw ValidationError("--where: expected one filter such as region=DE or region!=DE, found \(filters.count).")
    }
  }
}
