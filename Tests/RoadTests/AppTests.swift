import Foundation
import Testing
import TestSupport

@Suite("Adding an app")
struct AppTests {
  @Test("an added app gets a curl line that works as printed")
  func curlLine() throws {
    let stage = try Stage()
    _ = try stage.addToken()
    let server = try stage.serve()
    let added = try stage.run(
      "app", "add", Payload.app, environment: ["PLUMB_PUBLIC_URL": "http://127.0.0.1:\(server.port)"])
    try #require(added.succeeded, "\(added.errors)")
    let line = try #require(
      added.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.first {
        $0.hasPrefix("curl ")
      })
    try stage.write(Payload.native(Payload.sessions(["a", "b"])), to: "payload.json")
    let sent = try stage.run(program: "/bin/sh", ["-c", line])
    #expect(sent.ending == .exit(0))
    #expect(try JSON(sent.output)["status"].text == "accepted", "\(sent.output)\(sent.errors)")
    #expect(server.stop() == .exit(0))
    #expect(try stage.report()["sessions"]["total"].integer == 2)
  }

  @Test("an added app is printed as JSON with app, key, DSN and URL")
  func json() throws {
    let stage = try Stage()
    let added = try stage.run(
      "app", "add", Payload.app, "--format", "json", environment: ["PLUMB_PUBLIC_URL": "https://plumb.example.com"])
    let told = try JSON(added.output)
    #expect(told.keys == ["app", "key", "dsn", "url", "keys"])
    let key = try #require(told["key"].text)
    #expect(key.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    #expect(told["app"].text == Payload.app)
    #expect(told["url"].text == "https://plumb.example.com")
    #expect(told["dsn"].text == "https://\(key)@plumb.example.com/1")
  }

  @Test("an app's old key is shown as long as it works")
  func oldKeys() throws {
    let stage = try Stage()
    let first = try stage.addApp()
    #expect(try stage.run("app", "rotate-key", Payload.app, "--overlap-days", "3").succeeded)
    let both = try stage.run("app", "list").output
    let line = try #require(both.split(separator: "\n").first { $0.contains(first) && !$0.contains("dsn") })
    let day = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3 * 86_400)).prefix(10)
    #expect(line.hasPrefix("old  \(first)  works until \(day)"), "\(line)")
    let told = try JSON(try stage.run("app", "list", "--format", "json").output)
    #expect(told["keys"][1]["key"].text == first && told["keys"][1]["works_until"].text?.hasPrefix(day) == true)
    #expect(told["keys"][0]["key"].text == told["key"].text)
    #expect(try stage.run("app", "rotate-key", Payload.app, "--overlap-days", "0").succeeded)
    #expect(try !stage.run("app", "list").output.contains(first))
  }

  /// A PNG of one pixel.
  private static let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQ"
    + "aPgPAAJjAaB56d6tAAAAAElFTkSuQmCC"

  @Test("an added app has a title and an icon, which pages show, and nothing else is accepted as one")
  func titleAndIcon() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())"), ("Accept", "text/html")]
    let file = stage.folder + "/icon.png"
    let bytes = try #require(Data(base64Encoded: Self.png))
    try bytes.write(to: URL(fileURLWithPath: file))
    let set = try stage.run("app", "settings", Payload.app, "--title", "Shop <b>", "--icon", file)
    #expect(set.succeeded && set.output.hasPrefix("title: Shop <b>\nicon: PNG\n"), "\(set.output)\(set.errors)")
    for (name, text) in [("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), ("none.png", "")] {
      let wrong = try stage.run("app", "settings", Payload.app, "--icon", try stage.write(text, to: name))
      #expect(wrong.ending == .exit(64) && wrong.errors.contains("not a PNG"), "\(wrong.errors)")
    }
    #expect(try stage.run("app", "settings", Payload.app, "--icon", "/nowhere.png").ending == .exit(64))
    #expect(try !stage.run("app", "settings", Payload.app, "--title", String(repeating: "x", count: 81)).succeeded)

    let server = try stage.serve()
    Payload.post(Payload.native(Payload.measurements("screen.load", [400])), to: server, key: key)
    _ = try stage.report { $0.metric("screen.load")["n"].integer == 1 }
    let client = server.connect()
    let icon = try #require(client.get("/apps/\(Payload.app)/icon.png", own))
    #expect(icon.status == 200 && icon.body == [UInt8](bytes))
    #expect(icon.header("Content-Type") == "image/png" && icon.header("X-Content-Type-Options") == "nosniff")
    #expect(client.get("/apps/\(Payload.app)/icon.png")?.status != 200)
    #expect(client.get("/apps/nobody/icon.png", own)?.status == 404)
    for path in ["/", "/apps/\(Payload.app)", "/apps/\(Payload.app)/compare", "/?wall", "/apps/\(Payload.app)?wall"] {
      let page = try #require(client.get(path, own))
      #expect(page.status == 200 && page.text.contains("Shop &lt;b&gt;"), "\(path)")
      #expect(page.text.contains("/apps/\(Payload.app)/icon.png?v="), "\(path)")
    }
    let wall = try #require(client.get("/?wall", own))
    #expect(wall.header("Refresh") == "30" && wall.text.contains("class=\"wall dark\""))
    #expect(client.get("/?wall=light", own)?.text.contains("class=\"wall\"") == true)
    #expect(
      try stage.run("app", "settings", Payload.app, "--title", "", "--icon", "").output.hasPrefix(
        "title: not set\nicon: not set\n"))
    // The server hears of what another process changed by the times of files, within half a second.
    let isGone = (0..<100).contains { _ in
      usleep(50_000)
      return client.get("/apps/\(Payload.app)/icon.png", own)?.status == 404
    }
    #expect(isGone)
  }

  @Test("an app is not added with an invalid public address")
  func wrongAddress() throws {
    let stage = try Stage()
    let told = try stage.run("app", "add", Payload.app, environment: ["PLUMB_PUBLIC_URL": "plumb.example.com"])
    #expect(told.ending == .exit(64) && told.errors.contains("must begin with https://"), "\(told.errors)")
    #expect(!FileManager.default.fileExists(atPath: stage.data))
  }

  @Test("an added app is in the list, and is not added twice or under an invalid name")
  func listed() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    #expect(try stage.run("app", "list").output.contains(key))
    let again = try stage.run("app", "add", Payload.app)
    #expect(again.ending != .exit(0) && again.errors.contains(Payload.app))
    for name in ["", "../../etc", "a b", "com/example", "com.example.\u{0007}"] {
      #expect(try stage.run("app", "add", "--", name).ending != .exit(0), "\(name)")
    }
  }

  @Test("an app added to a running server works at once; its old key survives a rotation, and none survives removal")
  func keysWhileRunning() throws {
    let stage = try Stage()
    _ = try stage.addToken()
    let server = try stage.serve()
    let key = try stage.addApp()
    let body = Payload.native(Payload.sessions(["a"]))
    // The server looks for news of unknown keys twenty times a second.
    #expect(eventually { Payload.post(body, to: server, key: key) == 202 })
    let rotated = try stage.run("app", "rotate-key", Payload.app)
    let fresh = try #require(rotated.output.firstMatch(of: /key  ([0-9a-f]{32})/)).output.1
    #expect(fresh != key)
    #expect(eventually { Payload.post(body, to: server, key: String(fresh)) == 202 })
    #expect(Payload.post(body, to: server, key: key) == 202)
    #expect(try stage.run("app", "remove", Payload.app).ending == .exit(64), "asks for --yes")
    #expect(try stage.run("app", "remove", Payload.app, "--yes").succeeded)
    #expect(eventually { Payload.post(body, to: server, key: String(fresh)) == 401 })
  }

  @Test("an added app uses its time zone for days, and an unknown zone is refused")
  func timeZone() throws {
    let stage = try Stage()
    #expect(try stage.run("app", "add", "a.b", "--time-zone", "Mars/Olympus").ending == .exit(64))
    #expect(try stage.run("app", "add", "a.b", "--time-zone", "Europe/Berlin").succeeded)
    #expect(try stage.run("app", "settings", "a.b").output.contains("Europe/Berlin"))
    #expect(try stage.run("app", "settings", "a.b", "--time-zone", "Asia/Tokyo").output.contains("Asia/Tokyo"))
    #expect(try stage.run("app", "settings", "a.b").output.contains("Asia/Tokyo"))
    let named = try stage.run("app", "settings", "a.b", "--own-binaries", " Network,Charts,Network")
    #expect(named.output.contains("own binaries: Charts, Network") && named.output.contains("Asia/Tokyo"), "\(named)")
    #expect(try stage.run("app", "list").output.contains("own  Charts, Network"))
    #expect(try stage.run("app", "settings", "a.b", "--own-binaries", "a/b").errors.contains("--own-binaries"))
    #expect(try stage.run("app", "settings", "a.b", "--own-binaries", "").output.contains("own binaries: not set"))
  }
}
