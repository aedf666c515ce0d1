import Alerts
import ArgumentParser
import Health
import SQLiteStore
import Storage
import Telemetry

/// `plumb check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Judge the apps against their budgets. For cron: silent when all is well.",
    discussion: """
      Example:
        */15 * * * * plumb check --data /var/lib/plumb
        plumb check --app com.example.shop --budgets budgets.yaml --format github

      Exit status: 0 within budget, 1 warning, 2 broken, 3 could not evaluate.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case junit
    case github

    var verdicts: VerdictFormat {
      switch self {
      case .text: .text
      case .json: .json
      case .junit: .junit
      case .github: .github
      }
    }
  }

  @Option(help: "The bundle identifier; all apps when it is left out.")
  var app: String?

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(help: "First day, such as 2026-10-24.")
  var from: String?

  @Option(help: "Last day.")
  var to: String?

  @Option(help: "Output: text, json, junit or github.")
  var format = Format.text

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let outcome: Outcome
    do {
      outcome = try evaluate()
    } catch let error as InvalidQuery {
      throw ValidationError(error.detail)
    } catch let error as ValidationError {
      throw error
    } catch {
      Console.complain("could not evaluate: \(error)")
      throw ExitCode(3)
    }
    Console.print(outcome.text)
    if outcome.status != 0 { throw ExitCode(outcome.status) }
  }

  private struct Outcome {
    var text: [UInt8]
    var status: Int32
  }

  private func evaluate() throws -> Outcome {
    let installation = try Installation.existing(try folder.path())
    let apps = try installation.apps(app)
    let store = try installation.store()
    let book = BudgetBook(installation.folder, file: try folder.settings().value("budgets", flag: budgets))
    try book.check(against: apps)
    let query = try ReportQuery { ["from": from, "to": to][$0] ?? nil }
    let now = Clock.now()
    var reports: [VerdictReport] = []
    var silent: [String] = []
    for app in apps {
      let results = try book.health(of: app, store).check(app, query, now: now)
      if !results.contains(where: { $0.n > 0 }) { silent.append(app.bundleID) }
      reports.append(VerdictReport(app: app.bundleID, results: results))
    }
    // Beside apps that send, one that never sent anything is not worth a mail every quarter of an hour.
    if silent.count < apps.count {
      silent = try silent.filter { try !store.inventory(of: installation.app($0).id).environments.isEmpty }
    }
    for app in silent { Console.complain("\(app): no data in this window, nothing was judged") }
    let status = reports.map(\.exitStatus).max() ?? 0
    return Outcome(
      text: VerdictFormatter.text(reports, format.verdicts),
      status: status == 0 && silent.count == apps.count ? 3 : status)
  }
}
