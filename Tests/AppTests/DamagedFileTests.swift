import Foundation
import Testing

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// Pages of databases overwritten with garbage, what `/readyz` says of it, and what it says to do.
@Suite("Damaged pages")
struct DamagedFileTests {
  /// Overwrites the leaves of a table, and of its indexes, of a database that nobody uses.
  private func damage(_ name: String, _ table: String, of scene: AppScene) throws {
    let path = scene.path + "/" + name
    try scene.sqlite(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let pages = try scene.sqlite(
      path,
      """
      SELECT pageno FROM dbstat WHERE pagetype = 'leaf'
      AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name = '\(table)')
      """
    ).compactMap { UInt64($0) }
    try #require(pages.count > 1)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    for page in pages {
      try file.seek(toOffset: (page - 1) * 4096)
      try file.write(contentsOf: Data((0..<4096).map { _ in UInt8.random(in: 0...255) }))
    }
    try file.close()
  }

  private func move(_ name: String, of scene: AppScene) throws {
    for end in ["", "-wal", "-shm"] {
      let path = scene.path + "/" + name + end
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
      }
    }
  }

  @Test("a journal with damaged pages is not ready, whatever succeeds afterwards, and the server continues without it")
  func journal() throws {
    let scene = try AppScene()
    let pipeline = try scene.pipeline()
    #expect(try scene.send(AppScene.sessions(900), to: pipeline, isKeyed: true) == [])
    pipeline.stop()
    try damage("journal.db", "receipt", of: scene)
    #expect(try DataFolderDatabase.damage(at: scene.path + "/journal.db") != nil)
    let broken = try scene.pipeline()
    #expect(try scene.send(AppScene.sessions(1, prefix: "x"), to: broken, isKeyed: true) != [])
    // Without a key it is taken.
    #expect(try scene.send(AppScene.sessions(1, prefix: "y"), to: broken) == [])
    #expect(broken.readiness.faults(isDigesting: true).contains { $0.contains("journal.db is damaged") })
    broken.readiness.note(nil, of: .journal)
    let watch = IntegrityWatch(broken.readiness, scene.installation.folder, DataFolderDatabase.allCases)
    PeriodicTask("test", every: 5, clock: { AppScene.now }, scene.logger, work: watch.look).run()
    // Something that succeeds does not end it.
    broken.readiness.succeeded(.journal)
    let faults = broken.readiness.faults(isDigesting: true)
    #expect(faults.contains { $0.contains("journal.db is damaged") && $0.contains("move journal.db") }, "\(faults)")
    #expect(scene.log.lines.contains { $0.hasPrefix("error journal.db is damaged") })
    broken.stop()
    // What it says to do.
    try move("journal.db", of: scene)
    let whole = try scene.pipeline()
    #expect(try scene.send(AppScene.sessions(50, prefix: "b"), to: whole, isKeyed: true) == [])
    whole.stop()
    #expect(whole.readiness.faults(isDigesting: true) == [])
    #expect(try scene.report().sessions.total == 951)
  }

  @Test(
    "a database that cannot be opened stops the start with instructions", arguments: DataFolderDatabase.allCases)
  func start(file: DataFolderDatabase) throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(20))
    let path = scene.path + "/" + file.rawValue
    try scene.sqlite(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.write(contentsOf: Data(repeating: 0xff, count: 8192))
    try handle.close()
    func serve() throws {
      let options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
      do {
        let settings = try scene.settings("listen: 127.0.0.1:0\n")
        try PlumbServer(scene.path, settings, options, logger: scene.logger).stop()
      } catch {
        throw Installation.advised(error, in: scene.path)
      }
    }
    // Begun anew, because numbers do not need it.
    if file == .samples { return try serve() }
    let error = #expect(throws: UserFacingError.self) { try serve() }
    #expect(error?.description.contains("\(file.rawValue) is damaged") == true, "\(String(describing: error))")
    #expect(error?.description.contains(file.remedy) == true)
  }

  @Test("a file that is removed while the server runs is a fault")
  func removed() throws {
    let scene = try AppScene()
    let pipeline = try scene.pipeline()
    defer { pipeline.stop() }
    let watch = IntegrityWatch(pipeline.readiness, scene.installation.folder, DataFolderDatabase.allCases)
    try FileManager.default.moveItem(atPath: scene.path + "/journal.db", toPath: scene.path + "/away")
    PeriodicTask("test", every: 5, clock: { AppScene.now }, scene.logger, work: watch.look).run()
    #expect(
      pipeline.readiness.faults(isDigesting: true).contains { $0.hasPrefix("journal.db was removed or replaced") })
  }

  @Test("an error of a damaged file remains its fault until a check of its pages finds none; samples.db only warns")
  func sticky() throws {
    let scene = try AppScene()
    let readiness = Readiness(scene.logger, clock: { AppScene.now })
    for file in [DataFolderDatabase.control, .plumb, .journal] {
      readiness.note("page 7 is garbage", of: file)
      #expect(
        readiness.faults(isDigesting: true).contains {
          $0.hasPrefix("\(file.rawValue) is damaged: page 7 is garbage. ")
        })
      readiness.note(nil, of: file)
      #expect(readiness.faults(isDigesting: true) == [])
    }
    readiness.note("page 7 is garbage", of: .samples)
    #expect(readiness.faults(isDigesting: true) == [] && readiness.warnings.count == 1)
  }

  @Test("a plumb.db lost behind a purged journal is reported by the log and by verify, before and after it is counted")
  func lostNumbers() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(20))
    try scene.fill(AppScene.sessions(5, prefix: "b"))
    #expect(FolderVerification.faultsAndNotes(of: scene.path) == [])
    try scene.sqlite(
      scene.installation.folder.journal, "DELETE FROM batch WHERE through < (SELECT max(through) FROM batch)")
    try move("plumb.db", of: scene)
    let before = FolderVerification.faultsAndNotes(of: scene.path)
    #expect(
      before.contains { $0.contains("file is missing") } && before.contains { $0.contains("are neither in") },
      "\(before)"
    )
    try scene.fill(AppScene.sessions(1, prefix: "c"))
    let warning = try #require(scene.log.lines.first { $0.contains("plumb.db is missing") })
    #expect(warning.contains("no longer in journal.db") && warning.contains("plumb redigest"))
    #expect(try scene.installation.store().quarantine().count > 0)
    let after = FolderVerification.faultsAndNotes(of: scene.path)
    #expect(after.contains { $0.contains("were lost from the journal") }, "\(after)")
    // It is said when it is found, and not at every start.
    let lines = scene.log.lines.count
    try scene.fill([])
    #expect(!scene.log.lines.dropFirst(lines).contains { $0.contains("is missing") || $0.contains("no longer") })
  }
}

extension FolderVerification {
  fileprivate static func faultsAndNotes(of path: String) -> [String] {
    (try? FolderVerification(path).run().flatMap { $0.faults + $0.notes }) ?? ["unreadable"]
  }
}
