import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb compare`: compares two releases, or two values of an attribute.
struct CompareCommand: ParsableCommand, FormattedCommand {
  static let formats = ComparisonFormatter.formats

  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two releases, or two values of an attribute.",
    discussion: """
      Example:
        plumb compare --app com.example.shop --base 4.1.0 --head 4.2.0
        plumb compare --app com.example.shop --release 4.2.0 \\
          --base experiment=control --head experiment=new-cart

      Releases are compared on the days when both were in use, within device classes. Attribute values are compared on \
      the days from --from to --to; `plumb app settings --attribute` sets attributes (docs/attribute.md). If their users were not divided by chance, \
      the result says so and the status is 3. The JSON \
      equals the response of GET /api/v1/apps/{id}/compare?base=4.1.0&head=4.2.0.

      With --server, the server runs the comparison. The budget file is sent along, used once and not stored. The \
      token needs the scope read. See docs/release-gate.md.

      Exit status: 0 nothing is worse; 1 something is worse by less than the margin or without a budget, data that a \
      budget requires is missing, or no metric has enough data; 2 worse; 3 could not evaluate; 64 invalid argument.
      """)

  @Option(help: "The app's bundle identifier.")
  var app: String

  @Option(help: "The earlier release, such as 4.1.0 or '4.1.0 (1201)', or an attribute value: experiment=control.")
  var base: String

  @Option(help: "The new release, or the attribute value to compare: experiment=new-cart.")
  var head: String

  @Option(help: "The first day, such as 2026-10-24. (default: the first on which both releases were in use)")
  var from: String?

  @Option(help: "The last day. (default: the last on which both releases were in use)")
  var to: String?

  @Option(help: "The environment: production, testflight, simulated or another. (default: production)")
  var environment: String?

  @Option(help: "Only this release, when attribute values are compared. (default: all)")
  var release: String?

  @Option(help: "Only this OS version, such as 'iOS 18.1'. (default: all)")
  var os: String?

  @Option(help: "Only this device model, such as iPhone15,2. (default: all)")
  var device: String?

  @Option(name: .customLong("device-class"), help: "Only this device class, such as 'iPhone 15'. (default: all)")
  var deviceClass: String?

  @Option(help: "Only this label (a screen, host or view), and only metrics that have it. (default: all)")
  var label: String?

  @OptionGroup var attribute: AttributeOption

  @Option(
    help: ArgumentHelp(
      "The percentage of users that head should have, such as 50, when attribute values are compared. (default: unknown)",
      valueName: "percent"))
  var split: String?

  @Option(help: "A budget file. (default: the server's, or DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(help: "The output format: text, markdown, json, csv, junit or github.")
  var format = Format<Self>.text

  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func validate() throws {
    for (name, value) in [("base", base), ("head", head)] where value.isEmpty {
      throw ValidationError("--\(name): expected a release or a value of an attribute, found an empty value.")
    }
    if let split, ReportQuery.share(ofPercent: split) == nil {
      throw ValidationError("--split: \(ReportQuery.expectedSplit), found \"\(split)\".")
    }
    guard base != head else { throw ValidationError("\(ImpossibleComparison.sameRelease(base))") }
  }

  func run() throws {
    let settings = try folder.settings()
    let server = try remote.server(settings, folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run("could not compare") {
      guard let server else { return try compare() }
      var parameters = filters
      (parameters["app"], parameters["base"], parameters["head"]) = (app, base, head)
      parameters["format"] = format.rawValue
      return try RemoteGate(server: server).judge(
        "compare", parameters, budgets: settings.value("budgets", flag: budgets))
    }
  }

  private var filters: [String: String?] {
    [
      "from": from, "to": to, "environment": environment, "os": os, "device": device, "device_class": deviceClass,
      "label": label, "release": release, "where": attribute.filter, "split": split,
    ]
  }

  private func compare() throws -> GateAnswer {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(self.app)
    let budgets = try folder.settings().value("budgets", flag: budgets)
    let query = try ReportQuery { filters[$0] ?? nil }
    return try FolderGate(installation, budgets: budgets).answer(
      GateQuestion(
        .compare(base: base, head: head), apps: [app], query: query, format: format.rawValue, now: clock.now))
  }
}
