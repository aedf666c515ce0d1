import Foundation
import Testing

@testable import App
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Dry runs of deletions, and their queue")
struct DryRunTests {
  private static func document(_ number: Int) -> String {
    """
    {"app":{"bundle_id":"\(AppScene.app)","version":"\(number % 2 == 0 ? "4.1.0" : "4.2.0")","build":"1"},\
    "device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"installation":"u\(number % 4)",\
    "sessions":[{"id":"s\(number)","status":"exited","started":"\(AppScene.now.iso)"}],\
    "measurements":[{"metric":"own.time","unit":"ms","value":\(number),"label":"Cart","time":"\(AppScene.now.iso)"}],\
    "crashes":[{"at":"\(AppScene.now.iso)","session":"s\(number)","exception":"EXC_BAD_ACCESS"}]}
    """
  }

  /// The lines about sessions and diagnostics.
  private static func counts(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { line in
      ["sessions: ", "diagnostics: ", "session updates: ", "days with the label: "].contains { line.hasPrefix($0) }
    }
  }

  @Test(
    "a dry run lists what the deletion later deletes, and waits for no writer",
    arguments: ["user", "days", "label", "release", "payload", "metric", "app"])
  func equal(kind: String) throws {
    let scene = try AppScene()
    try scene.fill((0..<12).map(Self.document))
    try scene.fill([Self.document(12)], key: "the key")
    let today = AppScene.now.day()
    let scope: ErasureScope =
      switch kind {
      case "user": .user(try scene.hash("u1", scope: "user 1"))
      case "days": .days(Window(from: today, to: today))
      case "label": .label("Cart", metric: "own.time")
      case "release": .release("4.1.0")
      case "payload": .payload(try scene.hash("the key", scope: "receipt 1"))
      case "metric": .metric("own.time")
      default: .app
      }
    let before = try scene.numbers()
    let pipeline = try scene.pipeline()
    // Somebody writes for as long as the dry run takes.
    let writer = Process()
    let input = Foundation.Pipe()
    writer.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    writer.arguments = [scene.installation.folder.plumb]
    writer.standardInput = input
    try writer.run()
    try input.fileHandleForWriting.write(contentsOf: Data("BEGIN IMMEDIATE;\n".utf8))
    usleep(200_000)
    let found = try pipeline.erasures.trial(scope, of: scene.app).joined(separator: "\n")
    try input.fileHandleForWriting.close()
    writer.waitUntilExit()
    pipeline.stop()
    #expect(try scene.numbers() == before)
    let done = try scene.delete(scope)
    #expect(!done.isRefused, "\(done.statement)")
    #expect(Self.counts(found) == Self.counts(done.statement), "\(found) … \(done.statement)")
    if kind != "metric" { #expect(!Self.counts(found).isEmpty) } else { #expect(found.contains("metric rows: ")) }
  }

  @Test("equal waiting dry runs are merged, and an app has at most a hundred")
  func queue() throws {
    let scene = try AppScene()
    try scene.fill([Self.document(1)])
    let other = try scene.installation.control.addApp(
      bundleID: "com.example.other", settings: AppSettings(), key: "fedcba9876543210fedcba9876543210", at: AppScene.now)
    let pipeline = try scene.pipeline()
    defer { pipeline.stop() }
    let erasures = pipeline.erasures
    let first = try erasures.request(.metric("m0"), of: scene.app, by: "the test", at: AppScene.now)
    #expect(try erasures.request(.metric("m0"), of: scene.app, by: "the test", at: AppScene.now).id == first.id)
    for number in 1..<100 {
      _ = try erasures.request(.metric("m\(number)"), of: scene.app, by: "the test", at: AppScene.now)
    }
    #expect(throws: (any Error).self) {
      try erasures.request(.metric("m100"), of: scene.app, by: "the test", at: AppScene.now)
    }
    _ = try erasures.request(.metric("m0"), of: other, by: "the test", at: AppScene.now)
    let control = scene.installation.control
    #expect(try control.waitingErasures().count == 101)
    // One pass for all: the files are written once.
    try erasures.carryOut(clock: { AppScene.now })
    #expect(try control.erasure(first.id)?.finished != nil)
  }
}
