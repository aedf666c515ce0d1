import Foundation
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Recovery after a loss")
struct RedigestTests {
  private static let now = Date(timeIntervalSince1970: Double(AppScene.now.milliseconds) / 1000)

  private func remove(_ name: String, of path: String) throws {
    for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + "/" + name + end) {
      try FileManager.default.removeItem(atPath: path + "/" + name + end)
    }
  }

  private func total(_ scene: AppScene) throws -> Int { try scene.report().sessions.total }

  /// A scene with a backup of its first 30 sessions, and 20 more counted since.
  private func scene() throws -> (scene: AppScene, backup: BackupReader) {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(30))
    let target = scene.path + "/../backup-\(URL(fileURLWithPath: scene.path).lastPathComponent)"
    _ = try FolderBackup(scene.path).run(to: target, now: Self.now)
    // Batches of their own.
    for part in 0..<4 { try scene.fill(AppScene.sessions(5, prefix: "b\(part)-")) }
    return (scene, try BackupReader(URL(fileURLWithPath: target).standardizedFileURL.path))
  }

  @Test("plumb.db is rebuilt from a backup and the journal to the last record, and the old file is kept")
  func rebuilt() throws {
    let (scene, backup) = try scene()
    defer { try? FileManager.default.removeItem(atPath: backup.path) }
    let before = try scene.report()
    try remove("plumb.db", of: scene.path)
    try Data("garbage".utf8).write(to: URL(fileURLWithPath: scene.path + "/plumb.db"))
    #expect(FolderVerification.faults(of: scene.path).contains { $0.hasPrefix("plumb.db: ") })
    let done = try Redigest(scene.path).run(from: backup, acceptsLoss: false, logger: scene.logger)
    #expect((done.before, done.applied, done.lost) == (30, 50, 0))
    #expect(try scene.report() == before)
    #expect(FolderVerification.faults(of: scene.path) == [])
    #expect(try FileManager.default.contents(atPath: #require(done.kept)) == Data("garbage".utf8))
    try scene.fill(AppScene.sessions(5, prefix: "c"))
    #expect(try total(scene) == 55)
  }

  @Test("a gap between backup and journal is refused, or counted as lost with its true number on request")
  func gap() throws {
    let (scene, backup) = try scene()
    defer { try? FileManager.default.removeItem(atPath: backup.path) }
    // The journal was purged, say because the backup is old.
    try SQLFile.run(
      "DELETE FROM batch WHERE through <= (SELECT through FROM batch WHERE through > 30 ORDER BY through LIMIT 1)",
      in: scene.path + "/journal.db")
    let oldest = try #require(try SQLFile.number("SELECT min(first) FROM batch", in: scene.path + "/journal.db"))
    let error = #expect(throws: BackupError.self) {
      try Redigest(scene.path).run(from: backup, acceptsLoss: false, logger: scene.logger)
    }
    #expect(error?.description.contains("31–\(oldest - 1)") == true)
    #expect(try total(scene) == 50)
    let done = try Redigest(scene.path).run(from: backup, acceptsLoss: true, logger: scene.logger)
    #expect(done.lost == Int64(oldest - 31))
    #expect(try total(scene) == 50 - oldest + 31)
    let lost = try scene.installation.store().quarantine()
    #expect(lost.records.map(\.count) == [oldest - 31])
    let window = Window(days: 2, endingOn: AppScene.now.day() + 1)
    #expect(
      try scene.installation.store().tallies(of: 0, in: window).filter { $0.kind == .quarantined }.map(\.count)
        == [oldest - 31])
    // The incident says how many records there were, not how many gaps.
    let service = try AlertService(
      scene.installation, scene.installation.store(), BudgetRepository(scene.installation, file: nil),
      thresholds: .init(), publicURL: nil, channels: scene.settings("listen: 127.0.0.1:0").alerts())
    try service.evaluateFolder(now: WallClock.now())
    let open = try scene.installation.control.alertState(of: 0).open
    #expect(open.flatMap(\.breaches).map(\.evidence.summary).joined().hasPrefix("\(oldest - 31) record"))
  }

  @Test("numbers lost behind an emptied journal are an incident before the next record, and only one afterwards")
  func emptiedJournal() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(30))
    try SQLFile.run("DELETE FROM batch", in: scene.path + "/journal.db")
    try remove("plumb.db", of: scene.path)
    func summary() throws -> String {
      let service = try AlertService(
        scene.installation, scene.installation.store(), BudgetRepository(scene.installation, file: nil),
        thresholds: .init(), publicURL: nil, channels: scene.settings("listen: 127.0.0.1:0").alerts())
      try service.evaluateFolder(now: WallClock.now())
      return try scene.installation.control.alertState(of: 0).open.flatMap(\.breaches).map(\.evidence.summary).joined()
    }
    #expect(try summary().hasPrefix("30 records"))
    try scene.fill(AppScene.sessions(1, prefix: "later"))
    #expect(try summary().hasPrefix("30 records"))
    #expect(try total(scene) == 1)
  }

  @Test("without a backup the journal is enough if it goes back to the first record, and otherwise refused")
  func journalAlone() throws {
    let scene = try AppScene()
    for part in ["a", "b", "c"] { try scene.fill(AppScene.sessions(10, prefix: part)) }
    let before = try scene.report()
    try remove("plumb.db", of: scene.path)
    let done = try Redigest(scene.path).run(from: nil, acceptsLoss: false, logger: scene.logger)
    #expect(done.kept == nil && done.applied == 30)
    #expect(try scene.report() == before)
    try SQLFile.run(
      "DELETE FROM batch WHERE through = (SELECT min(through) FROM batch)", in: scene.path + "/journal.db")
    #expect(throws: BackupError.self) {
      try Redigest(scene.path).run(from: nil, acceptsLoss: false, logger: scene.logger)
    }
  }

  @Test("a backup of another folder is refused, and so is a folder that a process digests")
  func refused() throws {
    let (scene, backup) = try scene()
    defer { try? FileManager.default.removeItem(atPath: backup.path) }
    let other = try AppScene()
    try other.fill(AppScene.sessions(3))
    let error = #expect(throws: BackupError.self) {
      try Redigest(other.path).run(from: backup, acceptsLoss: true, logger: other.logger)
    }
    #expect(error?.description.contains("another data folder") == true)
    let pipeline = try scene.pipeline()
    #expect(throws: FolderInUse.self) {
      try Redigest(scene.path).run(from: backup, acceptsLoss: false, logger: scene.logger)
    }
    pipeline.stop()
  }

  @Test("an older plumb.db is brought up to the journal, and an older journal next to newer numbers is reported")
  func older() throws {
    for name in ["plumb.db", "journal.db"] {
      let (scene, backup) = try scene()
      defer { try? FileManager.default.removeItem(atPath: backup.path) }
      try remove(name, of: scene.path)
      try FileManager.default.copyItem(atPath: backup.path + "/" + name, toPath: scene.path + "/" + name)
      try scene.fill(AppScene.sessions(5, prefix: "c"))
      #expect(try total(scene) == 55, "\(name)")
      let isSaid = scene.log.lines.contains {
        $0.contains("is older than plumb.db, which was digested through record 50")
      }
      #expect(isSaid == (name == "journal.db"))
      #expect(try scene.installation.store().quarantine().records.count == (name == "journal.db" ? 1 : 0))
      // Said once: afterwards they fit together.
      try scene.fill(AppScene.sessions(5, prefix: "d"))
      #expect(try scene.installation.store().quarantine().records.count == (name == "journal.db" ? 1 : 0))
      #expect(FolderVerification.faults(of: scene.path) == [])
    }
  }

  @Test("the loss of a journal next to numbers is reported, and the numbers stay")
  func lostJournal() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(30))
    try remove("journal.db", of: scene.path)
    try scene.fill(AppScene.sessions(5, prefix: "c"))
    #expect(try total(scene) == 35)
    #expect(scene.log.lines.contains { $0.hasPrefix("warning journal.db is missing") })
  }

  @Test(
    "a damaged samples.db or symbols folder is moved away, and numbers continue", arguments: ["samples.db", "symbols"])
  func movedAway(name: String) throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(3))
    try remove(name, of: scene.path)
    _ = try scene.write("neither a database nor a folder", to: name)
    #expect(try AutomaticBackups(scene.installation.folder).makeBeforeMigration(now: Self.now) == nil)
    try scene.fill(AppScene.sessions(5, prefix: "c"))
    #expect(try total(scene) == 8)
    if name == "symbols" {
      _ = try scene.installation.usableSymbols(scene.settings("listen: 127.0.0.1:0"), scene.logger)
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: scene.path).first {
      $0.hasPrefix(name + ".damaged-")
    }
    #expect(
      FileManager.default.contents(atPath: scene.path + "/" + (kept ?? ""))
        == Data("neither a database nor a folder".utf8))
    #expect(scene.log.lines.contains { $0.hasPrefix("error ") && $0.contains("was moved to") })
  }

  @Test("a batch of the journal with a broken frame is quarantined with its bytes, and its neighbours are counted")
  func brokenBatch() throws {
    let scene = try AppScene()
    for part in ["a", "b", "c"] { try scene.fill(AppScene.sessions(4, prefix: part)) }
    let file = scene.path + "/journal.db"
    let broken = try #require(try SQLFile.number("SELECT count FROM batch ORDER BY through LIMIT 1", in: file))
    try SQLFile.run(
      """
      UPDATE batch SET records = x'28b52ffd00112233445566' WHERE through = (SELECT min(through) FROM batch);
      UPDATE batch SET first = 'x', count = 'y', dictionary = 77 WHERE through = (SELECT max(through) FROM batch);
      """, in: file)
    #expect(FolderVerification.faults(of: scene.path).filter { $0.hasPrefix("journal.db: ") }.count == 2)
    try remove("plumb.db", of: scene.path)
    try scene.fill(AppScene.sessions(5, prefix: "d"))
    // The numbers of the last batch follow from the one before it.
    #expect(try total(scene) == 17 - broken)
    let lost = try scene.installation.store().quarantine().records
    #expect(lost.map(\.count) == [broken])
    #expect(lost.map(\.record) == [[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]])
  }

  @Test("the server keeps the configured number of nightly copies, one per day, and plumb.db is rebuilt from them")
  func nightly() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(10))
    let copies = AutomaticBackups(scene.installation.folder)
    for day in 0..<4 {
      let now = Self.now.addingTimeInterval(Double(day) * 86_400)
      #expect(try copies.makeNightly(keeping: 2, now: now) != nil)
      #expect(try copies.makeNightly(keeping: 2, now: now) == nil)
    }
    #expect(try copies.all().count == 2)
    #expect(try copies.all().allSatisfy { $0.manifest.files.map(\.path).sorted() == ["control.db", "plumb.db"] })
    try scene.fill(AppScene.sessions(5, prefix: "c"))
    try remove("plumb.db", of: scene.path)
    let done = try Redigest(scene.path).run(from: nil, acceptsLoss: false, logger: scene.logger)
    #expect((done.before, done.applied) == (10, 15))
    #expect(try total(scene) == 15)
  }

  @Test("an app with damaged rows is judged by its other rows in the same run, and other apps' incidents are unchanged")
  func judged() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(400, crashed: 40, started: AppScene.ago(days: 3)))
    try scene.fill(AppScene.sessions(10, prefix: "b", started: AppScene.ago(days: 1)))
    // The rows of the later day.
    for table in ["marginal", "daily"] {
      try SQLFile.run(
        "UPDATE \(table) SET body = x'ffff' WHERE start >= (SELECT max(start) FROM daily)", in: scene.path + "/plumb.db"
      )
    }
    let service = try AlertService(
      scene.installation, scene.installation.store(), BudgetRepository(scene.installation, file: nil),
      thresholds: .init(), publicURL: nil, channels: scene.settings("listen: 127.0.0.1:0").alerts())
    service.evaluateAll(now: AppScene.now) { Issue.record("\($0)") }
    let open = try scene.installation.control.alertState(of: scene.app.id).open
    #expect(open.flatMap(\.breaches).contains { $0.key.subject.contains("crash_free") }, "\(open.map(\.key))")
    #expect(try scene.installation.store().quarantine().count > 0)
  }
}
