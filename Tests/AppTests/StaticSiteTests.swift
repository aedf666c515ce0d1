import Foundation
import Testing

@testable import App
@testable import Storage

@Suite("The dashboard as files")
struct StaticSiteTests {
  private func files(_ folder: URL) throws -> Set<String> {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return Set(
      names.filter { name in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: folder.path + "/" + name, isDirectory: &isFolder)
          && !isFolder.boolValue
      })
  }

  private func write(_ scene: AppScene, _ folder: URL) throws -> StaticSite.Outcome {
    let site = StaticSite(scene.installation, try scene.settings("{}"), budgets: nil, now: AppScene.now)
    return try site.write(to: folder, complain: { Issue.record("\($0)") }, progress: { _, _ in })
  }

  @Test("the dashboard as files has a page and JSON per section, skips unchanged ones, and drops a removed app's pages")
  func life() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(50, crashed: 2, started: AppScene.ago(days: 1)))
    let folder = URL(fileURLWithPath: scene.path).appendingPathComponent("site", isDirectory: true)
    let first = try write(scene, folder)
    let names = try files(folder)
    // The list of files is no file of the site itself.
    #expect(first.files == names.count - 1 && first.written == first.files && first.removed == 0)
    let page = "apps/\(AppScene.app)"
    for name in ["index.html", "plumb.css", "\(page)/index.html", "\(page)/sessions.html", "\(page)/sessions.json"] {
      #expect(names.contains(name), "\(name): \(names.sorted())")
    }
    let json = try Data(contentsOf: folder.appendingPathComponent("\(page)/sessions.json"))
    let sessions = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(sessions["app"] as? String == AppScene.app)

    let second = try write(scene, folder)
    #expect(second.files == first.files && second.written == 0 && second.removed == 0)

    let own = folder.appendingPathComponent("\(page)/notes.txt")
    try Data("mine".utf8).write(to: own)
    try scene.installation.control.removeApp(scene.app.id)
    let third = try write(scene, folder)
    #expect(third.removed > 10)
    let left = try files(folder).filter { $0.hasPrefix("apps/") }
    #expect(left == ["\(page)/notes.txt"], "a file that was not part of the site stays")
  }
}
