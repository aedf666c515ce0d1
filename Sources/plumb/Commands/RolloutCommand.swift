import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb rollout`: whether a rollout may continue.
struct RolloutCommand: ParsableCommand, FormattedCommand {
  static let formats = RolloutFormatter.formats

  static let configuration = CommandConfiguration(
    commandName: "rollout",
    abstract: "Decide whether the rollout of a release may continue.",
    discussion: """
      Example:
        plumb rollout --app com.example.shop --release 4.2.0

      It may be run at any time and as often as you like, for example every five minutes: it halts a release that is \
      no worse in at most 5 % of rollouts, however often it is run. Vitals are compared on the same days and device \
      classes, and with the base at the same age of the update (docs/statistics.md). The JSON equals the response of \
      GET /api/v1/apps/{id}/releases/4.2.0/rollout?base=4.1.0.

      With --server, the server decides. The budget file is sent along, used once and not stored. The token needs the \
      scope read. See docs/release-gate.md.

      Exit status: 0 continue; 1 extend: too little is known, or something is suspicious; 2 halt: a vital with a \
      budget is worse; 3 could not evaluate; 64 invalid argument.
      """)

  @Option(help: "The app's bundle identifier.")
  var app: String

  @Option(help: "The release, such as 4.2.0 or '4.2.0 (1234)'. (default: the newest in use)")
  var release: String?

  @Option(help: "The release to compare it with. (default: the newest older one that was adopted)")
  var base: String?

  @Option(help: "The last day, such as 2026-11-20. (default: the newest day with data)")
  var to: String?

  @Option(help: "The environment: production, testflight, simulated or another. (default: production)")
  var environment: String?

  @Option(help: "A budget file. (default: the server's, or DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(help: "The output format: text, markdown, json, csv, junit or github.")
  var format = Format<Self>.text

  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func validate() throws {
    for (name, value) in [("release", release), ("base", base)] where value == "" {
      throw ValidationError("--\(name): expected a release, found an empty value.")
    }
    if let release, release == base { throw ValidationError("\(ImpossibleComparison.sameRelease(release))") }
  }

  func run() throws {
    let settings = try folder.settings()
    let server = try remote.server(settings, folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run("could not judge the rollout") {
      guard let server else { return try judge() }
      var parameters = filters
      (parameters["app"], parameters["release"], parameters["base"]) = (app, release, base)
      parameters["format"] = format.rawValue
      return try RemoteGate(server: server).judge(
        "rollout", parameters, budgets: settings.value("budgets", flag: budgets))
    }
  }

  private var filters: [String: String?] { ["to": to, "environment": environment] }

  private func judge() throws -> GateAnswer {
    let installation = try Installation.existing(try folder.path())
    let app = try installation.app(self.app)
    let budgets = try folder.settings().value("budgets", flag: budgets)
    let query = try ReportQuery { filters[$0] ?? nil }
    return try FolderGate(installation, budgets: budgets).answer(
      GateQuestion(
        .rollout(release: release, base: base), apps: [app], query: query, format: format.rawValue, now: clock.now))
  }
}
