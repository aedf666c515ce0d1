import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb report`: prints the health report of an app.
struct ReportCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .json]

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "What the dashboard shows of an app, as data.",
    discussion: """
      Example:
        plumb report --app com.example.shop --format json --release 4.2.0

      The JSON is the same, byte for byte, as GET /api/v1/apps/{id}/report.
      """)

  @Option(help: "The bundle identifier.")
  var app: String

  @Option(help: "Output: text or json.")
  var format = Format<Self>.text

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @OptionGroup var slice: SliceOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(self.app)
    let budgets = try folder.settings().value("budgets", flag: budgets)
    let query = try slice.query()
    let report = try installation.read(app, budgets: budgets) { try $0.report(app, query, now: clock.now) }
    if format.value == .json { return Console.print(report.json()) }
    let open = try installation.control.alertState(of: app.id).open
    let incidents = open.map { "  " + IncidentText.line($0, app: app.bundleID) }
    Console.print(
      (ReportText.lines(report) + (open.isEmpty ? [] : ["", "Incidents"] + incidents)).joined(separator: "\n"))
  }
}

/// The flags that filter the data, named like the API's query parameters.
struct SliceOptions: ParsableArguments {
  @Option(help: "First day, such as 2026-10-24. (default: 28 days before the last)")
  var from: String?

  @Option(help: "Last day. (default: the newest day with data)")
  var to: String?

  @Option(help: "A version, or version and build: 4.2.0, '4.2.0 (1234)'; all judges all of them together.")
  var release: String?

  @Option(help: "An operating system: 'iOS 17.4.1'.")
  var os: String?

  @Option(help: "A device model: iPhone15,2.")
  var device: String?

  @Option(name: .customLong("device-class"), help: "A class of devices: 'iPhone 12 and older'.")
  var deviceClass: String?

  @Option(help: "production, testflight, simulated, or another. (default: production)")
  var environment: String?

  @OptionGroup var attribute: AttributeOption

  func query() throws -> ReportQuery {
    let values = [
      "from": from, "to": to, "release": release, "os": os, "device": device, "device_class": deviceClass,
      "environment": environment, "where": attribute.filter,
    ]
    do {
      return try ReportQuery { values[$0] ?? nil }
    } catch {
      throw ValidationError(error.detail)
    }
  }
}

/// The flag that filters by the app's attribute, in all commands that read numbers.
struct AttributeOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "The app's attribute: 'experiment=new-cart', or 'region!=DE' for all other values. (default: all)",
      valueName: "attribute"))
  var filters: [String] = []

  /// The filter; nil without one.
  var filter: String? { filters.first }

  func validate() throws {
    if filters.count > 1 {
      throw ValidationError("--where: given more than once, where one value, or all but one, can be meant.")
    }
  }
}
