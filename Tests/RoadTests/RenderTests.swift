import Foundation
import Testing
import TestSupport

@Suite("The demo fleet")
struct RenderTests {
  @Test("the demo fleet is created once, judged, served, and rendered as files without broken links")
  func demo() throws {
    let stage = try Stage()
    let made = try stage.run("demo", "--users", "60", limit: 600)
    #expect(made.succeeded, "\(made.errors)")
    let before = try stage.report()
    let again = try stage.run("demo", "--users", "60")
    #expect(again.succeeded && again.output.contains("already"))
    #expect(try stage.report()["sessions"]["total"].integer == before["sessions"]["total"].integer)
    #expect((before["sessions"]["total"].integer ?? 0) > 500)
    #expect(before["releases"].list.count >= 4)
    #expect([.exit(1), .exit(2)].contains(try stage.run("check").ending), "one release is worse")

    let hour = Self.hour
    let rendered = try stage.run("render", "--out", "site", limit: 600)
    #expect(rendered.succeeded, "\(rendered.errors)")
    try expectEveryLinkLeadsToAFile(in: stage.folder + "/site")
    let report = try stage.folder + "/site/" + reportFile(in: stage.folder + "/site")
    let data = try String(contentsOfFile: report, encoding: .utf8)
    #expect(try JSON(data)["schema"].integer == 1)

    // Nothing changed: no page is written again, though each says when it was made. Error budgets and adoption are about
    // the moment, which has gone on.
    let written = try Self.files(in: stage.folder + "/site")
    let unchanged = try stage.run("render", "--out", "site", limit: 600)
    #expect(unchanged.succeeded)
    let after = try Self.files(in: stage.folder + "/site")
    #expect(Set(written.keys) == Set(after.keys))
    let changed = written.keys.filter { written[$0] != after[$0] }
    #expect(unchanged.output.contains(" \(changed.count) of them new or changed"), "\(unchanged.output)")
    // What young days lack changes by the hour.
    let mayChange = /^(apps\/[^\/]+\/)?(index|wall|budgets|sessions|releases\/.*)\.(html|json)$/
    #expect(hour != Self.hour || changed.allSatisfy { $0.contains(mayChange) }, "\(changed)")
    let copied = try String(contentsOfFile: stage.folder + "/site/guides/memory.html", encoding: .utf8)
    #expect(copied.contains("This is a static copy, created at "))
    let keys = try stage.run("app", "list", "--format", "json").output.matches(of: /"key":"([0-9a-f]{32})"/)
    #expect(!keys.isEmpty)
    for key in keys { #expect(try !holds(String(key.output.1), in: stage.folder + "/site"), "a key left the folder") }

    let server = try stage.serve("--open")
    try expectEveryLinkLeadsToAPage(of: server)
    #expect(server.stop() == .exit(0))
  }

  private static var hour: Int { Int(Date().timeIntervalSince1970 / 3600) }

  @Test("the demo fleet is created again after an interruption, but never in a folder that it did not create")
  func folders() throws {
    let stage = try Stage()
    let demo = try stage.start(["demo", "--users", "400"])
    usleep(400_000)
    demo.signal(SIGKILL)
    _ = demo.waitFor(seconds: 5)
    let again = try stage.run("demo", "--users", "20", limit: 600)
    #expect(again.succeeded, "\(again.errors)")
    let other = try Stage()
    let key = try other.addApp()
    #expect(try other.run("demo").ending == .exit(1))
    #expect(try other.run("app", "list").output.contains(key))
    // An old fleet is replaced, but not under a server's feet.
    try stage.write("2026-01-01T00:00:00Z", to: "data/demo.txt")
    let server = try stage.serve()
    let refused = try stage.run("demo", "--users", "20")
    #expect(refused.ending == .exit(1) && refused.errors.contains("Stop it"), "\(refused)")
    #expect(server.stop() == .exit(0))
    #expect(try stage.run("demo", "--users", "20", limit: 600).succeeded)
  }

  /// The text of every file by its name.
  private static func files(in folder: String) throws -> [String: String] {
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    return names.reduce(into: [:]) { $0[$1] = try? String(contentsOfFile: folder + "/" + $1, encoding: .utf8) }
  }

  /// Pages that were reached over links, from the overview on.
  private func expectEveryLinkLeadsToAPage(of server: ServerProcess) throws {
    let client = server.connect()
    var waiting = ["/"]
    var seen: Set = ["/", "/logout"]
    while let path = waiting.popLast() {
      let answer = try #require(client.get(path, [("Host", "localhost")]), "\(path)")
      #expect(answer.status == 200, "\(path)")
      guard answer.header("Content-Type")?.hasPrefix("text/html") == true else { continue }
      // Links that set the days lead to the same pages.
      for link in Self.links(of: answer.text) where link.hasPrefix("/") && !link.contains("from=") {
        let target = link.components(separatedBy: "#")[0]
        if seen.insert(target).inserted, seen.count < 260 { waiting.append(target) }
      }
    }
    #expect(seen.count > 10)
  }

  private func expectEveryLinkLeadsToAFile(in site: String) throws {
    let names = try #require(FileManager.default.enumerator(atPath: site)).compactMap { $0 as? String }
    let pages = names.filter { $0.hasSuffix(".html") }
    #expect(pages.count > 10 && pages.contains("index.html"))
    for page in pages {
      let text = try String(contentsOfFile: site + "/" + page, encoding: .utf8)
      let base = URL(fileURLWithPath: site + "/" + page)
      for link in Self.links(of: text) where !link.hasPrefix("#") && !link.hasPrefix("https://") {
        #expect(!link.hasPrefix("/") && !link.hasPrefix("http:"), "\(page): \(link)")
        let target = link.components(separatedBy: CharacterSet(charactersIn: "#?"))[0]
        let path = try #require(target.removingPercentEncoding, "\(page): \(link)")
        let file = base.deletingLastPathComponent().appendingPathComponent(path).standardizedFileURL.path
        #expect(file.hasPrefix(site), "\(page): \(link)")
        #expect(FileManager.default.fileExists(atPath: file), "\(page): \(link)")
      }
    }
  }

  /// Whether any file below a folder holds a text.
  private func holds(_ text: String, in folder: String) throws -> Bool {
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    return names.contains { name in
      (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8))?.contains(text) ?? false
    }
  }

  private func reportFile(in site: String) throws -> String {
    let names = try #require(FileManager.default.enumerator(atPath: site)).compactMap { $0 as? String }
    return try #require(names.first { $0.hasSuffix(".json") })
  }

  /// The values of every `href` and `src`, entities decoded.
  private static func links(of page: String) -> [String] {
    page.matches(of: /(?:href|src|action)="([^"]*)"/).map {
      String($0.output.1).replacingOccurrences(of: "&#39;", with: "'").replacingOccurrences(of: "&amp;", with: "&")
    }
  }
}
