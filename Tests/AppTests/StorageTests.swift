import Foundation
import Testing

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Disk usage and retention")
struct StorageTests {
  @Test("retention is a setting per kind with limits, and today's values are the defaults")
  func settings() throws {
    let scene = try AppScene()
    #expect(try scene.settings("listen: 127.0.0.1:1\n").retention() == Retention())
    let chosen = try scene.settings("keep-fine: 14d\nkeep-daily: 800d\nkeep-journal: 10d\nsessions-limit: 90000000\n")
      .retention()
    #expect(chosen.fine == 14 && chosen.daily == 800 && chosen.journal == 10 && chosen.sessions == 14)
    #expect(chosen.mostSessions == 90_000_000)
    for wrong in [
      "keep-fine: 3d", "keep-daily: 12h", "keep-journal: 0d", "keep-sessions: 90d", "keep-fine: 300d\nkeep-daily: 200d",
      "sessions-limit: 0",
    ] {
      #expect(throws: UsageError.self, "\(wrong)") { try scene.settings(wrong + "\n").retention() }
    }
  }

  @Test("pruning returns deleted pages to the file system, even in a file from older versions")
  func prune() throws {
    let scene = try AppScene()
    let old = AppScene.ago(days: 20)
    try scene.fill(AppScene.sessions(3000, prefix: "old", started: old), at: old)
    // As a version before auto_vacuum made it, once the connections of the pipeline are closed.
    let files = [scene.installation.folder.plumb, scene.installation.folder.journal]
    let older = "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM; PRAGMA journal_mode = WAL"
    for file in files {
      let deadline = Date().addingTimeInterval(60)
      while try scene.sqlite(file, "PRAGMA auto_vacuum") != ["0"], Date() < deadline {
        do { try scene.sqlite(file, older) } catch { usleep(100_000) }
      }
      #expect(try scene.sqlite(file, "PRAGMA auto_vacuum") == ["0"])
    }
    func size(_ file: String) throws -> Int {
      try #require((FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue)
    }
    let before = (try size(scene.installation.folder.plumb), try size(scene.installation.folder.journal))
    let settings = try scene.settings("free-space: 1\n")
    _ = try RetentionPruning.run(scene.installation, settings, logger: scene.logger)
    let after = (try size(scene.installation.folder.plumb), try size(scene.installation.folder.journal))
    #expect(after.0 < before.0 * 3 / 4 && after.1 < before.1 * 3 / 4, "\(before) → \(after)")
    for file in files {
      #expect(try scene.sqlite(file, "PRAGMA auto_vacuum") == ["2"])
      #expect(try scene.sqlite(file, "PRAGMA freelist_count") == ["0"])
      #expect(try scene.sqlite(file, "PRAGMA integrity_check") == ["ok"])
    }
    #expect(try scene.report().sessions.total == 3000, "the numbers stay")
  }

  @Test("every database of a new folder can return free space")
  func new() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(1))
    let folder = scene.installation.folder
    for file in [folder.plumb, folder.journal, folder.samples] {
      #expect(try scene.sqlite(file, "PRAGMA auto_vacuum") == ["2"], "\(file)")
    }
  }

  @Test("each kind of storage has size, rows, oldest day and setting, and the sizes add up to the folder")
  func kinds() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(50))
    let names = ["plumb.db", "journal.db", "samples.db", "control.db"]
    // Pages in the log are counted where they belong, and not in the log once more.
    for name in names { try scene.sqlite(scene.path + "/" + name, "PRAGMA wal_checkpoint(TRUNCATE)") }
    let report = try StorageReport(scene.installation, try scene.settings("keep-sessions: 20d\n"))
    let sessions = try #require(report.kinds.first { $0.name == "sessions" })
    #expect(sessions.rows == 50 && sessions.bytes > 0 && sessions.setting == "keep-sessions: 20d")
    #expect(sessions.oldest == AppScene.now.day())
    #expect(report.kinds.map(\.name).starts(with: ["fine", "daily", "sessions", "diagnostics", "samples", "journal"]))
    let files = names.reduce(0) { sum, name in
      sum
        + ["", "-wal", "-shm"].reduce(0) { sum, suffix in
          let path = scene.path + "/" + name + suffix
          return sum + (((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
    let sum = report.kinds.reduce(0) { $0 + $1.bytes }
    #expect(abs(sum - files) < files / 5, "\(sum) of \(files)")
  }

  @Test("a shorter retention deletes rows at once, and queries for them are refused; a longer one grows day by day")
  func shorter() throws {
    let scene = try AppScene()
    for days in [20, 1] {
      let then = AppScene.ago(days: days)
      try scene.fill(AppScene.sessions(5, prefix: "d\(days)", started: then), at: then)
    }
    func cells() throws -> String? {
      try scene.sqlite(scene.installation.folder.plumb, "SELECT count(*) FROM (SELECT DISTINCT start / 1440 FROM cell)")
        .first
    }
    #expect(try cells() == "2")
    _ = try RetentionPruning.run(
      scene.installation, try scene.settings("keep-fine: 7d\nfree-space: 1\n"), logger: scene.logger)
    #expect(try cells() == "1")
    let kept = "SELECT days FROM retention WHERE kind = 'fine'"
    #expect(try scene.sqlite(scene.installation.folder.plumb, kept) == ["7"])
    _ = try RetentionPruning.run(
      scene.installation, try scene.settings("keep-fine: 30d\nfree-space: 1\n"), logger: scene.logger)
    #expect(try scene.sqlite(scene.installation.folder.plumb, kept) == ["7"], "what is gone does not come back")
  }
}
