import Analysis
import App
import ArgumentParser

/// The command `plumb check`: evaluates budgets and alerts, for cron and CI.
struct CheckCommand: ParsableCommand, FormattedCommand {
  static let formats = VerdictFormatter.formats

  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check apps against their budgets, for cron and CI.",
    discussion: """
      Example:
        */5 * * * * plumb check --data /var/lib/plumb
        plumb check --app com.example.shop --budgets budgets.yaml --format github

      Like the dashboard, the command evaluates the newest release that has at least 5% adoption, using all its data. \
      --release selects another release; --release all evaluates all of them together.

      Exit status: 0 within budget, 1 warning, 2 broken, 3 could not evaluate. It depends on the verdicts, not on what \
      is printed.

      From cron, with text output and without a terminal, the command prints incidents only: when they open, when they \
      are still open after --remind-after, and when they end. An incident needs more evidence than a verdict (99.9% \
      confidence instead of 95%, and three affected users), so the exit status can be 2 while nothing is printed. \
      --all also prints the verdicts.

      On a terminal, with another format, or with --stateless, --from, --to, --release, --environment or --where, the \
      command prints the verdicts only. It then opens and ends no incident and sends no message. In CI, use \
      --stateless or a --format such as github, so that the check changes no incident.

      With --server, the server evaluates the budgets and changes no incident. The budget file is sent along, used \
      once and not stored; without --budgets, the server's own budgets apply. The token needs the scope read. See \
      docs/release-gate.md.
      """)

  @Option(help: "The app's bundle identifier. (default: all apps)")
  var app: String?

  @Option(help: "A budget file. (default: the server's, or DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(help: "First day, such as 2026-10-24.")
  var from: String?

  @Option(help: "Last day.")
  var to: String?

  @Option(help: "The release to evaluate: 4.2.0, '4.2.0 (1234)', or all. (default: the newest in use)")
  var release: String?

  @Option(help: "The environment: production, testflight or another. (default: production)")
  var environment: String?

  @OptionGroup var attribute: AttributeOption

  @Option(help: "The output format: text, json, junit, github or markdown.")
  var format = Format<Self>.text

  @Flag(help: "Print the verdicts only. Open and end no incidents.")
  var stateless = false

  @Flag(help: "Print every verdict as text, including budgets that are met or do not have enough data.")
  var all = false

  @Option(name: .customLong("public-url"), help: "The dashboard's address, for links in messages. (PLUMB_PUBLIC_URL)")
  var publicURL: String?

  @OptionGroup var alerts: AlertOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func run() throws {
    let settings = try folder.settings()
    let server = try remote.server(settings, folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run("could not evaluate the budgets") {
      guard let server else {
        var run = try CheckRun(try folder.path(), settings, try options(settings), output: Console.checkOutput)
        return GateAnswer(status: try run.run(), text: [])
      }
      let showsIncidents = Console.isTerminal && format.value == .text
      var parameters = filters
      (parameters["app"], parameters["format"]) = (app, format.rawValue)
      parameters["all"] = all ? "true" : nil
      parameters["incidents"] = showsIncidents ? "true" : nil
      return try RemoteGate(server: server).judge(
        "check", parameters, budgets: settings.value("budgets", flag: budgets))
    }
  }

  private func options(_ settings: Settings) throws -> CheckRun.Options {
    let thresholds = try alerts.thresholds(settings)
    var options = CheckRun.Options(query: try ReportQuery { filters[$0] ?? nil })
    options.app = app
    options.budgets = settings.value("budgets", flag: budgets)
    options.readOnly = isReadOnly ? format.value : nil
    options.printsAll = all
    options.listsIncidents = Console.isTerminal && format.value == .text
    options.publicURL = try settings.publicURL(flag: publicURL)?.description
    options.thresholds = thresholds
    options.now = clock.now
    options.isWallClock = clock.fixed == nil
    return options
  }

  private var filters: [String: String?] {
    [
      "from": from, "to": to, "release": release, "environment": environment, "where": attribute.filter,
    ]
  }

  /// Whether the run only prints verdicts and changes no incident.
  private var isReadOnly: Bool {
    stateless || filters.values.contains { $0 != nil } || format.value != .text || Console.isTerminal
  }
}

extension Console {
  fileprivate static var checkOutput: CheckRun.Output {
    CheckRun.Output(
      write: { (bytes: [UInt8]) in print(bytes) }, complain: { complain($0) })
  }
}
