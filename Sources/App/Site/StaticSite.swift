import Analysis
public import Core
public import Foundation
import SQLiteStore
import Storage
import Symbols
import Web

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
  ///   - complain: receives a line for each app whose budget file has an error.
  ///   - progress: called after each app with the number of apps done and of all apps.
  public func write(
    to folder: URL, complain: @escaping @Sendable (String) -> Void, progress: (_ done: Int, _ all: Int) -> Void
  ) throws -> Outcome {
    let store = try installation.store(samples: SQLiteDiagnosticBodies(path: installation.folder.samples))
    let symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings, report: complain)
    let context = PageContext(linkStyle: .files, renderedAt: now, serverURL: try settings.serverURL())
    let site = SiteFolder(folder)
    for asset in PublicAssets.all { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try budgets.check(against: apps)
    let source = FolderSource(installation, store, budgets, symbols: symbols, now: now)
    let export = SiteExport(source, context, write: site.write)
    for (index, app) in apps.enumerated() {
      let error = source.health(of: app).budgetError
      if let error { complain("\(app.bundleID) is not evaluated: \(error)") }
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
  func summary(of app: App, _ read: () throws -> AppSummary) throws -> AppSummary { try read() }
  func appStoreFigures(of app: App) throws -> [AppStoreFigure] { try control.appStoreFigures(of: app.id) }
  func icon(of app: App) throws -> [UInt8]? { try control.icon(of: app.id) }
  func body(of sample: StoredSample) -> [UInt8] { [] }
}

/// The folder that a static site is written to. Unchanged files are not rewritten, so that a sync tool transfers only
/// changed files.
final class SiteFolder {
  private let root: URL
  private var names: Set<String> = []
  /// The number of files that were new or changed.
  private(set) var written = 0
  /// The number of files of the site.
  var files: Int { names.count }

  init(_ root: URL) { self.root = root }

  func write(_ bytes: [UInt8], to name: String) throws {
    names.insert(name)
    let file = root.appendingPathComponent(name)
    if let old = try? Data(contentsOf: file), Self.timeless([UInt8](old)) == Self.timeless(bytes) { return }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    written += 1
  }

  /// Deletes files that only the previous export wrote, such as pages of a removed app, and returns their number. Other
  /// files in the folder stay.
  func removeOld() throws -> Int {
    let list = root.appendingPathComponent(Self.listName)
    let before = (try? String(contentsOf: list, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    let old = before.filter { !names.contains($0) && !$0.split(separator: "/").contains("..") && !$0.hasPrefix("/") }
    var removed = 0
    for name in old where (try? FileManager.default.removeItem(at: root.appendingPathComponent(name))) != nil {
      removed += 1
    }
    try Data((names.sorted().joined(separator: "\n") + "\n").utf8).write(to: list)
    return removed
  }

  /// The name of the list of exported files, one path per line.
  private static let listName = "plumb-files.txt"

  /// A page without its creation times, which change with every export.
  static func timeless(_ page: [UInt8]) -> [UInt8] {
    let open = Array("<time class=\"made\"".utf8)
    let close = Array("</time>".utf8)
    var kept: [UInt8] = []
    kept.reserveCapacity(page.count)
    var index = 0
    while index < page.count {
      if page[index] == open[0], page[index...].starts(with: open) {
        while index < page.count, !page[index...].starts(with: close) { index += 1 }
      } else {
        kept.append(page[index])
        index += 1
      }
    }
    return kept
  }
}
