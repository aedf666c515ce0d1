import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb compare`: compares two releases.
struct Compare: ParsableCommand, FormattedCommand {
  static let formats = ComparisonFormatter.formats

  static let configuration = CommandConfiguration(
    abstract: "Compare two releases of an app, or two values of its attribute: the release gate.",
    discussion: """
      Example:
        plumb compare --app com.example.shop --base 4.1.0 --head 4.2.0
        plumb compare --app com.example.shop --base 4.1.0 --head 4.2.0 --format markdown > comment.md
        plumb compare --app com.example.shop --base 4.1.0 --head 4.2.0 --server https://plumb.example.com --format github

        plumb compare --app com.example.shop --base experiment=control --head experiment=new-cart --release 4.2.0
        plumb compare --app com.example.shop --base 'region!=DE' --head region=DE --os 'iOS 18.1'

      Both releases are read on the days both were in use, within classes of devices. Values of the app's attribute
      (plumb app settings --attribute) are read on the days from --from to --to: docs/attribute.md.
      The JSON is the same, byte for byte, as GET /api/v1/apps/{id}/compare?base=4.1.0&head=4.2.0.

      With --server it compares there. A budget file is sent along, used for this comparison and not stored. The token
      needs the scope read: docs/release-gate.md.

      Exit status: 0 nothing worse was found; 1 something is worse by less than the margin or has no budget,
      data that a budget requires is missing, or no metric has enough data; 2 worse; 3 could not evaluate; 64 an
      argument that cannot be read.
      """)

  @Option(help: "The bundle identifier.")
  var app: String

  @Option(help: "The release that was: 4.1.0, '4.1.0 (1201)'; or a value of the attribute: experiment=control.")
  var base: String

  @Option(help: "The release that comes, or the value to compare: experiment=new-cart.")
  var head: String

  @Option(help: "First day, such as 2026-10-24. (default: the first on which both were in use)")
  var from: String?

  @Option(help: "Last day. (default: the last on which both were in use)")
  var to: String?

  @Option(help: "production, testflight, simulated, or another. (default: production)")
  var environment: String?

  @Option(help: "The release of both sides, where values of the attribute are compared. (default: all)")
  var release: String?

  @Option(help: "Operating system, such as 'iOS 18.1'. (default: all)")
  var os: String?

  @Option(help: "Model identifier, such as iPhone15,2. (default: all)")
  var device: String?

  @Option(name: .customLong("device-class"), help: "Class of devices, such as 'iPhone 15'. (default: all)")
  var deviceClass: String?

  @Option(help: "Screen, host or view: compares the metrics that have it. (default: all)")
  var label: String?

  @OptionGroup var attribute: AttributeOption

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets; the server's)")
  var budgets: String?

  @Option(help: "Output: text, markdown, json, csv, junit or github.")
  var format = Format<Self>.text

  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func validate() throws {
    for (name, value) in [("base", base), ("head", head)] where value.isEmpty {
      throw ValidationError("--\(name): expected a release, or a value of the app's attribute, found nothing.")
    }
    guard base != head else { throw ValidationError("\(ImpossibleComparison.sameRelease(base))") }
  }

  func run() throws {
    let settings = try folder.settings()
    let server = try remote.server(settings, folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run {
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
      "label": label, "release": release, "where": attribute.filter,
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
