import ArgumentParser
import Pages
import Foundation
import Health
import PublicAssets
import SQLiteStore
import Storage
import Symbols
import Telemetry

/// `plumb render`
struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write the whole dashboard as files that open without a server.",
    discussion: """
      Example:
        plumb render --out site && open site/index.html

      A page says when it was made; one whose numbers did not change since is not written again. plumb-files.txt lists what \
      was written: what a later copy has no more, such as the pages of an app that was removed, is taken away.
      """)

  @Option(help: "The folder to write to. Files of the same names are replaced; those that did not change stay.")
  var out: String

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let store = try installation.store(samples: SQLiteDiagnosticBodies(path: installation.folder.samples))
    let settings = try folder.settings()
    let book = BudgetRepository(installation.folder, file: settings.value("budgets", flag: budgets))
    let symbols = try Symbolizer.ofProcess(try installation.symbols(settings), settings) { Console.complain($0) }
    let now = Clock.now()
    let context = PageContext(linkStyle: .files, renderedAt: now)
    let site = SiteFolder(URL(fileURLWithPath: out, isDirectory: true))
    for asset in PublicAssets.ofPages { try site.write(asset.bytes, to: asset.name) }
    let apps = try installation.control.apps()
    try book.check(against: apps)
    var bar = ProgressBar("Rendering", total: apps.count)
    // Read once: an app has a page for each metric, release and group.
    let health = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, book.shownHealth(of: $0, store)) })
    let source = PageSource(
      installation, now: now, health: { health[$0.id] ?? book.shownHealth(of: $0, store) },
      groups: { GroupReader(installation, store, $1, symbols: symbols) })
    let export = SiteExport(source, context, write: site.write)
    for (index, app) in apps.enumerated() {
      let error = health[app.id]?.budgetError
      if let error { Console.complain("\(app.bundleID) is not judged: \(error)") }
      try store.snapshot { try export.write(app: app.bundleID, budgetError: error) }
      bar.show(index + 1)
    }
    try export.writeShared()
    let removed = try site.removeOld()
    Console.print(
      "\(site.files) files in \(out), \(site.written) of them new or changed\(removed > 0 ? ", \(removed) old ones removed" : "")"
        + ": open \(out)/index.html")
  }
}

extension PageSource {
  /// What a static export reads pages from. It has no diagnostic as its client sent it.
  fileprivate init(
    _ installation: Installation, now: Timestamp, health: @escaping (App) -> HealthReader,
    groups: @escaping (App, HealthReader) -> GroupReader
  ) {
    let control = installation.control
    self.init(
      now: now, apps: control.apps, app: control.app(bundleID:), health: health, groups: { groups($0, health($0)) },
      incidents: { try control.incidents(of: nil, closedAfter: $0) },
      openIncidents: { try control.alertState(of: $0.id).open }, body: { _ in [] })
  }
}
