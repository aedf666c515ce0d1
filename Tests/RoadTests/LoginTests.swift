import Foundation
import Synchronization
import Testing
import TestSupport

@Suite("Logins")
struct LoginTests {
  private static let browser = ("Accept", "text/html")
  private static let form = ("Content-Type", "application/x-www-form-urlencoded")
  private static let password = "a horse & a 100% bättery+"
  private static let encoded = "a+horse+%26+a+100%25+b%C3%A4ttery%2B"

  @Test("a login opens the pages until the logout, with a cookie that no script or other site can use")
  func session() throws {
    let stage = try Stage()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let server = try stage.serve()
    let client = server.connect()
    #expect(client.get("/login")?.text.contains("<form") == true)
    let here = [("Host", "127.0.0.1:\(server.port)"), ("Origin", "http://127.0.0.1:\(server.port)"), Self.form]
    let entered = client.send("POST", "/login", here, body: "user=ana&password=\(Self.encoded)")
    #expect(entered?.status == 303 && entered?.header("Location") == "/")
    let cookie = try #require(entered?.header("Set-Cookie"))
    let parts = cookie.components(separatedBy: "; ")
    #expect(Set(parts.dropFirst()).isSuperset(of: ["HttpOnly", "SameSite=Strict", "Path=/"]), "\(cookie)")
    let own = [("Cookie", parts[0]), Self.browser]
    let page = client.get("/", own)
    #expect(page?.status == 200 && page?.text.contains("/logout") == true)
    #expect(client.get("/", [("Cookie", parts[0] + "0"), Self.browser])?.status == 303)
    let foreign = client.send("POST", "/logout", [("Cookie", parts[0]), ("Origin", "https://evil.example")], body: "")
    #expect(foreign?.status == 403)
    #expect(client.get("/", own)?.status == 200)
    let left = client.send("POST", "/logout", here + [("Cookie", parts[0])], body: "")
    #expect(left?.status == 303 && left?.header("Set-Cookie")?.contains("Max-Age=0") == true)
    #expect(client.get("/", own)?.status == 303)
  }

  @Test("a login lasts a week, gets a new id and ends the browser's previous login")
  func newID() throws {
    let stage = try Stage()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let client = try stage.serve().connect()
    func logIn(_ headers: [(String, String)]) throws -> [String] {
      let form = [("Sec-Fetch-Site", "same-origin"), Self.form] + headers
      let entered = client.send("POST", "/login", form, body: "user=ana&password=\(Self.encoded)")
      return try #require(entered?.header("Set-Cookie")).components(separatedBy: "; ")
    }
    let first = try logIn([])
    #expect(first.contains("Max-Age=604800"))
    #expect(client.get("/", [("Cookie", first[0]), Self.browser])?.status == 200)
    let second = try logIn([("Cookie", first[0])])
    #expect(second[0] != first[0])
    #expect(client.get("/", [("Cookie", first[0]), Self.browser])?.status == 303)
    #expect(client.get("/", [("Cookie", second[0]), Self.browser])?.status == 200)
  }

