import Foundation
import Testing
import TestSupport

@Suite("Roles and permissions")
struct RoleTests {
  private static let browser = ("Accept", "text/html")
  private static let form = ("Content-Type", "application/x-www-form-urlencoded")
  private static let notes = "com.example.notes"
  private static let crash = """
    {"app":{"version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4"},"crashes":[{"exception":"EXC_BAD_ACCESS",
    "threads":[{"crashed":true,"frames":[{"binary":"Shop","offset":4096,"function":"Cart.checkout()"}]}]}]}
    """

  /// Two apps with a crash each, in a data folder.
  private func stage() throws -> (Stage, keys: [String: String]) {
    let stage = try Stage()
    return (stage, [Payload.app: try stage.addApp(), Self.notes: try stage.addApp(Self.notes)])
  }

  private func addUser(_ stage: Stage, _ words: String...) throws {
    let added = try stage.run(
      program: Program.plumb, ["user", "add"] + words, input: "a long password\n")
    try #require(added.succeeded, "\(added.errors)")
  }

  private func addToken(_ stage: Stage, _ words: String...) throws -> (String, String) {
    let added = try stage.run(program: Program.plumb, ["token", "add"] + words)
    try #require(added.succeeded, "\(added.errors)")
    return ("Authorization", "Bearer " + added.output.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func own(_ server: ServerProcess) -> [(String, String)] {
    [("Host", "127.0.0.1:\(server.port)"), ("Origin", "http://127.0.0.1:\(server.port)"), Self.form]
  }

  /// The cookie of a login.
  private func logIn(_ name: String, _ server: ServerProcess) throws -> (String, String) {
    let answer = server.connect().send("POST", "/login", own(server), body: "user=\(name)&password=a+long+password")
    return ("Cookie", try #require(answer?.header("Set-Cookie")).components(separatedBy: "; ")[0])
  }

  private func group(_ app: String, _ client: HTTPClient, _ headers: (String, String)...) throws -> String {
    let list = client.get("/api/v1/apps/\(app)/groups", headers)
    return try #require(try JSON(list?.text ?? "{}")["groups"][0]["id"].text)
  }

  /// Sends a crash for each app, and waits until both are counted.
  private func fill(_ stage: Stage, _ keys: [String: String], _ server: ServerProcess) throws {
    for (app, key) in keys {
      #expect(Payload.post(Self.crash, to: server, key: key) == 202)
      _ = try stage.report(of: app) { $0.metric("crash.count")["sum"].number == 1 }
    }
  }

  @Test("an app that a user or token may not read appears nowhere, and read access allows no decisions")
  func apps() throws {
    let (stage, keys) = try stage()
    try addUser(stage, "root")
    try addUser(stage, "eve", "--role", "reader", "--app", Payload.app)
    try addUser(stage, "zoe", "--role", "editor", "--app", Payload.app)
    let all = try addToken(stage, "all")
    let one = try addToken(stage, "one", "--app", Payload.app)
    let server = try stage.serve()
    try fill(stage, keys, server)
    let client = server.connect()
    let groups = [Payload.app: try group(Payload.app, client, all), Self.notes: try group(Self.notes, client, all)]
    for reader in [try logIn("eve", server), one] {
      for path in ["/", "/alerts", "/api/v1/apps", "/api/v1/alerts"] {
        let answer = client.get(path, [reader])
        #expect(answer?.status == 200 && answer?.text.contains(Self.notes) == false, "\(path)")
      }
      #expect(client.get("/", [reader])?.text.contains(Payload.app) == true)
      for path in [
        "", "/groups", "/groups/\(groups[Self.notes] ?? "")", "/diagnostics", "/setup", "/alerts", "/compare",
      ] {
        #expect(client.get("/apps/\(Self.notes)\(path)", [reader])?.status == 404, "\(path)")
        #expect(client.get("/apps/\(Payload.app)\(path.hasPrefix("/groups/") ? "" : path)", [reader])?.status == 200)
      }
      for path in ["report", "metrics", "groups", "diagnostics", "symbols", "data-quality", "exits?format=csv"] {
        #expect(client.get("/api/v1/apps/\(Self.notes)/\(path)", [reader])?.status == 404, "\(path)")
      }
      // What is not of one app.
      #expect(client.get("/metrics", [reader])?.status == 403 && client.get("/metrics", [all])?.status == 200)
      #expect(client.get("/api/v1/symbols", [reader])?.status == 404)
      for path in ["/audit", "/account/all", "/api/v1/audit"] {
        #expect([403, 404].contains(client.get(path, [reader])?.status), "\(path)")
      }
    }
    // The same addresses for those who may: a page of one reader is none of another.
    #expect(client.get("/", [all])?.text.contains(Self.notes) == true)
    let root = try logIn("root", server)
    #expect(client.get("/", [root])?.text.contains(Self.notes) == true)
    #expect(client.get("/audit", [root])?.status == 200)

    func decide(_ app: String, _ who: (String, String), api: Bool = false) -> Int? {
      let path = "\(api ? "/api/v1" : "")/apps/\(app)/groups/\(groups[app] ?? "")"
      let body = api ? "{\"state\":\"ignored\"}" : "state=ignored"
      return client.send("POST", path, own(server) + [who], body: body)?.status
    }
    let eve = try logIn("eve", server)
    let zoe = try logIn("zoe", server)
    #expect(decide(Payload.app, eve) == 403 && decide(Self.notes, eve) == 404)
    let address = "/apps/\(Payload.app)/groups/\(groups[Payload.app] ?? "")"
    #expect(client.get(address, [eve, Self.browser])?.text.contains("name=\"state\"") == false)
    #expect(client.get(address, [zoe, Self.browser])?.text.contains("name=\"state\"") == true)
    #expect(decide(Payload.app, zoe) == 303 && decide(Self.notes, zoe) == 404)
    #expect(decide(Payload.app, all, api: true) == 403 && decide(Payload.app, one, api: true) == 403)
    let triage = try addToken(stage, "triage", "--scope", "read,edit", "--app", Self.notes)
    #expect(decide(Self.notes, triage, api: true) == 204 && decide(Payload.app, triage, api: true) == 404)
    let log = try stage.run("audit", "--action", "group", "--json").output.split(separator: "\n").map {
      try JSON(String($0))
    }
    #expect(log.map { $0["name"].text } == ["triage", "zoe"] && log.map { $0["by"].text } == ["token", "user"])
    #expect(log.map { $0["app"].text } == [Self.notes, Payload.app])

    // Silences, likewise.
    func silence(_ app: String, _ who: (String, String), _ body: String) -> Int? {
      client.send("POST", "/apps/\(app)/silences", own(server) + [who], body: body)?.status
    }
    #expect(silence(Payload.app, eve, "hours=4&reason=x") == 403 && silence(Self.notes, zoe, "hours=4&reason=x") == 404)
    for wrong in ["", "hours=0&reason=x", "hours=4", "hours=4&reason=+", "hours=99999&reason=x"] {
      #expect(silence(Payload.app, zoe, wrong) == 400, "\(wrong)")
    }
    #expect(silence(Payload.app, zoe, "hours=4&reason=the+server+moves&rule=stale&release=") == 303)
    let alerts = client.get("/apps/\(Payload.app)/alerts", [zoe, Self.browser])?.text ?? ""
    #expect(alerts.contains("the server moves") && alerts.contains("silences/1"))
    let seen = client.get("/apps/\(Payload.app)/alerts", [eve, Self.browser])?.text ?? ""
    #expect(seen.contains("the server moves") && !seen.contains("silences/1\""))
    #expect(try stage.run("silence", "list").output.contains("stale"))
    let silences = "/api/v1/apps/\(Payload.app)/silences"
    #expect(client.get(silences, [one])?.text.contains("the server moves") == true)
    #expect(client.send("DELETE", "/api/v1/apps/\(Self.notes)/silences/1", [triage])?.status == 404, "of another app")
    #expect(client.send("DELETE", silences + "/1", [one])?.status == 403)
    let editor = try addToken(stage, "editor", "--scope", "edit")
    #expect(client.send("POST", silences, [editor], body: "{\"hours\":1,\"reason\":\"x\"}")?.status == 204)
    #expect(client.send("DELETE", silences + "/1", [editor])?.status == 204)
    #expect(client.send("DELETE", silences + "/1", [editor])?.status == 404)
    #expect(try stage.run("audit", "--action", "silence").output.contains("token editor  silence.remove"))

    // A change holds from the next request on.
    #expect(try stage.run("user", "role", "eve", "none").succeeded)
    #expect(client.get("/", [eve])?.status == 403)
    #expect(try stage.run("user", "role", "eve", "editor").succeeded)
    #expect(decide(Self.notes, eve) == 303)
    #expect(try stage.run("app", "remove", Payload.app, "--yes").succeeded)
    #expect(client.get("/", [zoe])?.status == 403, "her only app is gone")
  }

  @Test("a token ends at its stated time, and no scope replaces another")
  func tokens() throws {
    let (stage, _) = try stage()
    let server = try stage.serve()
    let client = server.connect()
    let admin = try addToken(stage, "auditor", "--scope", "admin")
    #expect(client.get("/api/v1/audit?action=token", [admin])?.text.contains("auditor") == true)
    #expect(client.get("/api/v1/audit?limit=5", [admin])?.status == 400)
    #expect(client.get("/apps/\(Payload.app)", [admin])?.status == 404, "it reads nothing")
    let upload = try addToken(stage, "ci", "--uploads")
    #expect(client.get("/", [upload])?.status == 401)
    let short = try addToken(stage, "short", "--expires", "1s")
    #expect(try stage.run("token", "list").output.contains("short  reads  since"))
    // Not by the answer 401 alone, which a token also gets until the server knows it.
    #expect(eventually { (try? stage.run("token", "list").output.contains("  expired 20")) == true })
    #expect(client.get("/api/v1/apps", [short])?.status == 401)
    for words in [
      ["--scope", "write"], ["--scope", ""], ["--expires", "yesterday"], ["--expires", "2020-01-01T00:00:00Z"],
      ["--uploads", "--scope", "read"], ["--uploads", "--app", Payload.app],
      ["--scope", "admin", "--app", Payload.app],
    ] {
      let told = try stage.run(program: Program.plumb, ["token", "add", "x"] + words)
      #expect(told.ending == .exit(64), "\(words)")
    }
    #expect(try stage.run("token", "add", "x", "--app", "com.none").ending == .exit(1))
  }

  @Test("the last administrator cannot be removed, and every decision by command names the machine's user")
  func administrators() throws {
    let (stage, _) = try stage()
    try addUser(stage, "root")
    try addUser(stage, "ben")
    let list = try stage.run("user", "list").output
    #expect(list.contains("admin on all apps") && list.contains("editor on all apps"))
    for words in [["remove", "root"], ["role", "root", "reader"], ["add", "root", "--external", "--role", "reader"]] {
      let told = try stage.run(program: Program.plumb, ["user"] + words)
      #expect(told.ending == .exit(1) && told.errors.contains("last administrator"), "\(words)")
    }
    #expect(try stage.run("user", "role", "ben", "owner").ending == .exit(64))
    #expect(try stage.run("user", "role", "nobody", "admin").ending == .exit(1))
    #expect(try stage.run("user", "role", "ben", "provider").ending == .exit(1), "ben has a password")
    #expect(try stage.run("user", "role", "root", "reader", "--force").succeeded)
    let me = try stage.run(program: "/usr/bin/id", ["-un"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let log = try stage.run("audit", "--who", me, "--action", "user.role").output
    #expect(log.contains("command \(me)  user.role  root  reader"), "\(log)")
    let sudo = try stage.run("user", "role", "ben", "admin", environment: ["SUDO_USER": "ana"])
    #expect(sudo.succeeded)
    #expect(try stage.run("audit", "--action", "user").output.contains("\(me), by sudo of ana"))
    #expect(try stage.run("audit", "--limit", "0").ending == .exit(64))
  }

  @Test("logins are listed and ended by their user, an administrator or a command, and no one else")
  func logins() throws {
    let (stage, _) = try stage()
    try addUser(stage, "root")
    try addUser(stage, "ben")
    let server = try stage.serve()
    let client = server.connect()
    let (root, ben, other) = (try logIn("root", server), try logIn("ben", server), try logIn("ben", server))
    func ids(_ user: String) throws -> [String] {
      try stage.run("user", "logins", user, "--json").output.split(separator: "\n").compactMap {
        try JSON(String($0))["id"].text
      }
    }
    func end(_ user: String, _ id: String, by who: (String, String)?, _ headers: [(String, String)]? = nil) -> Int? {
      client.send(
        "POST", "/account/end-login", (headers ?? own(server)) + (who.map { [$0] } ?? []),
        body: "user=\(user)&login=\(id)")?
        .status
    }
    func isIn(_ who: (String, String)) -> Bool { client.get("/", [who])?.status == 200 }
    let page = client.get("/account", [ben])?.text ?? ""
    let both = try ids("ben")
    #expect(both.count == 2 && both.allSatisfy { page.contains($0) })
    let ofRoot = try #require(ids("root").first)
    #expect(!page.contains(ofRoot) && page.contains("this login"))
    #expect(end("root", ofRoot, by: ben) == 403)
    #expect(end("ben", both[0], by: nil) == 401)
    #expect(end("ben", both[0], by: ben, [("Origin", "https://evil.example"), Self.form]) == 403)
    #expect(isIn(root) && isIn(ben) && isIn(other))
    // The newest comes first: it is the other one.
    #expect(end("ben", both[0], by: ben) == 303)
    #expect(isIn(ben) != isIn(other))
    #expect(end("ben", both[1], by: root) == 303)
    #expect(!isIn(ben) && !isIn(other) && isIn(root))
    #expect(client.get("/account/all", [root])?.text.contains("root") == true)
    let third = try logIn("ben", server)
    #expect(try stage.run("user", "logout", "ben", "--login", "000000000000").ending == .exit(1))
    #expect(try stage.run("user", "logout", "ben").succeeded)
    #expect(!isIn(third))
    // A login over an older one ends that: an id that was planted is good for nothing.
    let planted = try logIn("ben", server)
    let again = client.send(
      "POST", "/login", own(server) + [planted], body: "user=root&password=a+long+password&next=%2F%2Fevil.example")
    #expect(again?.header("Location") == "/" && !isIn(planted))
    let led = client.send("POST", "/login", own(server), body: "user=root&password=a+long+password&next=%2Falerts")
    #expect(led?.header("Location") == "/alerts")
    let asked = client.get("/apps/a%20b?x=1%262", [Self.browser])
    #expect(asked?.header("Location") == "/login?next=%2Fapps%2Fa%2520b%3Fx%3D1%25262")
    #expect(client.get("/login?next=%2F%2Fevil.example")?.text.contains("evil") == false)
  }

  @Test("headers of a proxy log people in only from the given address, and ambiguous ones are refused")
  func proxy() throws {
    let (stage, _) = try stage()
    try addUser(stage, "root")
    func settings(_ addresses: String) throws -> String {
      try stage.write(
        """
        login:
          proxy:
            addresses: [\(addresses)]
            groups-header: X-Groups
            allowed: { groups: [staff] }
            roles:
              - { group: shop, role: editor, apps: [\(Payload.app)] }
            default-role: none
        """, to: "plumb-\(addresses.count).yaml")
    }
    let server = try stage.serve("--config", try settings("127.0.0.1, 10.0.0.0/8"))
    let client = server.connect()
    let (ana, groups) = (("X-Forwarded-User", "ana"), ("X-Groups", "staff,shop"))
    #expect(client.get("/apps/\(Payload.app)", [ana, groups])?.status == 200)
    #expect(client.get("/apps/\(Self.notes)", [ana, groups])?.status == 404)
    #expect(client.get("/", [ana, groups])?.text.contains("Sign out") == false, "only the proxy can")
    #expect(client.get("/account", [ana, groups])?.status == 200)
    for refused in [
      [ana], [ana, ("X-Groups", "shop")], [ana, ("X-Groups", "staff")], [ana, ana, groups],
      [("X-Forwarded-User", "ana,root"), groups], [ana, groups, ("X-Forwarded-For", "192.0.2.1, 192.0.2.2")],
      // A user with a password is none of the proxy's.
      [("X-Forwarded-User", "root"), groups],
    ] {
      #expect(client.get("/", refused)?.status == 403, "\(refused)")
    }
    #expect(client.get("/", [ana, groups, ("X-Forwarded-For", "192.0.2.1")])?.status == 200)
    #expect(client.get("/", [ana, groups, ("X-Forwarded-For", "192.0.2.1, 10.1.2.3")])?.status == 200)
    #expect(client.get("/", [groups])?.status == 401)
    // Roles by hand come before the settings.
    #expect(try stage.run("user", "add", "ana", "--external", "--role", "reader", "--app", Self.notes).succeeded)
    #expect(client.get("/apps/\(Self.notes)", [ana, groups])?.status == 200)
    #expect(client.get("/apps/\(Payload.app)", [ana, groups])?.status == 404)
    _ = server.stop()
    let elsewhere = try stage.serve("--config", try settings("192.0.2.7"))
    #expect(elsewhere.connect().get("/", [ana, groups])?.status == 401, "the address is not named")
  }

  @Test("login settings are checked with their line, and secrets are never quoted")
  func settings() throws {
    let stage = try Stage()
    let issuer = "issuer: https://id.example.com"
    for (text, words) in [
      ("login: x", "expected the options of login"), ("login: { oidc: {} }", "oidc needs issuer"),
      ("login:\n  oidc:\n    \(issuer)\n    client-id: p", "oidc needs `allowed:`"),
      ("login:\n  oidc:\n    issuer: http://id.example.com\n    client-id: p\n    allowed: everyone", "https"),
      (
        "login:\n  oidc:\n    \(issuer)\n    client-id: p\n    allowed: everyone\n    client-secret: hunter2",
        "is a secret"
      ),
      (
        "login:\n  oidc:\n    \(issuer)\n    client-id: p\n    allowed: everyone\n    client-secret: { env: NONE }",
        "not set"
      ),
      (
        "login:\n  oidc:\n    \(issuer)\n    client-id: p\n    allowed: everyone\n    roles: [{ group: a, role: owner }]",
        "role"
      ),
      ("login:\n  proxy:\n    allowed: everyone", "addresses"),
      ("login: { passwords: false }", "no user could sign in"),
      ("login:\n  proxy:\n    addresses: [127.0.0.1]\n    allowed: { groups: [a] }", "groups-header"),
      ("login: { oidc: { issuer: 'https://a', client-id: p, allowed: everyone, session: soon } }", "session"),
    ] {
      let told = try stage.run("serve", "--listen", "127.0.0.1:0", "--config", try stage.write(text, to: "plumb.yaml"))
      #expect(told.ending == .exit(64) && told.errors.contains(words), "\(text): \(told.errors)")
      #expect(!told.errors.contains("hunter2"))
    }
    let right = "login:\n  oidc:\n    \(issuer)\n    client-id: p\n    allowed: everyone"
    let told = try stage.run(
      "serve", "--listen", "127.0.0.1:0", "--public-url", "http://plumb.example.com", "--config",
      try stage.write(right, to: "plumb.yaml"))
    #expect(told.ending == .exit(64) && told.errors.contains("public-url"))
  }

  @Test("administrators manage users on a page, others cannot, and the audit log has every change")
  func users() throws {
    let (stage, _) = try stage()
    try addUser(stage, "root")
    try addUser(stage, "ben", "--role", "editor")
    let token = try addToken(stage, "all", "--scope", "read,admin")
    let server = try stage.serve()
    let client = server.connect()
    let (root, ben) = (try logIn("root", server), try logIn("ben", server))
    func send(_ body: String, _ cookie: (String, String)) -> HTTPClient.Answer? {
      client.send("POST", "/account/users", own(server) + [cookie, Self.browser], body: body)
    }
    func page() -> String { client.get("/account/users", [root, Self.browser])?.text ?? "" }
    #expect(client.get("/account", [root, Self.browser])?.text.contains("/account/users") == true)
    #expect(page().contains("admin on all apps") && page().contains("editor on all apps"))
    #expect(client.get("/account/users", [ben, Self.browser])?.status == 403)
    #expect(client.get("/account/users", [token])?.status == 404, "a token is nobody")
    #expect(send("action=add&user=eve&password=a+long+password&role=admin&app=", ben)?.status == 403)
    let foreign = [("Origin", "https://evil.example"), Self.form, root]
    #expect(client.send("POST", "/account/users", foreign, body: "action=remove&user=ben&sure=ben")?.status == 403)

    let added = send("action=add&user=eve&password=a+long+password&role=reader&app=\(Payload.app)", root)
    #expect(added?.status == 303 && added?.header("Location") == "/account/users")
    let eve = try logIn("eve", server)
    #expect(client.get("/apps/\(Self.notes)", [eve, Self.browser])?.status == 404)
    #expect(send("action=role&user=eve&role=editor&app=\(Self.notes)", root)?.status == 303)
    #expect(page().contains("reader on \(Payload.app)") && page().contains("editor on \(Self.notes)"))
    #expect(client.get("/apps/\(Self.notes)", [eve, Self.browser])?.status == 200)
    #expect(send("action=password&user=eve&password=another+long+one", root)?.status == 303)
    #expect(client.get("/", [eve, Self.browser])?.status == 303, "logins end with the password")
    for (wrong, words) in [
      ("action=add&user=ben&password=a+long+password&role=reader", "already"),
      ("action=add&user=zoe&password=short&role=reader", "at least"), ("action=add&user=zoe&role=reader", "needed"),
      ("action=add&user=z%20oe&password=a+long+password&role=reader", "expected 1 to 64"),
      ("action=role&user=ben&role=king", "Choose a role"), ("action=role&user=ben&role=reader&app=no.app", "no app"),
      ("action=remove&user=eve&sure=yes", "Type eve"), ("action=remove&user=nobody&sure=nobody", "no user"),
      ("action=role&user=root&role=none&app=", "last administrator"), ("action=dance&user=ben", "not specify"),
    ] {
      let answer = send(wrong, root)
      #expect([400, 409].contains(answer?.status ?? 0) && answer?.text.contains(words) == true, "\(wrong)")
    }
    #expect(send("action=remove&user=eve&sure=eve", root)?.status == 303)
    #expect(!page().contains("reader of \(Payload.app)"))
    let log = try stage.run("audit", "--json")
    for action in ["user.add", "user.role", "user.password", "user.remove"] {
      let entry = #""name":"root","action":"\#(action)","app":null,"subject":"eve""#
      #expect(log.output.contains(entry), "\(action) \(log.output)")
    }
    #expect(server.stop() == .exit(0))
  }
}
