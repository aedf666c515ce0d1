import Analysis
import App
import ArgumentParser

/// The command `plumb check`: evaluates budgets and alerts, for cron and CI.
struct Check: ParsableCommand, FormattedCommand {
  static let formats = VerdictFormatter.formats

  static let configuration = CommandConfiguration(
    abstract: "Judge the apps against their budgets. For cron: speaks up when something changes.",
    discussion: """
      Example:
        */5 * * * * plumb check --data /var/lib/plumb
        plumb check --app com.example.shop --budgets budgets.yaml --format github
        plumb check --app com.example.shop --budgets budgets.yaml --server https://plumb.example.com

      Judged is the newest release with at least 5 % of the last day's use, over its own life, as on the dashboard;
      --release judges another one, or all of them together.

      Exit status: 0 within budget, 1 warning, 2 broken, 3 could not evaluate. It is that of the verdicts, whatever
      is printed.

      As text, away from a terminal, it is a pager: it prints incidents that open, are still open after --remind-after,
      and end. An incident takes more than a verdict (99.9 % instead of 95 %, and three people who saw it), so a budget
      can be broken, with status 2, while nothing is printed; --all prints the verdicts, too.

      On a terminal, with --stateless, --from, --to, --release, --environment or --where, and in another format than text it only
      reads: it prints the verdicts, and opens, ends and sends nothing. Gates in a build server use one of these.

      With --server it judges there, and only reads. The budget file is sent along, used for this judgement and not
      stored; without one, the server's budgets count. The token needs the scope read: docs/release-gate.md.
      """)

  @Option(help: "The bundle identifier; all apps when it is left out.")
  var app: String?

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets; the server's)")
  var budgets: String?

  @Option(help: "First day, such as 2026-10-24.")
  var from: String?

  @Option(help: "Last day.")
  var to: String?

  @Option(help: "The release to judge: 4.2.0, '4.2.0 (1234)', or all. (default: the newest in use)")
  var release: String?

  @Option(help: "production, testflight, or another. (default: production)")
  var environment: String?

  @OptionGroup var attribute: AttributeOption

  @Option(help: "Output: text, json, junit, github or markdown.")
  var format = Format<Self>.text

  @Flag(help: "Only judge: no incident opens or ends, and the verdicts are printed.")
  var stateless = false

  @Flag(help: "Print every verdict as text, also of budgets that are met or cannot be judged yet.")
  var all = false

  @Option(name: .customLong("public-url"), help: "Where people reach the dashboard, for links. (PLUMB_PUBLIC_URL)")
  var publicURL: String?

  @OptionGroup var alerts: AlertOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var remote: ServerOptions
  @OptionGroup var folder: FolderOptions

  func run() throws {
    let settings = try folder.settings()
    let server = try remote.server(settings, folder, clock, tokenHint: RemoteGate.tokenHint)
    try GateRun.run {
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
