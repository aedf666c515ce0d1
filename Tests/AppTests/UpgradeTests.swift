import Foundation
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

@Suite("Data folders of older versions")
struct UpgradeTests {
  /// The folders in `Upgrades/folders.tar.xz`, each with the number of diagnostics that its build stored. The name says
  /// the last migrations of `plumb.db`, `control.db`, `journal.db` and `samples.db`.
  static let builds = [
    ("p01-c01-j01-s01", 0), ("p02-c01-j02-s02", 5), ("p03-c01-j02-s02", 5), ("p03-c02-j02-s02", 5),
    ("p05-c02-j02-s02", 5), ("p06-c03-j02-s03", 5), ("p06-c04-j02-s03", 6), ("p08-c05-j02-s03", 6),
    ("p10-c05-j02-s03", 6), ("p10-c06-j02-s03", 6), ("p10-c06-j03-s04", 6), ("p10-c06-j04-s04", 6),
    ("p11-c06-j04-s04", 6), ("p11-c08-j04-s04", 6), ("p12-c08-j04-s04", 6), ("p13-c09-j05-s04", 6),
  ]

  /// A folder as a build of that time wrote it.
  private final class OldFolder {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init(_ name: String) throws {
      folder = try TemporaryFolder("plumb-upgrade")
      let archive = Checkout.path("Tests/AppTests/Upgrades/folders.tar.xz")
      _ = try Program.text("/usr/bin/tar", ["-xJf", archive, "-C", folder.path, "--strip-components=1", name])
    }

    /// The report that the build made of it.
    func report() throws -> Report {
      try JSONDecoder().decode(
        Report.self, from: try #require(FileManager.default.contents(atPath: path + "/report.json")))
    }

    /// The report of this version.
    func reportNow() throws -> Report {
      let installation = try Installation.existing(path)
      let app = try installation.app(AppScene.app)
      var query = ReportQuery()
      (query.from, query.to) = (CalendarDay(iso: "2026-10-26"), CalendarDay(iso: "2026-11-22"))
      let now = try #require(Timestamp(iso: "2026-11-23T12:00:00Z"))
      let bytes = try installation.read(app, budgets: nil) { try $0.report(app, query, now: now).json() }
      return try JSONDecoder().decode(Report.self, from: Data(bytes))
    }
  }

  /// What two builds must agree on. Bounds of intervals are left out: how they are computed has changed.
  private struct Report: Decodable, Equatable {
    struct Sessions: Decodable, Equatable { let total, crashed, healthy: Int }
    struct Users: Decodable, Equatable { let total, crashed: Int }
    struct Metric: Decodable {
      let name: String
      let source: String
      let n: Int
      let p95: Value?
      let value: Value?
      struct Value: Decodable { let value: Double? }
    }
    let digested_through: Int
    let sessions: Sessions
    let users: Users
    let metrics: [Metric]

    static func == (left: Report, right: Report) -> Bool {
      left.digested_through == right.digested_through && left.sessions == right.sessions && left.users == right.users
        && left.metrics.map(Self.text).sorted() == right.metrics.map(Self.text).sorted()
    }

    private static func text(_ metric: Metric) -> String {
      func rounded(_ value: Metric.Value?) -> String { value?.value.map { String(format: "%.9g", $0) } ?? "–" }
      return "\(metric.name) \(metric.source) \(metric.n) \(rounded(metric.p95)) \(rounded(metric.value))"
    }
  }

  /// What was imported, counted by hand.
  private func check(_ report: Report, diagnostics: Int, _ path: String) throws {
    #expect(report.sessions == Report.Sessions(total: 30, crashed: 4, healthy: 26))
    #expect(report.users == Report.Users(total: 20, crashed: 4))
    #expect(report.metrics.first { $0.name == "screen.load" }?.n == 60)
    #expect(report.metrics.first { $0.name == "launch.first_draw" }?.n == 8)
    let installation = try Installation.existing(path)
    let app = try installation.app(AppScene.app).id
    let stored = try installation.store().diagnostics(DiagnosticQuery(app: app, limit: 100))
    #expect(stored.count == diagnostics)
    #expect(FolderVerification.faults(of: path) == [])
  }

