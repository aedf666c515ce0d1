import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Web

@Suite("Responses on the wire")
struct ResponseTests {
  @Test("HEAD gets the headers of GET and no body")
  func head() throws {
    let scene = try Scene { _, reply in reply.send(.text("twelve bytes")) }
    let client = scene.connect()
    client.write("HEAD", "/")
    let head = client.answer(hasBody: false)
    #expect(head?.status == 200)
    #expect(head?.header("content-length") == "12")
    client.write("GET", "/")
    #expect(client.answer()?.text == "twelve bytes")
  }

  @Test("304 and 204 have no body and keep the connection", arguments: [204, 304])
  func bodiless(status: Int) throws {
    let scene = try Scene { request, reply in
      reply.send(request.head.path == "/x" ? .init(status: status, headers: [("ETag", "\"1\"")]) : .text("next"))
    }
    let client = scene.connect()
    client.write("GET", "/x")
    let answer = client.answer(hasBody: false)
    #expect(answer?.status == status)
    #expect(answer?.header("etag") == "\"1\"")
    client.write("GET", "/")
    #expect(client.answer()?.text == "next")
  }

  @Test(
    "a header that is not one line of text turns the answer into a 500 without it",
    arguments: [
      ("Location", "/a\r\nSet-Cookie: stolen=1"), ("Location", "/a\nSet-Cookie: stolen=1"), ("Location", "/a\r"),
      ("Location", "/a\0b"), ("X-A\r\nSet-Cookie", "stolen=1"), ("X A", "b"), ("", "b"), ("X:A", "b"),
    ])
  func injection(name: String, value: String) throws {
    let scene = try Scene { _, reply in
      reply.send(Response(status: 302, headers: [(name, value)], body: [UInt8]("secret".utf8)))
    }
    let client = scene.connect()
    client.write("GET", "/")
    let answer = client.answer()
    #expect(answer?.status == 500)
    #expect(answer?.header("set-cookie") == nil)
    #expect(answer?.text.contains("secret") == false)
    #expect(client.isSilent(milliseconds: 50))
  }

  @Test("a status that HTTP does not have is sent as 500", arguments: [0, -1, 99, 100, 199, 600, Int.max, Int.min])
  func status(status: Int) throws {
    let scene = try Scene { _, reply in reply.send(Response(status: status)) }
    let client = scene.connect()
    client.write("GET", "/")
    #expect(client.answer()?.status == 500)
  }

  @Test("headers keep their order and repetitions, and the server's own are not doubled")
  func headers() throws {
    let scene = try Scene { _, reply in
      let fields = [("X-B", "1"), ("X-A", "2"), ("X-B", "3"), ("Content-Length", "99"), ("X-None", ""), ("X-É", "")]
      reply.send(Response(status: 200, headers: fields, body: [65]))
    }
    let client = scene.connect()
    client.write("GET", "/")
    let answer = client.answer()
    #expect(answer?.text == "A")
    let own = answer?.head.split(separator: "\r\n").filter { $0.hasPrefix("X-") }
    #expect(own == ["X-B: 1", "X-A: 2", "X-B: 3"])
    #expect(answer?.header("content-length") == "1")
  }

  @Test("a prepared response is sent unchanged to many connections, and can be changed into another")
  func prepared() throws {
    let page = Response.text(String(repeating: "page ", count: 50_000)).prepared()
    var changed = page
    changed.headers.append(("X-Changed", "yes"))
    let other = changed
    #expect(other.body == page.body)
    let scene = try Scene { request, reply in reply.send(request.head.path == "/other" ? other : page) }
    Crew(8) { _ in
      let client = scene.connect()
      for _ in 0..<20 {
        client.write("GET", "/")
        let answer = client.answer()
        #expect(answer?.text.utf8.count == 250_000)
        #expect(answer?.header("x-changed") == nil)
        client.write("GET", "/other")
        #expect(client.answer()?.header("x-changed") == "yes")
      }
    }.wait()
  }

  @Test("a problem is RFC 9457's JSON, whatever its texts contain")
  func problem() throws {
    let detail = "quote \" backslash \\ newline \n tab \t bell \u{7} é 🙂 </script>"
    let response = Response.problem(
      422, "Not a payload", detail: detail, ["path": "$.a[3]", "limit": 7, "allowed": .array(["a\"", "b"])])
    let decoded = try JSONSerialization.jsonObject(with: Data(response.body))
    let json = try #require(decoded as? [String: Any])
    #expect(json["type"] as? String == "about:blank")
    #expect(json["title"] as? String == "Not a payload")
    #expect(json["status"] as? Int == 422)
    #expect(json["detail"] as? String == detail)
    #expect(json["path"] as? String == "$.a[3]")
    #expect(json["limit"] as? Int == 7)
    #expect(json["allowed"] as? [String] == ["a\"", "b"])
    #expect(response.headers.first?.1 == "application/problem+json")
  }
}
