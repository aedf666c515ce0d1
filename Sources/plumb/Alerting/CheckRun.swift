import Alerts
import Health
import Notifications
import SQLiteStore
import Storage
import Telemetry

/// One run of `plumb check`.
struct CheckRun {
  private let command: Check
  private let installation: Installation
  private let apps: [App]
  private let store: SQLiteStore
  private let book: BudgetRepository
  private let desk: AlertService
  private let query: ReportQuery
  private let now: Timestamp
  private var hasFailed = false

  init(_ command: Check) throws {
    self.command = command
    let settings = try command.folder.settings()
    let policy = try command.alerts.policy(settings)
    query = try ReportQuery { ["from": command.from, "to": command.to][$0] ?? nil }
    installation = try Installation.existing(try command.folder.path())
    apps = try installation.apps(command.app)
    store = try installation.store()
    book = BudgetRepository(installation.folder, file: settings.value("budgets", flag: command.budgets))
    try book.check(against: apps)
    desk = AlertService(
      installation, store, book, policy: policy, publicURL: settings.value("public-url", flag: command.publicURL),
      channels: try settings.alerts())
    now = Clock.now()
  }

  /// Judges, tells, and gives the exit status.
  mutating func status() throws -> Int32 {
    let reports = try apps.compactMap { try report(on: $0) }
    let silent = reports.filter { report in !report.results.contains { $0.n > 0 } }.map(\.app)
    let isAllSilent = !reports.isEmpty && silent.count == reports.count
    try complain(of: silent, isAll: isAllSilent)
    try tell(reports)
    if hasFailed { return 3 }
    let status = reports.map(\.exitStatus).max() ?? 0
    return status == 0 && isAllSilent ? 3 : status
  }

  /// Nil when the app could not be judged: the others are, all the same.
  private mutating func report(on app: App) throws -> VerdictReport? {
    do {
      var checks: IncidentChecks?
      if !command.isReadOnly {
        let outcome = try desk.look(at: app, now: now)
        if let failure = outcome.failure { throw failure }
        checks = outcome.checks
      }
      let results =
        try checks?.results ?? store.snapshot { try book.health(of: app, store).check(app, query, now: now) }
      let open = try installation.control.alertState(of: app.id).open
      return VerdictReport(app: app.bundleID, results: results, incidents: open)
    } catch let error as InvalidQuery {
      throw error
    } catch {
      Console.complain("could not evaluate \(app.bundleID): \(error)")
      hasFailed = true
      return nil
    }
  }

  private func complain(of silent: [String], isAll: Bool) throws {
    for app in silent {
      // Beside apps that send, one that never sent anything is not worth a mail every quarter of an hour.
      let isNew = try store.inventory(of: installation.app(app).id).environments.isEmpty
      if isAll || !isNew { Console.complain("\(app): no data in this window, nothing was judged") }
    }
  }

  /// Whoever watches sees what is open, too.
  private func list(_ reports: [VerdictReport]) {
    for report in reports {
      for incident in report.incidents { Console.print(IncidentText.line(incident, app: report.app)) }
    }
  }

  private func tell(_ reports: [VerdictReport]) throws {
    guard !command.isReadOnly else {
      let isFull = command.all && command.format == .text
      Console.print(
        isFull ? VerdictFormatter.everything(reports) : VerdictFormatter.text(reports, command.format.verdicts))
      if Console.isTerminal, command.format == .text { list(reports) }
      return
    }
    try desk.lookAtFolder(now: now)
    let names = command.app == nil ? nil : apps.map(\.bundleID)
    try desk.speak(on: "output", of: names, now: now) { message in
      Console.print(MessageText.lines(message).joined(separator: "\n"))
    }
    // After what is printed: a mail from cron does not wait for a channel.
    try desk.deliver(of: names, now: now) { delivery, failure in
      Console.complain("channel \(delivery.channel): \(failure) (\(delivery.message.title))")
    }
    if command.all { Console.print(VerdictFormatter.everything(reports)) }
  }
}
