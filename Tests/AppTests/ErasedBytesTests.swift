import Foundation
import Testing
import TestSupport

@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// After a deletion the raw files of the folder are searched, as somebody who copies the disk would.
@Suite("Bytes after deleting")
struct ErasedBytesTests {
  private static let marker = "ZQSecretOfGone"

  /// Documents of one person with an own metric, label, release and crash, of which each update changes a session.
  private static func documents(_ user: String, _ word: String, day: Timestamp = AppScene.now) -> [String] {
    (0..<12).map { number in
      """
      {"app":{"bundle_id":"\(AppScene.app)","version":"\(word)Release","build":"1"},\
      "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"\(user)",\
      "sessions":[{"id":"\(user)-\(number % 3)","status":"\(number > 8 ? "crashed" : "ok")","sequence":\(number),\
      "started":"\(day.iso)","duration":\(number * 7)}],\
      "measurements":[{"metric":"screen.load","value":\(number + 5),"label":"\(word)Label","time":"\(day.iso)"},\
      {"metric":"own.\(word)","unit":"ms","value":\(number),"time":"\(day.iso)"}],\
      "crashes":[{"at":"\(day.iso)","session":"\(user)-1","exception":"\(word)Exception\(number)","signal":"SIGSEGV",\
      "threads":[{"crashed":true,"frames":[{"binary":"Shop","uuid":"cdb53ddb-2337-4933-b62f-4356e6174af0","offset":16,\
      "function":"\(word)Function\(number)()","file":"Shop.swift","line":12}]}]}]}
      """
    }
  }

  /// The names of files in a folder, and below, that have one of some byte strings.
  private static func files(_ path: String, with needles: [Data]) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return try names.filter { name in
      var isFolder: ObjCBool = false
      let file = path + "/" + name
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else {
        return false
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      return needles.contains { bytes.range(of: $0) != nil }
    }
  }

