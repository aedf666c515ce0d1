import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb report`: prints the health report of an app.
struct ReportCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .json]

  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print an app's health report as text or JSON.",
    discussion: """
      Example:
        plumb report --app com.example.shop --format json --release 4.2.0

      The JSON equals the response of GET /api/v1/apps/{id}/report.
      """)

  @Option(help: "The app's bundle identifier.")
  var app: String

  @Option(help: "The output format: text or json.")
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
      (HealthReportText.lines(report) + (open.isEmpty ? [] : ["", "Incidents"] + incidents)).joined(separator: "\n"))
  }
}

/// The flags that select a slice, named as the API's query parameters.
struct SliceOptions: ParsableArguments {
  @Option(help: "The first day, such as 2026-10-24. (default: 28 days before the last)")
  var from: String?

  @Option(help: "The last day. (default: the newest day with data)")
  var to: String?

  @Option(help: "Only this release: 4.2.0 or '4.2.0 (1234)'; all evaluates all releases together.")
  var release: String?

  @Option(help: "Only this OS version, such as 'iOS 17.4.1'.")
  var os: String?

  @Option(help: "Only this device model, such as iPhone15,2.")
  var device: String?

  @Option(name: .customLong("device-class"), help: "Only this device class, such as 'iPhone 12 and older'.")
  var deviceClass: String?

  @Option(help: "The environment: production, testflight, simulated or another. (default: production)")
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
      throw ValidationError(error)
    }
  }
}
