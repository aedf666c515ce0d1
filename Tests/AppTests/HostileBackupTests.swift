import Foundation
import Testing
import TestSupport

@testable import App
@testable import SQLiteStore

/// Backups that somebody has changed: each is restored, verified or refused with an error, and none ends the process.
///
/// `PLUMB_FUZZ=1000000 swift test --filter HostileBackupTests` tries more of them.
@Suite("Hostile backups")
struct HostileBackupTests {
  private static let numbers = [
    "0", "-1", "1e400", "1.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "null", "\"\"",
    "[]",
    "18446744073709551616", "4611686018427387904",
  ]
  private static let paths = [
    "../out", "/etc/passwd", "symbols/../../out", "symbols/./a", "symbols//a", "control.db\\u0000x", "a\\nb.db", "",
    ".",
    "symbols/\\u001b[2J", "budgets/a/b/c/d/e", "control.db",
  ]

  /// Changes some bytes, numbers or names of a manifest.
  private static func mutated(manifest: Data, _ dice: inout SeededRandom) -> Data {
    var text = String(decoding: manifest, as: UTF8.self)
    for _ in 0..<Int.random(in: 1...3, using: &dice) {
      switch Int.random(in: 0..<4, using: &dice) {
      case 0:
        let fields = Array(text.matches(of: /: -?[0-9]+/))
        guard let field = fields.randomElement(using: &dice), let number = numbers.randomElement(using: &dice) else {
          break
        }
        text.replaceSubrange(field.range, with: ": " + number)
      case 1:
        let fields = Array(text.matches(of: /"path": "[^"]*"/))
        guard let field = fields.randomElement(using: &dice), let path = paths.randomElement(using: &dice) else {
          break
        }
        text.replaceSubrange(field.range, with: "\"path\": \"\(path)\"")
      case 2: text = String(text.prefix(Int.random(in: 0...text.count, using: &dice)))
      default: return mutated(bytes: Data(text.utf8), &dice)
      }
    }
    return Data(text.utf8)
  }

  /// Overwrites, removes or repeats bytes.
  private static func mutated(bytes: Data, _ dice: inout SeededRandom) -> Data {
    var bytes = [UInt8](bytes)
    for _ in 0..<Int.random(in: 1...8, using: &dice) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &dice)
      switch Int.random(in: 0..<8, using: &dice) {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + 700))
      case 1: bytes += bytes[place...].prefix(1024)
      case 2: bytes[place] = [0, 0x7f, 0x80, 0xff, 0x2d, 0x20].randomElement(using: &dice) ?? 0
      default: bytes[place] = UInt8.random(in: 0...255, using: &dice)
      }
    }
    return Data(bytes)
  }

  /// A file of an archive with any text as its size. The checksum is right, unless it is changed afterwards.
  private static func file(_ name: String, _ content: Data, size: [UInt8]? = nil, type: UInt8 = 48) -> Data {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ bytes: some Collection<UInt8>, at start: Int) {
      for (index, byte) in bytes.enumerated() { block[start + index] = byte }
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name.utf8.prefix(100), at: 0)
    put("0000600\u{0}".utf8, at: 100)
    put((size ?? Array(octal(content.count, 11).utf8)).prefix(12), at: 124)
    put("00000000000".utf8, at: 136)
    put("        ".utf8, at: 148)
    block[156] = type
    put("ustar\u{0}00".utf8, at: 257)
    put((octal(block.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ").utf8, at: 148)
    return Data(block) + content + Data(count: (512 - content.count % 512) % 512)
  }

  private static let sizes: [[UInt8]] = [
    Array("77777777777".utf8), Array("-0000000001".utf8), Array("+0000000001".utf8), Array("00000000008".utf8), [],
    [0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255], [0x80, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255],
    [0xff, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
    [0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 254, 0],
  ]

  /// Reads the backup at `path` as `verify` and `restore` do. Errors are what is expected.
  private static func read(_ path: String, restoring target: String? = nil) {
    do {
      let source = try BackupReader(path)
      let manifest = try source.manifest()
      _ = (manifest.size, manifest.waiting)
      try source.verify(manifest)
      if let target { _ = try FolderRestore(from: source, to: target).run() }
    } catch {
      #expect(!"\(error)".isEmpty)
    }
    if let target { try? FileManager.default.removeItem(atPath: target) }
  }

  @Test("manifests and archives with any change are read or refused")
  func mutations() throws {
    try withFolder { folder in try Self.mutations(in: folder) }
  }

  private static func mutations(in folder: String) throws {
    let secret = Data(repeating: 7, count: 32)
    let secretFile = folder + "/secret"
    try secret.write(to: URL(fileURLWithPath: secretFile))
    let entry = BackupManifest.Entry(
      path: "secret", size: 32, sha256: try FileChecksum.sha256(secretFile), modified: 1_700_000_000)
    let manifest = BackupManifest(
      made: "2026-11-24T00:00:00Z", node: "aa", watermark: 3, lastRecord: 5, schemas: [:],
      files: [entry, BackupManifest.Entry(path: "budgets/a.yaml", size: 0, sha256: "", modified: 0)],
      leftOut: [BackupManifest.Omission(path: "samples.db", reason: "damaged")])
    let written = try manifest.encoded()
    let seed = UInt64(ProcessInfo.processInfo.environment["PLUMB_FUZZ_SEED"] ?? "") ?? 1
    let rounds = Int(ProcessInfo.processInfo.environment["PLUMB_FUZZ"] ?? "") ?? 4_000
    var dice = SeededRandom(seed: seed)
    let path = folder + "/b.tar"
    for round in 0..<rounds {
      let text = round % 2 == 0 ? Self.mutated(manifest: written, &dice) : written
      var archive =
        Self.file("secret", secret, size: round % 5 == 0 ? Self.sizes.randomElement(using: &dice) : nil)
        + Self.file("budgets/a.yaml", Data())
        + Self.file(
          BackupManifest.fileName, text, size: round % 7 == 0 ? Self.sizes.randomElement(using: &dice) : nil,
          type: round % 11 == 0 ? UInt8.random(in: 0...255, using: &dice) : 48) + Data(count: 1024)
      if round % 3 == 0 { archive = Self.mutated(bytes: archive, &dice) }
      try archive.write(to: URL(fileURLWithPath: path))
      Self.read(path, restoring: round % 8 == 0 ? folder + "/target" : nil)
      if let read = try? BackupManifest.decode(text, of: "it") { #expect(read.size >= 0 && read.waiting >= 0) }
    }
  }

  @Test("backups with pipes, links, empty files or repeated names are refused")
  func files() throws {
    let scene = try AppScene()
    let folder = scene.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try scene.fill(AppScene.sessions(3))
    _ = try FolderBackup(scene.path).run(to: folder, now: Date())
    let good = try BackupReader(folder).manifest()
    func refuses(_ about: String, _ change: () throws -> Void) throws {
      try FileManager.default.removeItem(atPath: folder)
      _ = try FolderBackup(scene.path).run(to: folder, now: Date())
      try change()
      #expect(throws: BackupError.self, "\(about)") {
        let source = try BackupReader(folder)
        let manifest = try source.manifest()
        try source.verify(manifest)
      }
      #expect(throws: (any Error).self, "\(about)") {
        try FolderRestore(from: BackupReader(folder), to: scene.path + "-to").run()
      }
      try? FileManager.default.removeItem(atPath: scene.path + "-to")
    }
    let secret = folder + "/secret"
    try refuses("a pipe") {
      unlink(secret)
      #expect(mkfifo(secret, 0o600) == 0)
    }
    try refuses("a link") {
      unlink(secret)
      #expect(symlink("/etc/hostname", secret) == 0)
    }
    try refuses("an empty file") { try Data().write(to: URL(fileURLWithPath: folder + "/control.db")) }
    try refuses("a pipe as its manifest") {
      unlink(folder + "/manifest.json")
      #expect(mkfifo(folder + "/manifest.json", 0o600) == 0)
    }
    try refuses("a name twice") {
      var manifest = good
      manifest.files.append(contentsOf: manifest.files.prefix(1))
      try manifest.encoded().write(to: URL(fileURLWithPath: folder + "/manifest.json"))
    }
    try refuses("a database that is not among its files") {
      var manifest = good
      manifest.files.removeAll { $0.path == "control.db" }
      try manifest.encoded().write(to: URL(fileURLWithPath: folder + "/manifest.json"))
    }
    let pipe = scene.path + "-pipe.tar"
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    #expect(throws: BackupError.self) { try BackupReader(pipe).manifest() }
  }

  @Test("backups with a view in place of a table are refused, and an operator's own view does no harm")
  func views() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(3))
    let path = scene.path + "/plumb.db"
    try SQLFile.run("CREATE VIEW mine AS SELECT count(*) FROM session", in: path)
    #expect(try FolderVerification(scene.path).run().flatMap(\.faults) == [])
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    try SQLFile.run("DROP TABLE signature_life; CREATE VIEW signature_life AS \(endless)", in: path)
    #expect(try FolderVerification(scene.path).run().contains { $0.name == "plumb.db" && !$0.faults.isEmpty })
  }

  @Test(
    "rows of a backup with numbers or types out of range are verified, quarantined and named",
    arguments: [
      "journal.db", "plumb.db", "samples.db", "control.db",
    ])
  func rows(database: String) throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(3, crashed: 1))
    let path = scene.path + "/" + database
    let whole = scene.path + "-whole.db"
    defer { try? FileManager.default.removeItem(atPath: whole) }
    try scene.sqlite(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.copyItem(atPath: path, toPath: whole)
    func restore() throws {
      for end in ["", "-wal", "-shm"] { unlink(path + end) }
      try FileManager.default.copyItem(atPath: whole, toPath: path)
    }
    let columns = try scene.sqlite(
      path,
      """
      SELECT m.name || ' ' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'
      AND m.name NOT IN ('migration', 'sqlite_stat1') OR m.name = 'sqlite_sequence' AND c.name = 'seq'
      """)
    let values = ["-9223372036854775808", "9223372036854775807", "x'ff00'", "1e308", "'text'", "NULL"]
    for (number, column) in columns.enumerated() {
      let parts = column.split(separator: " ")
      // Every column, each with another value; all with each would take a minute.
      for value in [values[number % 6], values[(number + 1) % 6]] {
        // What SQLite refuses stays as it was.
        _ = try? SQLFile.run(
          "PRAGMA ignore_check_constraints = ON; UPDATE OR REPLACE \(parts[0]) SET \(parts[1]) = \(value)", in: path)
      }
      #expect(try !FolderVerification(scene.path).run().isEmpty)
      if number % 8 == 0 { try restore() }
    }
    // Bytes anywhere in the file.
    var dice = SeededRandom(seed: 3)
    for _ in 0..<40 {
      try restore()
      var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: whole)))
      for _ in 0..<12 { bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(try !FolderVerification(scene.path).run().isEmpty)
    }
  }
}
