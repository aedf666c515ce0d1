import Foundation
import Testing
import TestSupport

@Suite("A server whose public address has a path")
struct MountedServerTests {
  private static let browser = ("Accept", "text/html")

  @Test(
    "a server below a path works for login, pages and logout, whether the proxy removes or keeps the path",
    arguments: ["/tools/plumb", ""])
  func session(passed: String) throws {
    let stage = try Stage()
    _ = try stage.addApp()
    #expect(try stage.run("user", "add", "ana", input: "correct horse\n").succeeded)
    let client = try stage.serve("--public-url", "https://example.org/tools/plumb/").connect()
    func get(_ path: String, _ headers: [(String, String)] = []) -> HTTPClient.Answer? {
      client.get(passed + path, headers + [Self.browser])
    }
    #expect(client.get("/healthz")?.status == 200 && client.get(passed + "/readyz")?.status == 200)
    let refused = get("/apps/\(Payload.app)")
    let login = refused?.header("Location") ?? ""
    #expect(refused?.status == 303 && login.hasPrefix("/tools/plumb/login?next=%2Fapps%2F"), "\(login)")
    let form = [("Origin", "https://example.org"), ("Content-Type", "application/x-www-form-urlencoded")]
    let entered = client.send("POST", passed + "/login", form, body: "user=ana&password=correct+horse")
    #expect(entered?.status == 303 && entered?.header("Location") == "/tools/plumb/")
    let cookies = entered?.headers("Set-Cookie") ?? []
    #expect(cookies.count == 2)
    for cookie in cookies {
      #expect(cookie.hasPrefix("__Secure-plumb") && cookie.contains("; Path=/tools/plumb;"), "\(cookie)")
    }
    let cookie = ("Cookie", String(cookies.first?.prefix { $0 != ";" } ?? ""))
    for path in ["/", "/apps/\(Payload.app)", "/apps/\(Payload.app)/setup", "/guides", "/plumb.css", "/nothing"] {
      let page = get(path, [cookie])
      #expect(page?.status == (path == "/nothing" ? 404 : 200), "\(path)")
      for address in (page?.text ?? "").matches(of: /\s(?:href|src|action)="([^"#?][^"]*)"/) {
        #expect(address.1.hasPrefix("/tools/plumb/"), "\(path): \(address.1)")
      }
    }
    let left = client.send("POST", passed + "/logout", form + [cookie], body: "")
    #expect(left?.header("Location") == "/tools/plumb/login")
    #expect(left?.header("Set-Cookie")?.contains("Path=/tools/plumb") == true)
  }

  @Test("a server below a path accepts payloads of every protocol, and prints addresses that work")
  func payloads() throws {
    let stage = try Stage()
    let url = ["PLUMB_PUBLIC_URL": "https://example.org/plumb"]
    let added = try JSON(
      try stage.run("app", "add", Payload.app, "--format", "json", environment: url).output)
    let key = try #require(added["key"].text)
    #expect(added["dsn"].text == "https://\(key)@example.org/plumb/1" && added["url"].text == url["PLUMB_PUBLIC_URL"])
    let client = try stage.serve(environment: url).connect()
    let bearer = ("Authorization", "Bearer \(key)")
    let json = ("Content-Type", "application/json")
    for path in ["/plumb", ""] {
      let body = Payload.native(Payload.sessions(["a" + path]))
      #expect(client.send("POST", path + "/v1/payloads", [bearer], body: body)?.status == 202)
      #expect(client.send("POST", path + "/v1/logs", [bearer, json], body: "{\"resourceLogs\":[]}")?.status == 200)
      let envelope = "{}\n{\"type\":\"client_report\"}\n{\"discarded_events\":[]}\n"
      let sentry = ("X-Sentry-Auth", "Sentry sentry_key=\(key)")
      #expect(client.send("POST", path + "/api/1/envelope/", [sentry], body: envelope)?.status == 200)
    }
    #expect(client.send("POST", "/other/v1/payloads", [bearer], body: "{}")?.status != 202)
    #expect(try stage.run("render", "--out", stage.folder + "/site", environment: url).succeeded)
    let setup = try String(contentsOfFile: stage.folder + "/site/apps/com.example.shop/setup.html", encoding: .utf8)
    #expect(setup.contains("https://example.org/plumb/v1/payloads") && !setup.contains("\"/plumb"))
  }

  @Test("a public address is refused if its path would hide addresses of the server")
  func refused() throws {
    let stage = try Stage()
    for url in ["https://example.org/api", "https://example.org/a b", "example.org"] {
      let told = try stage.run("serve", "--listen", "127.0.0.1:0", "--public-url", url)
      #expect(told.ending == .exit(64) && told.errors.contains("public-url: "), "\(url): \(told.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: stage.data))
  }
}
