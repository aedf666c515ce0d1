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
    self.budgets = BudgetRepository(installation, file: budgets)
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
    let store = try installation.store(samples: SQLiteSampleStore(path: installation.folder.samples))
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