  private static func unhexed(_ line: String) -> Data {
    let digits = Array(line.utf8)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
      })
  }

  /// The compressed bytes of rows, as they stand in a file: the middle of each, without what every frame has.
  private static func frames(_ scene: AppScene, _ sql: String, in path: String) throws -> [Data] {
    try scene.sqlite(path, sql).map(unhexed).filter { $0.count > 60 }.map { $0.dropFirst(24).prefix(32) }
  }

  @Test(
    "after a deletion no file of the folder contains a byte of the deleted data",
    arguments: ["user", "app", "days", "payload", "metric", "release", "label"])
  func bytes(kind: String) throws {
    let scene = try AppScene()
    let day = AppScene.ago(days: 2)
    let gone = Self.documents("gone", Self.marker, day: kind == "days" ? day : AppScene.now)
    try scene.fill(Self.documents("kept", "Kept"))
    // Updates of one session leave earlier versions of its row within pages.
    let pipeline = try scene.pipeline()
    for body in gone where kind != "payload" { #expect(try scene.send([body], to: pipeline) == []) }
    pipeline.stop()
    if kind == "payload" { try scene.fill([gone[0]], key: "the key") }
    try scene.fill(Self.documents("more", "Kept"))

    var needles: [Data] = []
    let user = try scene.hash("gone", scope: "user 1")
    if ["user", "app", "days", "payload", "release"].contains(kind) {
      needles.append(withUnsafeBytes(of: user.bigEndian) { Data($0) })
      needles.append(withUnsafeBytes(of: user.littleEndian) { Data($0) })
    }
    switch kind {
    // The release is named by the counts of payloads, which stay.
    case "user", "days": needles += [Data((Self.marker + "Exception").utf8), Data((Self.marker + "Function").utf8)]
    case "metric": needles.append(Data("own.\(Self.marker)".utf8))
    case "label": needles.append(Data("\(Self.marker)Label".utf8))
    default: needles.append(Data(Self.marker.utf8))
    }
    #expect(try !Self.files(scene.path, with: needles).isEmpty)
    // Compressed records of the journal that go as a whole, and bodies.
    if !["metric", "label"].contains(kind) {
      needles += try Self.frames(
        scene,
        "SELECT hex(records) FROM batch WHERE through BETWEEN 13 AND \(kind == "payload" ? 13 : 24) AND count = 1",
        in: scene.installation.folder.journal)
      needles += try Self.frames(
        scene, "SELECT hex(body) FROM sample ORDER BY rowid LIMIT 1 OFFSET 12", in: scene.path + "/samples.db")
    }

    let scope: ErasureScope =
      switch kind {
      case "user": .user(user)
      case "app": .app
      case "days": .days(Window(from: day.day(), to: day.day()))
      case "payload": .payload(try scene.hash("the key", scope: "receipt 1"))
      case "metric": .metric("own.\(Self.marker)")
      case "release": .release("\(Self.marker)Release")
      default: .label("\(Self.marker)Label", metric: "screen.load")
      }
    let done = try scene.delete(scope)
    #expect(!done.isRefused && done.finished != nil, "\(done.statement)")
    let found = try Self.files(scene.path, with: needles)
    // The statement names a metric, a label and a release, and the hash as text.
    let isNamed = ["metric", "release", "label"].contains(kind)
    #expect(found.filter { !isNamed || !$0.hasPrefix("control.db") } == [], "\(done.statement)")
    // What is left is whole.
    #expect(try FolderVerification(scene.path).run().flatMap(\.faults) == [])
  }

  @Test("a diagnostic of an unknown kind is named and quarantined by a deletion, and does not block it")
  func damagedDiagnostic() throws {
    let scene = try AppScene()
    try scene.fill(Self.documents("gone", Self.marker))
    let file = scene.installation.folder.plumb
    try scene.sqlite(file, "UPDATE diagnostic SET kind = 77 WHERE id = (SELECT min(id) FROM diagnostic)")
    #expect(try FolderVerification(scene.path).run().flatMap(\.faults) != [])
    let done = try scene.delete(.user(scene.hash("gone", scope: "user 1")))
    #expect(!done.isRefused && done.finished != nil, "\(done.statement)")
    #expect(done.statement.contains("1 entries of the table quarantine"), "\(done.statement)")
    #expect(try scene.sqlite(file, "SELECT count(*) FROM diagnostic WHERE kind = 77") == ["0"])
    #expect(try FolderVerification(scene.path).run().flatMap(\.faults) == [])
  }

  @Test("bodies received while the clock was a year ahead are deleted with the rest")
  func ahead() throws {
    let scene = try AppScene()
    try scene.fill(Self.documents("gone", Self.marker), at: AppScene.ago(days: -370))
    #expect(try scene.sqlite(scene.path + "/samples.db", "SELECT count(*) FROM sample") != ["0"])
    #expect(try !scene.delete(.user(scene.hash("gone", scope: "user 1"))).isRefused)
    #expect(try scene.sqlite(scene.path + "/samples.db", "SELECT count(*) FROM sample") == ["0"])
  }

  @Test("rewriting files for deletions takes at most a tenth of all time")
  func share() throws {
    let scene = try AppScene()
    let files = DatabaseRewriter(scene.installation.folder, [(name: .samples, file: SlowFile())])
    let erasure = Erasure(
      id: 1, app: scene.app.id, bundleID: AppScene.app, scope: .app, requested: AppScene.now, requestedBy: "the test")
    files.add(CarriedErasure(erasure: erasure, findings: ErasureFindings(), last: 0))
    let begin = ContinuousClock.now
    #expect(files.beginPass())
    #expect(try files.rewrite().count == 1)
    #expect(eventually { files.beginPass() })
    #expect(begin.duration(to: .now) >= .milliseconds(200))
  }

  @Test("a deletion names unreadable data, older copies and ingest nodes, and a reader only delays it")
  func named() throws {
    let scene = try AppScene()
    try scene.fill(Self.documents("gone", Self.marker))
    try scene.sqlite(
      scene.installation.folder.journal,
      "UPDATE batch SET records = substr(records, 1, 8) || zeroblob(40) || substr(records, 49) WHERE through = (SELECT min(through) FROM batch)"
    )
    try scene.sqlite(
      scene.installation.folder.plumb,
      """
      INSERT INTO quarantine (node, sequence, app, received, set_aside, reason, record, place)
      VALUES (NULL, 0, NULL, 0, 1, 'its numbers cannot be read', x'0102', 'cell: 1')
      """)
    _ = try scene.write("{}", to: "copies/nightly-2026-01-01/plumb.db")
    _ = try scene.write("", to: "plumb.db.before-20260101T000000")
    // A page that began before holds what the log was.
    let reader = Process()
    let input = Foundation.Pipe()
    reader.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    reader.arguments = [scene.installation.folder.plumb]
    reader.standardInput = input
    reader.standardOutput = FileHandle.nullDevice
    try reader.run()
    try input.fileHandleForWriting.write(contentsOf: Data("BEGIN; SELECT count(*) FROM session;\n".utf8))
    usleep(300_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { try? input.fileHandleForWriting.close() }
    let start = ContinuousClock.now
    let done = try scene.delete(.user(scene.hash("gone", scope: "user 1")))
    #expect(start.duration(to: .now) > .milliseconds(500))
    reader.waitUntilExit()
    #expect(
      done.finished != nil && done.statement.contains("records of journal.db cannot be read"), "\(done.statement)")
    #expect(done.statement.contains("1 entries of the table quarantine"), "\(done.statement)")
    #expect(done.statement.contains("copies/nightly-2026-01-01, plumb.db.before-20260101T000000"), "\(done.statement)")
  }
}

/// A file that takes 20 ms to rewrite.
private struct SlowFile: RewritableFile {
  func rewrite(room: Int) -> FileRewrite {
    usleep(20_000)
    return .done
  }

  func emptyLog() -> Bool { true }
}
