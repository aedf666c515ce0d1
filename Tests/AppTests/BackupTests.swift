import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Analysis
@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Backup and restore")
struct BackupTests {
  private static let now = Date(timeIntervalSince1970: Double(AppScene.now.milliseconds) / 1000)

  /// A folder beside the scene's for what a test makes, deleted with it.
  private func place(_ scene: AppScene, _ name: String) throws -> String {
    let folder = scene.path + "/../backup-\(URL(fileURLWithPath: scene.path).lastPathComponent)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return URL(fileURLWithPath: folder + "/" + name).standardizedFileURL.path
  }

  private func discard(_ scene: AppScene) {
    try? FileManager.default.removeItem(
      atPath: scene.path + "/../backup-\(URL(fileURLWithPath: scene.path).lastPathComponent)")
  }

  private func report(of path: String) throws -> [UInt8] {
    let installation = try Installation.existing(path)
    let app = try installation.app(AppScene.app)
    return try installation.read(app, budgets: nil) { try $0.report(app, now: AppScene.now).json() }
  }

  private func withoutPosition(_ report: [UInt8]) -> String {
    String(decoding: report, as: UTF8.self).replacing(/"digested_through":\d+/, with: "")
  }

  private static let uuid = "4C4C44E455553144A1B2C3D4E5F60718"
  private static let symbols = "symbols/4C/\(uuid).macho"

  private func fillFiles(of scene: AppScene) throws {
    _ = try scene.write("budgets:\n  - sessions.crash_free >= 97%\n", to: "budgets/com.example.shop.yaml")
    _ = try scene.write("symbols, as they were uploaded", to: Self.symbols)
  }