  @Test("no file of the data folder has the address of a client that sends, logs in or fails to")
  func addresses() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let server = try stage.serve(environment: ["PLUMB_TRUSTED_PROXIES": "127.0.0.1"])
    let client = server.connect()
    let device = ("X-Forwarded-For", "203.0.113.77")
    let body = Payload.native(Payload.sessions(["a"]))
    #expect(client.send("POST", "/v1/payloads", [("X-Plumb-Key", key), device], body: body)?.status == 202)
    let form = [("Sec-Fetch-Site", "same-origin"), Self.form, device]
    #expect(client.send("POST", "/login", form, body: "user=ana&password=nonsense")?.status == 401)
    #expect(client.send("POST", "/login", form, body: "user=ana&password=\(Self.encoded)")?.status == 303)
    #expect(server.stop() == .exit(0))
    for name in try FileManager.default.subpathsOfDirectory(atPath: stage.data) {
      let bytes = FileManager.default.contents(atPath: stage.data + "/" + name)
      #expect(bytes?.range(of: Data("203.0.113.77".utf8)) == nil, "\(name)")
    }
  }

  @Test("a logged-in user can resolve, ignore and open groups on their pages, and no one else can")
  func groups() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let token = try stage.addToken()
    let server = try stage.serve()
    let body = """
      {"app":{"version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4"},"crashes":[{"exception":"EXC_BAD_ACCESS",
      "threads":[{"crashed":true,"frames":[{"binary":"Shop","offset":4096,"function":"Cart.checkout()"}]}]}]}
      """
    #expect(Payload.post(body, to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 1 }
    let client = server.connect()
    let list = client.get("/api/v1/apps/\(Payload.app)/groups", [("Authorization", "Bearer \(token)")])
    let id = try #require(try JSON(list?.text ?? "{}")["groups"][0]["id"].text)
    let address = "/apps/\(Payload.app)/groups/\(id)"
    let here = [("Host", "127.0.0.1:\(server.port)"), ("Origin", "http://127.0.0.1:\(server.port)"), Self.form]
    let entered = client.send("POST", "/login", here, body: "user=ana&password=\(Self.encoded)")
    let cookie = ("Cookie", try #require(entered?.header("Set-Cookie")).components(separatedBy: "; ")[0])
    func page() -> String { client.get(address, [cookie, Self.browser])?.text ?? "" }
    func decide(_ body: String) -> HTTPClient.Answer? { client.send("POST", address, here + [cookie], body: body) }
    #expect(page().contains("value=\"resolved\"") && !page().contains("plumb groups resolve"))
    // At once: the page before was in memory.
    let resolved = decide("release=+4.3.0++%2812%29&state=resolved")
    #expect(resolved?.status == 303 && resolved?.header("Location") == address)
    #expect(page().contains("resolved in") && page().contains("4.3.0 (12)") && page().contains("value=\"open\""))
    #expect(decide("release=&state=ignored")?.status == 303)
    #expect(page().contains("ignored"))
    #expect(decide("state=open")?.status == 303)
    #expect(page().contains("value=\"resolved\""))
    for wrong in [
      "", "state=gone", "state=resolved", "state=resolved&release=+", "state=resolved&release=Version+4.11.0",
    ] {
      #expect(decide(wrong)?.status == 400, "\(wrong)")
    }
    let other = client.send("POST", "/apps/\(Payload.app)/groups/0123456789abcdef", here + [cookie], body: "state=open")
    #expect(other?.status == 404)
    let foreign = [("Origin", "https://evil.example"), Self.form, cookie]
    #expect(client.send("POST", address, foreign, body: "state=ignored")?.status == 403)
    #expect(client.send("POST", address, here, body: "state=ignored")?.status == 401)
    #expect(
      client.send("POST", address, here + [("Authorization", "Bearer \(token)")], body: "state=ignored")?.status == 403)
    #expect(client.send("POST", "/apps/\(Payload.app)", here + [cookie], body: "state=open")?.status == 405)
    #expect(page().contains("value=\"resolved\""))
  }

  @Test("a login over https makes the cookie secure and accepts only the public address")
  func secure() throws {
    let stage = try Stage()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let client = try stage.serve("--public-url", "https://plumb.example.com").connect()
    let body = "user=ana&password=\(Self.encoded)"
    let entered = client.send("POST", "/login", [("Origin", "https://plumb.example.com"), Self.form], body: body)
    #expect(entered?.header("Set-Cookie")?.contains("; Secure") == true)
    for origin in [
      "https://evil.example", "http://plumb.example.com", "null", "https://plumb.example.com.evil.example", "",
    ] {
      #expect(client.send("POST", "/login", [("Origin", origin), Self.form], body: body)?.status == 403, "\(origin)")
    }
    #expect(client.send("POST", "/login", [Self.form], body: body)?.status == 403)
    #expect(client.send("POST", "/login", [("Sec-Fetch-Site", "same-origin"), Self.form], body: body)?.status == 303)
  }

  @Test("a login with a wrong name or password does not reveal which, and is limited")
  func wrong() throws {
    let stage = try Stage()
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let client = try stage.serve().connect()
    let here = [("Sec-Fetch-Site", "same-origin"), Self.form]
    let known = client.send("POST", "/login", here, body: "user=ana&password=nonsense")
    let unknown = client.send("POST", "/login", here, body: "user=bob&password=nonsense")
    #expect(known?.status == 401 && known?.text == unknown?.text)
    for body in ["", "&&&", "user=%00&password=%ff", "password=x", "user=ana"] {
      #expect([401, 429].contains(client.send("POST", "/login", here, body: body)?.status), "\(body)")
    }
    var last: HTTPClient.Answer?
    for _ in 0..<6 { last = client.send("POST", "/login", here, body: "user=ana&password=nonsense") }
    #expect(last?.status == 429)
    #expect(last?.header("Retry-After").flatMap { Int($0) }.map { (1...60).contains($0) } == true)
  }

  @Test("a login answers existing and invented names alike, however many were tried before")
  func names() throws {
    let stage = try Stage()
    for name in ["ana", "ben"] { #expect(try stage.run("user", "add", name, input: Self.password + "\n").succeeded) }
    #expect(try stage.run("user", "add", "eva", "--external", "--role", "reader").succeeded)
    let server = try stage.serve()
    @Sendable func enter(_ name: String, _ password: String = "nonsense") -> (
      answer: HTTPClient.Answer?, seconds: Double
    ) {
      let start = Date()
      let here = [("Sec-Fetch-Site", "same-origin"), Self.form]
      let body = "user=\(name)&password=\(password)"
      let answer = server.connect(timeout: 30).send("POST", "/login", here, body: body)
      return (answer, Date().timeIntervalSince(start))
    }
    // All at once: five are within the limit of the address, whosever their names are.
    let names = (0..<20).flatMap { ["nina\($0)", $0 < 3 ? ["ana", "ben", "eva"][$0] : "nobody\($0)"] }
    let answers = Mutex<[(answer: HTTPClient.Answer?, seconds: Double)]>([])
    let crew = Crew(names.count) { index in
      let answered = enter(names[index])
      answers.withLock { $0.append(answered) }
    }
    #expect(crew.wait(seconds: 60))
    var pages: [Int: Set<String>] = [:]
    for (answer, seconds) in answers.withLock({ $0 }) {
      let answer = try #require(answer)
      let head = answer.head.split(separator: "\r\n").map { $0.split(separator: ":")[0] }.joined(separator: ",")
      pages[answer.status, default: []].insert(head + answer.text.filter { !$0.isNumber })
      // Beyond it every refusal waits for as long, so that no name is told by the time that its password takes.
      if answer.status == 429 { #expect(seconds >= 1.9, "\(seconds) s") }
    }
    #expect(Set(pages.keys) == [401, 429] && pages.values.allSatisfy { $0.count == 1 }, "\(pages)")
    #expect(answers.withLock { $0.count { $0.answer?.status == 429 } } >= 20)
    // Nobody at the address is locked out by that.
    #expect(enter("ben", Self.encoded).answer?.status == 303)
  }

  @Test("a login queries a provider within a rate, and logs failures of one cause once a minute")
  func provider() throws {
    let issuer = Mutex("")
    let provider = Sink { _, request in
      guard request.head.hasPrefix("GET /.well-known/") else {
        return .status(400, body: "{\"error\":\"invalid_grant\"}")
      }
      let base = issuer.withLock { $0 }
      return .status(
        200,
        body: """
          {"issuer":"\(base)","authorization_endpoint":"\(base)/a","token_endpoint":"\(base)/t","jwks_uri":"\(base)/k"}
          """)
    }
    issuer.withLock { $0 = "http://127.0.0.1:\(provider.port)" }
    let stage = try Stage()
    let settings = "login:\n  oidc:\n    issuer: \(issuer.withLock { $0 })\n    client-id: p\n    allowed: everyone"
    let server = try stage.serve("--config", try stage.write(settings, to: "plumb.yaml"))
    let client = server.connect()
    let begun = try #require(client.get("/login/oidc"))
    #expect(begun.status == 303)
    let cookie = ("Cookie", try #require(begun.header("Set-Cookie")).components(separatedBy: ";")[0])
    let address = try #require(begun.header("Location"))
    let state = try #require(
      address.split(separator: "&").first { $0.hasPrefix("state=") }?.dropFirst(6).description)
    var statuses: [Int: Int] = [:]
    for index in 0..<300 {
      let own = index % 3 > 0
      let answer = client.get("/login/oidc/callback?code=x&state=\(state)", own ? [cookie] : [])
      statuses[answer?.status ?? 0, default: 0] += 1
      if answer?.status == 429 { #expect(answer?.header("Retry-After") != nil) }
    }
    #expect(statuses[400] == 100 && (statuses[502] ?? 0) >= 10 && (statuses[429] ?? 0) >= 170, "\(statuses)")
    let lines = server.child.errors.split(separator: "\n").filter { $0.contains("sign-in with the provider failed") }
    #expect((1...4).contains(lines.count), "\(lines)")
    #expect(provider.requests.count <= 30)
  }

  @Test("a login ends with its user, and short passwords or invalid names are refused")
  func users() throws {
    let stage = try Stage()
    #expect(try stage.run("user", "add", "ana", input: "short\n").ending != .exit(0))
    #expect(try stage.run("user", "add", "a b", input: Self.password + "\n").ending == .exit(64))
    #expect(try stage.run("user", "add", "ana").ending != .exit(0), "no password at all")
    #expect(try stage.run("user", "add", "ana", input: Self.password + "\n").succeeded)
    let client = try stage.serve().connect()
    let here = [("Sec-Fetch-Site", "same-origin"), Self.form]
    let entered = client.send("POST", "/login", here, body: "user=ana&password=\(Self.encoded)")
    let cookie = try #require(entered?.header("Set-Cookie")?.components(separatedBy: ";").first)
    #expect(client.get("/", [("Cookie", cookie)])?.status == 200)
    #expect(try stage.run("user", "remove", "ana").ending == .exit(1), "she is the only administrator")
    #expect(client.get("/", [("Cookie", cookie)])?.status == 200)
    #expect(try stage.run("user", "remove", "ana", "--force").succeeded)
    #expect(client.get("/", [("Cookie", cookie)])?.status == 401)
    #expect(try stage.run("user", "remove", "ana", "--force").ending != .exit(0))
  }
}
