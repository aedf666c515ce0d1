import Analysis
import Core
import SQLiteStore
import Storage
import Web

/// The source of pages for an export and `FolderAPI`: all apps of a data folder, but no original diagnostic bodies.
final class FolderSource: PageSource {
  let now: Timestamp
  private let installation: Installation
  private let store: SQLiteStore
  private let budgets: BudgetRepository
  private let symbols: any SymbolSource
  /// One reader per app, because an app has a page for each metric, release and group.
  private var readers: [AppID: HealthReader] = [:]

  init(
    _ installation: Installation, _ store: SQLiteStore, _ budgets: BudgetRepository, symbols: any SymbolSource,
    now: Timestamp
  ) {
    (self.installation, self.store, self.budgets) = (installation, store, budgets)
    (self.symbols, self.now) = (symbols, now)
  }

  private var control: any ControlStore { installation.control }

  func apps() throws -> [App] { try control.apps() }
  func app(_ bundleID: String) throws -> App? { try control.app(bundleID: bundleID) }

  func health(of app: App) -> HealthReader {
    if let reader = readers[app.id] { return reader }
    let reader = budgets.shownHealth(of: app, store)
    readers[app.id] = reader
    return reader
  }

  func groups(of app: App) -> GroupReader { GroupReader(installation, store, health(of: app), symbols: symbols) }

  func incidents(closedAfter time: Timestamp) throws -> [Incident] {
    try control.incidents(of: nil, closedAfter: time)
  }

  func openIncidents(of app: App) throws -> [Incident] { try control.alertState(of: app.id).open }
  // Silences and the server's state are outdated when an export is read.
  func silences(of app: App) -> [Silence] { [] }
  func serverStatus() -> ServerStatus? { nil }
  func deliveries() throws -> [String: [String: DeliveryState]] { try control.lastDeliveries() }
  func answer<Answer: Sendable>(
    to question: [String], about app: App, staleFor: Int64, _ read: () throws -> Answer
  ) throws -> Answer {
    try read()
  }
  func appStoreFigures(of app: App) throws -> [AppStoreFigure] { try control.appStoreFigures(of: app.id) }
  func appStoreNotes(of app: App) throws -> AppStorePerformance { try control.appStoreNotes(of: app.id) }
  func labRuns(of app: App, foretelling metric: String) throws -> [LabRun] {
    try control.labRuns(of: app.id, foretelling: metric)
  }
  func icon(of app: App) throws -> [UInt8]? { try control.icon(of: app.id) }
  func body(of sample: StoredSample) -> [UInt8] { [] }
}
