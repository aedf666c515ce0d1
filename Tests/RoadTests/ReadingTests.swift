import Foundation
import Testing
import TestSupport

@Suite("Reading the dashboard")
struct ReadingTests {
  private static let browser = ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")

  @Test("without login or token the dashboard sends browsers to the login page and programs 401, and reveals nothing")
  func locked() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let client = try stage.serve().connect()
    let paths = ["/", "/apps/\(Payload.app)", "/apps/nobody", "/apps/\(Payload.app)/metrics/screen.load", "/nowhere"]
    for path in paths {
      let page = client.get(path, [Self.browser])
      #expect(page?.status == 303 && page?.header("Location")?.hasPrefix("/login") == true, "\(path)")
      let plain = client.get(path)
      #expect(plain?.status == 401 && plain?.header("WWW-Authenticate") == "Bearer", "\(path)")
      #expect(plain?.text.contains(Payload.app) == false)
    }
    for path in ["/api/v1/apps/\(Payload.app)/report", "/metrics", "/api/nowhere"] {
      #expect(client.get(path, [("Accept", "application/json")])?.status == 401, "\(path)")
    }
    // Local requests are not special without --open.
    #expect(client.get("/", [("Host", "localhost")])?.status == 401)
    #expect(client.get("/healthz")?.text == "ok\n")
    #expect(client.get("/readyz")?.status == 200)
  }

  @Test("the dashboard works with a token until it is removed")
  func token() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = server.connect()
    let token = try stage.addToken("grafana")
    let own = [("Authorization", "Bearer \(token)")]
    // The server looks for news of unknown keys twenty times a second.
    #expect(eventually { client.get("/", own)?.status == 200 })
    for path in ["/", "/apps/\(Payload.app)", "/api/v1/apps/\(Payload.app)/report", "/metrics"] {
      #expect(client.get(path, own)?.status == 200, "\(path) \(server.child.errors)")
    }
    #expect(client.get("/metrics", own)?.text.contains("\nplumb_http_responses_total{class=\"2xx\"} ") == true)
    #expect(client.get("/", [("Authorization", "Bearer \(key)")])?.status == 401, "an ingest key cannot read")
    #expect(client.get("/", [("Authorization", "Bearer \(token)x")])?.status == 401)
    #expect(client.get("/?key=\(token)")?.status == 401, "a token in an address would be logged")
    #expect(try stage.run("token", "list").output.contains("grafana"))
    #expect(try !stage.run("token", "list").output.contains(token))
    #expect(try stage.run("token", "remove", "grafana").succeeded)
    #expect(eventually { client.get("/", own)?.status == 401 })
  }

  @Test("the dashboard sends pages and assets as gzip on request, with their own tag, but never a page with keys")
  func gzip() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    Payload.post(Payload.native(Payload.measurements("screen.load", [400])), to: server, key: key)
    _ = try stage.report { $0.metric("screen.load")["n"].integer == 1 }
    let client = server.connect()
    let local = ("Host", "localhost")
    for path in ["/apps/\(Payload.app)", "/guides", "/api/v1/apps/\(Payload.app)/report", "/plumb.css"] {
      let plain = try #require(client.get(path, [local]))
      let packed = try #require(client.get(path, [local, ("Accept-Encoding", "br;q=1.0, gzip;q=0.5")]))
      #expect(packed.status == 200 && packed.header("Content-Encoding") == "gzip", "\(path)")
      #expect(plain.header("Content-Encoding") == nil && packed.body.count < plain.body.count)
      #expect(packed.header("ETag") != plain.header("ETag"))
      #expect(packed.header("Vary")?.contains("Accept-Encoding") == true)
      let file = stage.folder + "/page.gz"
      try Data(packed.body).write(to: URL(fileURLWithPath: file))
      let unpacked = try stage.run(program: "/bin/gzip", ["-dc", file])
      #expect(unpacked.succeeded && unpacked.output.utf8.count > 1_000, "\(unpacked.errors)")
      #expect(path != "/guides" || unpacked.output == plain.text)
      let tag = try #require(packed.header("ETag"))
      let again = client.get(path, [local, ("Accept-Encoding", "gzip"), ("If-None-Match", tag)])
      #expect(again?.status == 304)
      #expect(client.get(path, [local, ("Accept-Encoding", "gzip;q=0")])?.header("Content-Encoding") == nil)
    }
    let setup = client.get("/apps/\(Payload.app)/setup", [local, ("Accept-Encoding", "gzip")])
    #expect(setup?.status == 200 && setup?.header("Content-Encoding") == nil)
  }

  @Test("the dashboard sends the policy with every page, and tags that avoid sending it twice")
  func headersOfPages() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())"), Self.browser]
    let server = try stage.serve()
    Payload.post(Payload.native(Payload.measurements("screen.load", [400])), to: server, key: key)
    _ = try stage.report { $0.metric("screen.load")["n"].integer == 1 }
    let client = server.connect()
    let paths = [
      "/", "/apps/\(Payload.app)", "/apps/\(Payload.app)/metrics/screen.load", "/login", "/plumb.css", "/favicon.svg",
      "/nowhere", "/apps/nobody", "/apps/\(Payload.app)?from=yesterday",
    ]
    for path in paths {
      let page = try #require(client.get(path, own))
      #expect(
        page.header("Content-Security-Policy")
          == "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
          + "base-uri 'none'; frame-ancestors 'none'", "\(path)")
      #expect(page.header("X-Content-Type-Options") == "nosniff", "\(path)")
      #expect(page.header("Content-Type")?.isEmpty == false, "\(path)")
      let head = try #require(client.send("HEAD", path, own))
      #expect(head.status == page.status && head.header("Content-Length") == page.header("Content-Length"), "\(path)")
      guard page.status == 200, path != "/login" else { continue }
      // The page may change in the meantime: counts of requests are flushed a second after the payload.
      var isSame = false
      for _ in 0..<5 where !isSame {
        let tag = try #require(client.get(path, own)?.header("ETag"), "\(path)")
        let same = client.get(path, own + [("If-None-Match", tag)])
        let listed = client.get(path, own + [("If-None-Match", "\"other\", W/\(tag)")])
        isSame = same?.status == 304 && same?.header("ETag") == tag && listed?.status == 304
      }
      #expect(isSame, "\(path)")
      #expect(client.get(path, own + [("If-None-Match", "\"other\"")])?.status == 200, "\(path)")
    }
  }

  @Test("the dashboard answers not found in the client's format, and names the allowed methods")
  func errors() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let client = try stage.serve().connect()
    let page = client.get("/apps/nobody", own + [Self.browser])
    #expect(page?.status == 404 && page?.header("Content-Type") == "text/html; charset=utf-8")
    #expect(page?.text.lowercased().hasPrefix("<!doctype html>") == true)
    for path in ["/apps/nobody", "/api/v1/apps/nobody/report", "/apps", "/apps/a/b/c/d", "/v1", "/api/v2/"] {
      let problem = client.get(path, own)
      #expect(problem?.status == 404 && problem?.header("Content-Type") == "application/problem+json", "\(path)")
    }
    #expect(client.get("/apps/\(Payload.app)?from=yesterday", own)?.status == 400)
    #expect(client.get("/apps/\(Payload.app)?from=2026-11-20&to=2026-11-01", own)?.status == 400)
    let wrong = [("POST", "/", "GET, HEAD"), ("DELETE", "/login", "GET, HEAD, POST"), ("GET", "/logout", "POST")]
    for (method, path, allowed) in wrong {
      let answer = client.send(method, path, own)
      #expect(answer?.status == 405 && answer?.header("Allow") == allowed, "\(method) \(path)")
    }
    let long = client.send("POST", "/login", own, body: String(repeating: "x", count: 40_000))
    #expect(long?.status == 413)
  }

  @Test("the dashboard survives hostile URLs, and repeats nothing of them as markup")
  func hostile() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())"), Self.browser]
    let server = try stage.serve()
    let app = "/apps/\(Payload.app)"
    let hostile = [
      "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/apps/..%2f..%2fcontrol.db", "/apps/%00", "\(app)%00",
      "/apps/<script>alert(1)</script>", "/apps/%3Cscript%3Ealert(1)%3C/script%3E", "/%ff%fe", "/%", "/%zz", "//",
      "///apps//",
      "\(app)/metrics/%3Cscript%3E", "\(app)?release=%3Cscript%3Ealert(1)%3C/script%3E", "\(app)?release=%00%ff",
      "\(app)?from=%3Cscript%3E", "\(app)?from=0000-00-00", "\(app)?from=9999-12-31&to=9999-12-31",
      "\(app)?from=-9223372036854775808", "\(app)?from=0001-01-01&to=9999-12-31", "\(app)?to=0001-01-01",
      "\(app)?device=%27%3B%20DROP%20TABLE%20cell%3B--", "\(app)?environment=" + String(repeating: "a", count: 20_000),
      "\(app)?&&&=&=&a=&release", "\(app)?" + String(repeating: "a&", count: 100),
      "/apps/" + String(repeating: "%61/", count: 2000), "/apps/%0d%0aSet-Cookie:%20a=b",
    ]
    for target in hostile {
      let answer = server.connect().get(target, own)
      let status = try #require(answer?.status, "\(target.prefix(60))")
      #expect([200, 400, 404, 413, 414, 431].contains(status), "\(status) \(target.prefix(60))")
      #expect(answer?.text.contains("<script>alert") != true, "\(target.prefix(60))")
      #expect(answer?.headers("Set-Cookie").isEmpty == true)
    }
    #expect(server.connect().get(app, own)?.status == 200)
    #expect(server.stop() == .exit(0))
  }

  @Test("the dashboard distinguishes URLs that are equal only after decoding")
  func cachedApart() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let client = try stage.serve().connect()
    let report = "/api/v1/apps/\(Payload.app)/report"
    let two = client.get("\(report)?release=a&os=b", own)
    let one = client.get("\(report)?release=a%26os%3Db", own)
    #expect(try JSON(two?.text ?? "")["slice"]["os"].text == "b")
    #expect(try JSON(one?.text ?? "")["slice"]["release"].text == "a&os=b")
    #expect(client.get("/api%00v1%00apps%00\(Payload.app)%00report?release=a&os=b", own)?.status == 404)
  }

  @Test("a server with --open on this machine is not open to other machines")
  func open() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let server = try stage.serve("--open")
    let client = server.connect()
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST:\(server.port)", "127.0.0.1:\(server.port)", "[::1]:80"]
    {
      #expect(client.get("/", [("Host", host)])?.status == 200, "\(host)")
    }
    let foreign = [
      "plumb.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.2",
      "localhost:x", "", "0.0.0.0",
      "localhost@evil.example", "evil.example#localhost",
    ]
    for host in foreign { #expect(client.get("/", [("Host", host)])?.status != 200, "\(host)") }
    let passedOn = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-proto", "Via", "X-Real-IP"]
    for header in passedOn {
      #expect(client.get("/", [("Host", "localhost"), (header, "203.0.113.7")])?.status == 401, "\(header)")
      #expect(client.get("/metrics", [("Host", "localhost"), (header, "")])?.status == 401, "\(header)")
    }
    #expect(client.get("/", [("Host", "localhost"), ("Host", "evil.example")])?.status != 200)
    #expect(try stage.run("serve", "--listen", "0.0.0.0:0", "--open").ending == .exit(64))
  }
}
