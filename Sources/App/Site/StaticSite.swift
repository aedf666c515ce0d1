import EmbeddedFiles
public import Foundation
import Health
import Pages
import SQLiteStore
import Storage
import Symbols
public import Telemetry

/// Exports the whole dashboard as files that open without a server.
public struct StaticSite {
  /// The result of an export: numbers of files.
  public struct Outcome {
    /// The number of files of the site.
    public var files: Int
    /// The number of files that were new or changed.
    public var written: Int
    /// The number of files of an earlier export that were deleted.
    public var removed: Int
  }

  private let installation: Installation
  private let settings: Settings
  private let budgets: BudgetRepository
  private let now: Timestamp

  /// Creates an export. `budgets`: the path of a budget file; nil for the files in the data folder.
  public init(_ installation: Installation, _ settings: Settings, budgets: String?, now: Timestamp) {
    self.installation = installation
    self.settings = settings
    self.budgets = BudgetRepository(installation.folder, file: budgets)
    self.now = now
  }

  /// Writes every page and its data to `folder`.
  ///
  /// - Parameters:
  ///   - complain: receives one line for each app whose budget file has an error.
  ///   - progress: called after each app with the number of apps done and of all apps.
  public func write(
    to folder: URL, complain: @escaping @Sendable (String) -> Void, progress: (_ done: Int, _ all: Int) -> Void
  ) throws -> Outcome {
    let store = try installation.store(samples: SQLiteDiagnosticBodies(path: installation.folder.samples))
    let symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings, report: complain)
    let context = PageContext(linkStyle: .files, renderedAt: now, serverURL: try settings.serverURL())
    let site = SiteFolder(folder)
    for asset in PublicAssets.ofPages { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try budgets.check(against: apps)
    // Read once for each app, which has a page for each metric, release and group.
    let health = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, budgets.shownHealth(of: $0, store)) })
    let source = PageSource(
      installation, now: now, health: { health[$0.id] ?? budgets.shownHealth(of: $0, store) },
      groups: { GroupReader(installation, store, $1, symbols: symbols) })
    let export = SiteExport(source, context, write: site.write)
    for (index, app) in apps.enumerated() {
      let error = health[app.id]?.budgetError
      if let error { complain("\(app.bundleID) is not judged: \(error)") }
      let openIncidents = try installation.control.alertState(of: app.id).open.count
      try store.snapshot(isRepeatable: false) {
        try export.write(app: app.bundleID, budgetError: error, openIncidents: openIncidents)
      }
      progress(index + 1, apps.count)
    }
    try export.writeShared()
    let removed = try site.removeOld()
    return Outcome(files: site.files, written: site.written, removed: removed)
  }
}

extension PageSource {
  /// The data source of an export and of `FolderAPI`. It does not include the original bodies of diagnostics.
  init(
    _ installation: Installation, now: Timestamp, health: @escaping (App) -> HealthReader,
    groups: @escaping (App, HealthReader) -> GroupReader
  ) {
    let control = installation.control
    self.init(
      now: now, apps: control.apps, app: control.app(bundleID:), health: health, groups: { groups($0, health($0)) },
      incidents: { try control.incidents(of: nil, closedAfter: $0) },
      openIncidents: { try control.alertState(of: $0.id).open }, deliveries: control.lastDeliveries,
      appStoreFigures: { try control.appStoreFigures(of: $0.id) }, icon: { try control.icon(of: $0.id) },
      body: { _ in [] })
  }
}
