public import Analysis
public import Core
import Outbound
import SQLiteStore
import Storage

/// One run of `plumb check`: evaluates apps, opens and closes incidents, delivers messages.
public struct CheckRun {
  /// The options of one run of `plumb check`.
  public struct Options {
    /// The bundle identifier of the only app to check; nil for all apps.
    public var app: String?
    /// The path of a budget file; nil for the files in the data folder.
    public var budgets: String?
    var query: ReportQuery
    /// If set, the run only prints verdicts in this format: it opens, closes and delivers nothing.
    public var readOnly: OutputFormat?
    /// Whether verdicts of met budgets are also printed.
    public var printsAll = false
    /// Whether a read-only run lists open incidents below the verdicts.
    public var listsIncidents = false
    /// The public address of the dashboard, for links.
    public var publicURL: String?
    public var thresholds = AlertThresholds()
    /// The time at which apps are evaluated and messages are delivered.
    public var now = WallClock.now()
    /// Whether `now` comes from the wall clock, which may be wrong.
    public var isWallClock = false

    public init(query: ReportQuery) { self.query = query }
  }

  /// The outputs of one run of `plumb check`.
  public struct Output {
    /// Receives output: bytes that end with a line break, or no bytes.
    var write: ([UInt8]) -> Void
    /// Receives an error or a warning: one line without a line break.
    var complain: (String) -> Void

    public init(write: @escaping ([UInt8]) -> Void, complain: @escaping (String) -> Void) {
      self.write = write
      self.complain = complain
    }

    fileprivate func print(_ line: String) { write(Array((line + "\n").utf8)) }
  }

  private let options: Options
  private let output: Output
  private let installation: Installation
  private let apps: [App]
  private let store: SQLiteStore
  private let budgets: BudgetRepository
  /// The service that opens, ends and reports incidents; nil for a read-only run.
  private let alerts: AlertService?
  private var now: Timestamp { options.now }
  private let started = ContinuousClock.now
  private var hasFailed = false

  /// Opens the data folder at `path`. Throws if there is none, or if the budget file is for another app.
  public init(_ path: String, _ settings: Settings, _ options: Options, output: Output) throws {
    let installation = try Installation.existing(path)
    // Incidents and messages are the primary's.
    if options.readOnly == nil { try StandbyMarker.refuse(installation.folder) }
    let store = try installation.store()
    let budgets = BudgetRepository(installation, file: options.budgets)
    let alerts = AlertService(
      installation, store, budgets, thresholds: options.thresholds, publicURL: options.publicURL,
      channels: try settings.alerts(), floor: try settings.spaceFloor())
    try self.init(installation, store, try installation.apps(options.app), budgets, alerts, options, output)
  }

  /// A run on `apps` of an open folder. `alerts`: nil only for a read-only run.
  init(
    _ installation: Installation, _ store: SQLiteStore, _ apps: [App], _ budgets: BudgetRepository,
    _ alerts: AlertService?, _ options: Options, _ output: Output
  ) throws {
    (self.installation, self.store, self.apps) = (installation, store, apps)
    (self.budgets, self.alerts, self.options, self.output) = (budgets, alerts, options, output)
    try budgets.check(against: apps)
  }

  /// Runs the check and returns the exit status: 0 within budget, 1 warning, 2 broken, 3 could not evaluate.
  public mutating func run() throws -> Int32 {
    if options.isWallClock {
      let clock = PlausibleClock(newest: try store.newestReceipt())
      if let doubt = clock.doubt {
        output.complain("could not evaluate the budgets: \(doubt)")
        return 3
      }
    }
    let reports = try apps.compactMap { try report(on: $0) }
    let silent = reports.filter { report in !report.results.contains { $0.n > 0 } }.map(\.app)
    let isAllSilent = !reports.isEmpty && silent.count == reports.count
    try complain(of: silent, isAll: isAllSilent)
    if let format = options.readOnly {
      print(reports, format)
    } else if let alerts {
      try deliver(reports, alerts)
    }
    if hasFailed { return 3 }
    let status = reports.map(\.exitStatus).max() ?? 0
    return status == 0 && isAllSilent ? 3 : status
  }

  /// The verdicts on one app; nil if the app could not be evaluated, which does not stop the others.
  private mutating func report(on app: App) throws -> VerdictReport? {
    do {
      if options.readOnly == nil, let failure = try alerts?.evaluate(app, now: now).failure { throw failure }
      let results = try store.snapshot { try budgets.health(of: app, store).check(app, options.query, now: now) }
      let open = try installation.control.alertState(of: app.id).open
      return VerdictReport(app: app.bundleID, results: results, incidents: open)
    } catch let error as InvalidQuery {
      throw error
    } catch {
      output.complain("could not evaluate the budgets of \(app.bundleID): \(error)")
      hasFailed = true
      return nil
    }
  }

  private func complain(of silent: [String], isAll: Bool) throws {
    for app in silent {
      // If other apps have data, cron must not send a mail about an app that has never sent any.
      let isNew = try store.inventory(of: installation.app(app).id).environments.isEmpty
      guard isAll || !isNew else { continue }
      output.complain("\(app): no data on the selected days, so no budget was evaluated. Check --from and --to")
    }
  }

  private func print(_ reports: [VerdictReport], _ format: OutputFormat) {
    let isFull = options.printsAll && format == .text
    output.write(isFull ? VerdictFormatter.everything(reports) : VerdictFormatter.text(reports, format))
    guard options.listsIncidents else { return }
    for report in reports {
      for incident in report.incidents { output.print(IncidentText.line(incident, app: report.app)) }
    }
  }

  private func deliver(_ reports: [VerdictReport], _ alerts: AlertService) throws {
    try alerts.evaluateFolder(now: now)
    let names = options.app == nil ? nil : apps.map(\.bundleID)
    // Claims of messages expire, so they must not begin with the time at which a slow run started.
    let now = Timestamp(milliseconds: now.milliseconds + Int64((ContinuousClock.now - started) / .milliseconds(1)))
    try alerts.print(on: "output", of: names, now: now) { message in
      output.print(AlertMessageText.lines(message).joined(separator: "\n"))
    }
    // Channels come after printing, so that output does not wait for them.
    try alerts.deliver(of: names, now: now) { delivery, failure in
      output.complain("channel \(delivery.channel): \(failure) (\(delivery.message.title))")
    }
    if options.printsAll { output.write(VerdictFormatter.everything(reports)) }
  }
}
