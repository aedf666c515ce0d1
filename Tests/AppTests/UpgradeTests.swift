@testable import App
import Foundation
import Health
import Issues
import Migrations
import SQLiteStore
import Storage
import Telemetry
import Testing

@Suite("Data folders of older versions")
struct UpgradeTests {
  /// The folders in `Upgrades`, each with the number of diagnostics that its build stored.
  static let builds = [("v001", 0), ("v008", 6), ("v011", 6)]

  /// A folder as a build of that time wrote it.
  private final class OldFolder {
    let path: String

    init(_ name: String) throws {
      path = FileManager.default.temporaryDirectory.path + "/plumb-upgrade-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Upgrades/\(name).tar.gz"
      _ = try SQLFile.output("/usr/bin/tar", ["-xzf", archive, "-C", path])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

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
      let now = try #require(Timestamp(iso: "2026-11-23T05:00:00Z"))
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

  @Test("open, migrate, and answer what the build answered that wrote them", arguments: builds)
  func opened(name: String, diagnostics: Int) throws {
    let folder = try OldFolder(name)
    let before = try folder.report()
    let copy = try #require(try Installation.migrate(folder.path))
    let after = try folder.reportNow()
    #expect(after == before)
    try check(after, diagnostics: diagnostics, folder.path)
    // The copy is of the state before, and whole.
    let source = try BackupSource(copy)
    let manifest = try source.manifest()
    try source.verify(manifest)
    #expect(manifest.schemas["plumb.db"]?.hasPrefix(name) == true)
    // It goes on: what was sent before is recognized, and compaction changes no total.
    let scene = try AppScene()
    let pipeline = try Pipeline(try Installation.existing(folder.path), migrating: false, logger: scene.logger)
    try pipeline.maintain(now: try #require(Timestamp(iso: "2026-11-23T05:00:00Z")))
    pipeline.stop()
    #expect(try folder.reportNow().sessions == before.sessions)
  }

  @Test("so do folders of every schema between them", arguments: ["v001", "v008"])
  func between(name: String) throws {
    let steps = [
      ("plumb.db", Migrations.plumb), ("control.db", Migrations.control), ("journal.db", Migrations.journal),
      ("samples.db", Migrations.samples),
    ]
    let first = try #require(Migrations.plumb.firstIndex { $0.name.hasPrefix(name) }) + 1
    let diagnostics = try #require(Self.builds.first { $0.0 == name }).1
    for version in first + 1..<Migrations.plumb.count {
      let folder = try OldFolder(name)
      for (file, all) in steps {
        // The last database to change has the most migrations; the others are as far as they were about then.
        let wanted = all.prefix(max(1, version * all.count / Migrations.plumb.count))
        let path = folder.path + "/" + file
        let applied = try #require(try SQLFile.number("SELECT count(*) FROM migration", in: path))
        for (position, step) in wanted.enumerated() where position >= applied {
          try SQLFile.run(
            "BEGIN; \(step.sql); INSERT INTO migration VALUES (\(position), '\(step.name)'); COMMIT;", in: path)
        }
      }
      let before = try folder.report()
      try Installation.migrate(folder.path, copies: false)
      let after = try folder.reportNow()
      #expect(after == before, "plumb.db of \(Migrations.plumb[version - 1].name)")
      try check(after, diagnostics: diagnostics, folder.path)
    }
  }

  @Test(
    "a newer version's folder is refused by every database, and nothing is changed", arguments: DatabaseFile.allCases)
  func newer(database: DatabaseFile) throws {
    let folder = try OldFolder("v011")
    let path = folder.path + "/" + database.rawValue
    try SQLFile.run("INSERT INTO migration (position, name) VALUES (99, 'v099_later')", in: path)
    let bytes = FileManager.default.contents(atPath: path)
    #expect(throws: SchemaError.unknown(migration: "v099_later")) { try Installation.migrate(folder.path) }
    #expect(FileManager.default.contents(atPath: path) == bytes)
  }

  @Test("a folder is not migrated when its copy has no room, unless that is asked for")
  func withoutRoom() throws {
    let folder = try OldFolder("v008")
    // A file where the folder of copies would be.
    try Data().write(to: URL(fileURLWithPath: folder.path + "/copies"))
    let error = #expect(throws: BackupError.self) { try Installation.migrate(folder.path) }
    #expect(error?.description.contains("plumb migrate --without-copy") == true)
    #expect(throws: SchemaError.self) { try folder.reportNow() }
    try Installation.migrate(folder.path, copies: false)
    #expect(try folder.reportNow() == folder.report())
  }
}
