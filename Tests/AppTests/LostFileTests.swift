import Foundation
import Testing
import TestSupport

@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Files that are lost, or restored from an older backup")
struct LostFileTests {
  private static let started = Date(timeIntervalSince1970: Double(AppScene.now.milliseconds) / 1000 - 60)
    .ISO8601Format()

  private static func session(_ id: String) -> String {
    """
    {"app":{"bundle_id":"com.example.shop","version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4.1"},
     "sessions":[{"id":"\(id)","started":"\(started)","status":"exited","seq":1}]}
    """
  }

  private func remove(_ name: String, of scene: AppScene) throws {
    for end in ["", "-wal", "-shm"] {
      let path = scene.path + "/" + name + end
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  @Test("numbers without their control.db or secret are not served, and no new file is created next to them")
  func missing() throws {
    for name in ["control.db", "secret"] {
      let scene = try AppScene()
      try scene.fill([Self.session("a")])
      try remove(name, of: scene)
      let error = #expect(throws: LostFile.self) {
        _ = try Pipeline(try Installation.creating(scene.path), migrating: false, logger: scene.logger)
      }
      #expect(error?.description.contains("\(name) is missing, and the numbers") == true)
      #expect(!FileManager.default.fileExists(atPath: scene.path + "/" + name))
    }
  }

  @Test("a control.db from before an app existed gives that app's number to no other app")
  func olderControl() throws {
    let scene = try AppScene()
    try scene.fill([Self.session("a")])
    let known = scene.app.id
    let older = try AppScene()
    // A folder with another first app, whose control.db knows no second.
    try remove("control.db", of: scene)
    try FileManager.default.copyItem(atPath: older.path + "/control.db", toPath: scene.path + "/control.db")
    try? FileManager.default.copyItem(atPath: older.path + "/control.db-wal", toPath: scene.path + "/control.db-wal")
    try older.installation.control.removeApp(older.app.id)
    let installation = try Installation.creating(scene.path)
    for app in try installation.control.apps() { try installation.control.removeApp(app.id) }
    let added = try installation.control.addApp(
      bundleID: "com.example.next", settings: AppSettings(), key: String(repeating: "b", count: 32), at: AppScene.now)
    #expect(added.id > known)
  }

  @Test("records that are missing from the journal are counted as lost, and later ones are digested")
  func gap() throws {
    let scene = try AppScene()
    try scene.fill((0..<5).map { Self.session("a\($0)") })
    let file = scene.path + "/journal.db"
    let last = try #require(try SQLFile.number("SELECT max(through) FROM batch", in: file))
    try SQLFile.run("DELETE FROM batch", in: file)
    try remove("plumb.db", of: scene)
    try scene.fill([Self.session("b")])
    let store = try scene.installation.store()
    let lost = try store.quarantine()
    #expect(lost.records.map(\.reason) == ["records 1–\(last) are no longer in the journal"])
    #expect(try store.tallySummary(of: scene.app.id, in: Window(days: 28, endingOn: AppScene.now.day())).counts != [:])
    #expect(try SQLFile.number("SELECT sequence FROM watermark", in: scene.path + "/plumb.db") == last + 1)
  }
}
