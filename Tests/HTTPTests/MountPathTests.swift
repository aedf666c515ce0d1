import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("A server below a path")
struct MountPathTests {
  @Test("a base path has plain names, with or without a slash at its end")
  func paths() {
    for (text, path) in [
      ("", ""), ("/", ""), ("/plumb", "/plumb"), ("/plumb/", "/plumb"), ("/a/b-1/c_~.d/", "/a/b-1/c_~.d"),
    ] {
      #expect(MountPath(text)?.path == path, "\(text)")
    }
    for text in ["plumb", "//", "/a//b", "/a/../b", "/.", "/a b", "/a%20b", "/a;b", "/a\"b", "/ä", "/a?b", "/a\r\nb"] {
      #expect(MountPath(text) == nil, "\(text)")
    }
  }

  @Test(
    "a server below a path sees equal paths whether its proxy removes the path or keeps it",
    arguments: [
      ("/plumb", "/"), ("/plumb/", "/"), ("/plumb/apps/a%2Fb?x=1", "/apps/a/b"), ("/apps/a%2Fb?x=1", "/apps/a/b"),
      ("/plumber", "/plumber"), ("/plumb/plumb", "/plumb"), ("/", "/"), ("/Plumb/x", "/Plumb/x"),
    ])
  func requests(target: String, expected: String) throws {
    let seen = Mutex<[String]>([])
    let scene = try Scene(configure: { $0.mountPath = MountPath("/plumb") ?? .root }) { request, reply in
      let snapshot = request.snapshot()
      seen.withLock { $0 += [request.head.path, snapshot.path, snapshot.mountPath, snapshot.query("x") ?? "none"] }
      reply.send(.text(""))
    }
    let client = scene.connect()
    client.write("GET", target)
    #expect(client.answer()?.status == 200)
    #expect(seen.withLock { $0 } == [expected, expected, "/plumb", target.contains("?") ? "1" : "none"])
  }

  @Test("a server below a path redirects to its own paths below it, and to other servers unchanged")
  func locations() throws {
    let scene = try Scene(configure: { $0.mountPath = MountPath("/plumb") ?? .root }) { request, reply in
      let target = request.head.query("to") ?? ""
      let response = Response(status: 303, headers: [("Location", target), ("X-Other", "/x")])
      reply.send(request.head.path == "/prepared" ? response.prepared() : response)
    }
    for path in ["/plumb/", "/prepared"] {
      for (to, expected) in [
        ("/login", "/plumb/login"), ("/", "/plumb/"), ("https://id.example/auth", "https://id.example/auth"),
        ("//other.example/", "//other.example/"),
      ] {
        let client = scene.connect()
        client.write("GET", "\(path)?to=\(to)")
        let answer = client.answer()
        #expect(answer?.header("Location") == expected && answer?.header("X-Other") == "/x", "\(path) \(to)")
      }
    }
  }

  @Test("a running server below a path answers over a socket with its handler's answers")
  func selfRequest() throws {
    let scene = try Scene { request, reply in
      reply.send(.text("", status: request.head.path == "/healthz" ? 200 : 404))
    }
    #expect(scene.server.answers("/healthz", within: 20))
    #expect(!scene.server.answers("/other", within: 20))
    scene.server.stop {}
    #expect(!scene.server.answers("/healthz", within: 1))
  }
}