  @Test("data folders of older versions open, migrate and give the answers of their own build", arguments: builds)
  func opened(name: String, diagnostics: Int) throws {
    let folder = try OldFolder(name)
    let before = try folder.report()
    let isOlder = try DataFolderDatabase.allCases.contains { try $0.isOlder(at: folder.path + "/" + $0.rawValue) }
    let copy = try Installation.migrate(folder.path)
    let after = try folder.reportNow()
    #expect(after == before)
    try check(after, diagnostics: diagnostics, folder.path)
    // The copy is of the state before, and whole.
    #expect((copy != nil) == isOlder)
    if let copy {
      let source = try BackupReader(copy)
      let manifest = try source.manifest()
      try source.verify(manifest)
      #expect(manifest.schemas["plumb.db"]?.hasPrefix("v0\(name.dropFirst().prefix(2))") == true)
    }
    // It goes on: what was sent before is recognized, and compaction changes no total.
    let scene = try AppScene()
    let pipeline = try Pipeline(try Installation.existing(folder.path), migrating: false, logger: scene.logger)
    try pipeline.maintain(now: try #require(Timestamp(iso: "2026-11-23T12:00:00Z")))
    pipeline.stop()
    #expect(try folder.reportNow().sessions == before.sessions)
  }

  @Test(
    "every database refuses a newer version's folder and changes nothing", arguments: DataFolderDatabase.allCases)
  func newer(database: DataFolderDatabase) throws {
    let folder = try OldFolder("p11-c06-j04-s04")
    let path = folder.path + "/" + database.rawValue
    try SQLFile.run("INSERT INTO migration (position, name) VALUES (99, 'v099_later')", in: path)
    let bytes = FileManager.default.contents(atPath: path)
    #expect(throws: SchemaError.unknown(migration: "v099_later")) { try Installation.migrate(folder.path) }
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  @Test("a folder is not migrated without space for its copy, unless that is requested")
  func withoutRoom() throws {
    let folder = try OldFolder("p08-c05-j02-s03")
    // A file where the folder of copies would be.
    try Data().write(to: URL(fileURLWithPath: folder.path + "/copies"))
    let error = #expect(throws: BackupError.self) { try Installation.migrate(folder.path) }
    #expect(error?.description.contains("plumb migrate --without-copy") == true)
    #expect(throws: SchemaError.self) { try folder.reportNow() }
    try Installation.migrate(folder.path, copies: false)
    #expect(try folder.reportNow() == folder.report())
  }

  @Test("the last two copies before migrations are kept, and the newest takes a folder back to its version")
  func wayBack() throws {
    let folder = try OldFolder("p08-c05-j02-s03")
    let (files, copies) = (FileManager.default, AutomaticBackups(DataFolder(folder.path)))
    func isOlder() throws -> Bool {
      try DataFolderDatabase.allCases.contains { try $0.isOlder(at: folder.path + "/" + $0.rawValue) }
    }
    let made = try [0.0, 60, 120].map { seconds in
      try #require(try copies.makeBeforeMigration(now: Date(timeIntervalSince1970: 1_795_000_000 + seconds)))
    }
    let kept = try files.contentsOfDirectory(atPath: folder.path + "/copies").sorted()
    #expect(kept == made.dropFirst().map { URL(fileURLWithPath: $0).lastPathComponent })
    try Installation.migrate(folder.path, copies: false)
    #expect(try !isOlder())
    // What docs/backup.md tells operators to do.
    for name in try files.contentsOfDirectory(atPath: folder.path) where name.contains(".db") {
      try files.removeItem(atPath: folder.path + "/" + name)
    }
    for name in DataFolderDatabase.allCases.map(\.rawValue) {
      try files.copyItem(atPath: made[2] + "/" + name, toPath: folder.path + "/" + name)
    }
    #expect(try isOlder())
    try Installation.migrate(folder.path, copies: false)
    #expect(try folder.reportNow() == folder.report())
  }
}