  @Test(
    "a backup under load contains each payload completely or not, and after resending reports have equal bytes",
    arguments: ["backup", "backup.tar"])
  func drill(name: String) throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try fillFiles(of: scene)
    let pipeline = try scene.pipeline()
    let first = AppScene.sessions(40, crashed: 3)
    #expect(try scene.send(first, to: pipeline, isKeyed: true) == [])
    let isEnding = Mutex(false)
    let sent = Mutex(first)
    let ended = DispatchSemaphore(value: 0)
    let load = Thread {
      var round = 0
      while !isEnding.withLock({ $0 }) {
        let bodies = AppScene.sessions(5, crashed: round % 2, prefix: "load\(round)-")
        sent.withLock { $0 += bodies }
        if (try? scene.send(bodies, to: pipeline, isKeyed: true)) != [] { Issue.record("a payload was refused") }
        round += 1
      }
      ended.signal()
    }
    load.start()
    let target = try place(scene, name)
    let seen = Mutex(0)
    let made = try FolderBackup(scene.path).run(to: target, now: Self.now) { done, total in
      seen.withLock { last in
        #expect(done >= last && done <= total)
        last = done
      }
    }
    isEnding.withLock { $0 = true }
    ended.wait()
    pipeline.stop()
    let expected = try report(of: scene.path)
    #expect(made.lastRecord >= 40)
    #expect(made.leftOut == [])
    #expect(
      Set(made.files.map(\.path)).isSuperset(of: [
        "plumb.db", "journal.db", "control.db", "samples.db", "secret", "budgets/com.example.shop.yaml", Self.symbols,
      ]))
    let restored = try place(scene, "restored")
    #expect(try FolderRestore(from: try BackupReader(target), to: restored).run() == made)
    for name in ["secret", "budgets/com.example.shop.yaml", Self.symbols] {
      let bytes = FileManager.default.contents(atPath: scene.path + "/" + name)
      #expect(FileManager.default.contents(atPath: restored + "/" + name) == bytes)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: restored) + [""] {
      let mode = try FileManager.default.attributesOfItem(atPath: restored + "/" + name)[.posixPermissions] as? Int
      #expect((mode ?? 0o777) & 0o077 == 0, "\(name)")
    }
    // What the backup has is recognized by its keys; the rest is counted.
    let again = try Pipeline(try Installation.existing(restored), migrating: false, logger: scene.logger)
    #expect(try scene.send(sent.withLock { $0 }, to: again, isKeyed: true) == [])
    again.stop()
    // The number of the last record differs: that repeats were recognized is a record, too.
    #expect(try withoutPosition(report(of: restored)) == withoutPosition(expected))
    // They are none, as verify says.
    let faults = FolderVerification.faults(of: restored)
    #expect(faults.count == 1 && faults.allSatisfy { $0.hasPrefix("symbols: \(Self.uuid): its file is damaged") })
  }

  @Test("a folder and its restored backup give reports with equal bytes", arguments: ["backup", "backup.tar"])
  func equalReports(name: String) throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(40, crashed: 3))
    let target = try place(scene, name)
    _ = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let before = try report(of: scene.path)
    _ = try FolderRestore(from: try BackupReader(target), to: try place(scene, "restored")).run()
    #expect(try report(of: place(scene, "restored")) == before)
  }

  @Test("a second backup into the same folder replaces the first, and links unchanged symbols")
  func incremental() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try fillFiles(of: scene)
    let target = try place(scene, "backup")
    _ = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let symbols = target + "/" + Self.symbols
    let first = try FileManager.default.attributesOfItem(atPath: symbols)[.systemFileNumber] as? Int
    _ = try scene.write("budgets:\n  - sessions.crash_free >= 96.5%\n", to: "budgets/com.example.shop.yaml")
    let made = try FolderBackup(scene.path).run(to: target, now: Self.now)
    #expect(try FileManager.default.attributesOfItem(atPath: symbols)[.systemFileNumber] as? Int == first)
    #expect(try BackupReader(target).manifest() == made)
    try BackupReader(target).verify(made)
    #expect(FileManager.default.contents(atPath: target + "/budgets/com.example.shop.yaml")?.count == 42)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place(scene, "")) == ["backup"])
  }

  @Test("during a restore, or after a killed one, the folder cannot be used, and only one restore runs")
  func lockedOut() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(5))
    let target = try place(scene, "backup")
    _ = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let restored = try place(scene, "restored")
    try FileManager.default.createDirectory(atPath: restored + "/.restoring", withIntermediateDirectories: true)
    #expect(throws: UserFacingError.self) { try Installation.creating(restored) }
    let lock = try FolderLock(path: restored + "/serve.lock")
    #expect(throws: FolderInUse.self) { try FolderRestore(from: try BackupReader(target), to: restored).run() }
    #expect(FileManager.default.fileExists(atPath: restored + "/.restoring"), "another's work was removed")
    withExtendedLifetime(lock) {}
    // What was left of a restore that was killed is no hindrance.
    let next = try place(scene, "next")
    try FileManager.default.createDirectory(atPath: next + "/.restoring", withIntermediateDirectories: true)
    _ = try FolderRestore(from: try BackupReader(target), to: next).run()
    #expect(try report(of: next) == report(of: scene.path))
    #expect(throws: FolderInUse.self) {
      // A prune beside a server that has ended since, for one.
      let lock = try FolderLock(path: next + "/use.lock", isShared: true)
      defer { withExtendedLifetime(lock) {} }
      try Installation.migrate(next)
    }
    let locks = try FolderLock.all(of: DataFolder(next))
    #expect(throws: FolderInUse.self) {
      try Pipeline(try Installation.existing(next), migrating: false, logger: scene.logger)
    }
    withExtendedLifetime(locks) {}
  }

  @Test("a lock ends when it is released, also if a child of the process still has a copy of its descriptor")
  func lockOfChild() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    let path = scene.path + "/child.lock"
    var lock = try FolderLock(path: path)
    #expect(lock != nil)
    #expect(try FolderLock(path: path) == nil)
    let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    lock = nil
    #expect(try FolderLock(path: path) != nil)
  }

  @Test("a backup that is unfinished or has one different byte is not restored")
  func damaged() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(5))
    let target = try place(scene, "backup")
    _ = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let file = try #require(FileHandle(forUpdatingAtPath: target + "/journal.db"))
    try file.seek(toOffset: 5000)
    try file.write(contentsOf: Data([0xff, 0x00, 0xff]))
    try file.close()
    let restored = try place(scene, "restored")
    #expect(throws: BackupError.self) { try FolderRestore(from: try BackupReader(target), to: restored).run() }
    // The locks that kept others out are files.
    #expect(try FileManager.default.contentsOfDirectory(atPath: restored).allSatisfy { $0.hasSuffix(".lock") })
    try FileManager.default.removeItem(atPath: target + "/manifest.json")
    let error = #expect(throws: BackupError.self) {
      try FolderRestore(from: try BackupReader(target), to: restored).run()
    }
    #expect(error?.description.contains("not a complete backup") == true)
  }

  @Test("a restore overwrites nothing, and a path in a manifest cannot lead outside")
  func refusals() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(5))
    let target = try place(scene, "backup")
    var made = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let error = #expect(throws: BackupError.self) {
      try FolderRestore(from: try BackupReader(target), to: scene.path).run()
    }
    #expect(error?.description.contains("is not empty") == true)
    #expect(throws: BackupError.self) { try FolderBackup(scene.path).run(to: scene.path, now: Self.now) }
    made.files[0].path = "../plumb.db"
    try made.encoded().write(to: URL(fileURLWithPath: target + "/manifest.json"))
    #expect(throws: BackupError.self) { try BackupReader(target).manifest() }
    made.format = 2
    try made.encoded().write(to: URL(fileURLWithPath: target + "/manifest.json"))
    let newer = #expect(throws: BackupError.self) { try BackupReader(target).manifest() }
    #expect(newer?.description.contains("newer version") == true)
  }

  @Test("a backup with databases of a newer version is refused")
  func newerSchema() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(5))
    try SQLFile.run("INSERT INTO migration (position, name) VALUES (99, 'v099_later')", in: scene.path + "/plumb.db")
    let error = #expect(throws: SchemaError.self) {
      try FolderBackup(scene.path).run(to: try place(scene, "backup"), now: Self.now)
    }
    #expect(error == .unknown(migration: "v099_later"))
  }

  @Test("a backup that does not fit on its disk does not start")
  func withoutRoom() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    // A file without blocks that is larger than the disk.
    let symbols = try scene.write("", to: Self.symbols)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: symbols))
    let size = try FreeSpace.of(scene.path).total + (1 << 30)
    try file.truncate(atOffset: UInt64(size))
    try file.close()
    let target = try place(scene, "backup")
    let error = #expect(throws: BackupError.self) { try FolderBackup(scene.path).run(to: target, now: Self.now) }
    #expect(error?.description.contains("Use another disk") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place(scene, "")) == [])
  }

  @Test("a damaged samples.db is named and left out, and the rest is restored")
  func samplesLeftOut() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try scene.fill(AppScene.sessions(5))
    // New files, in case a connection is still being closed.
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scene.path + "/samples.db" + end) }
    try Data("no database at all, of some length".utf8).write(to: URL(fileURLWithPath: scene.path + "/samples.db"))
    let made = try FolderBackup(scene.path).run(to: try place(scene, "backup"), now: Self.now)
    #expect(made.leftOut.map(\.path) == ["samples.db"])
    #expect(made.files.map(\.path).contains("plumb.db"))
  }

  @Test("an archive of a backup can be read by tar")
  func tar() throws {
    let scene = try AppScene()
    defer { discard(scene) }
    try fillFiles(of: scene)
    try scene.fill(AppScene.sessions(5))
    let target = try place(scene, "backup.tar")
    let made = try FolderBackup(scene.path).run(to: target, now: Self.now)
    let listed = try Program.text("/usr/bin/tar", ["-tf", target]).split(separator: "\n").map(String.init)
    #expect(listed == made.files.map(\.path) + ["manifest.json"])
    let secret = try Program.text("/usr/bin/tar", ["-xOf", target, "budgets/com.example.shop.yaml"])
    #expect(secret == "budgets:\n  - sessions.crash_free >= 97%\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place(scene, "")) == ["backup.tar"])
  }
}

extension FolderVerification {
  /// All faults of a folder.
  static func faults(of path: String) -> [String] {
    (try? FolderVerification(path).run().flatMap { part in part.faults.map { "\(part.name): \($0)" } }) ?? ["no folder"]
  }
}
