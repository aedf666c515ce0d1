import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Web

@Suite("The head of a request")
struct RequestHeadTests {
  /// What the server understood of a target, over a socket.
  private func seen(_ target: String, headers: String = "") throws -> RequestSnapshot {
    let snapshots = Mutex<[RequestSnapshot]>([])
    let scene = try Scene { request, reply in
      let snapshot = request.snapshot()
      snapshots.withLock { $0.append(snapshot) }
      reply.send(.text(""))
    }
    let client = scene.connect()
    client.write("GET", target, headers: headers)
    #expect(client.answer()?.status == 200)
    return try #require(snapshots.withLock { $0.first })
  }

  @Test(
    "request targets are decoded as in the URL standard, on a socket and without one",
    arguments: [
      "/", "/apps/com.example", "/a%20b/%C3%A9", "/a+b", "/x?from=2026-01-01&to=2026-01-02", "/x?q=a+b%2Bc%26d%3De",
      "/x?empty=&bare&a=1&a=2", "/x?iPhone12%2C*=%F0%9F%99%82", "/x?a=b=c",
    ])
  func targets(target: String) throws {
    let url = try #require(URLComponents(string: "http://t" + target))
    let query = (url.queryItems ?? []).map { item in
      // Foundation leaves "+" alone in queries: it decodes URLs, not forms.
      (item.name, url.percentEncodedQuery?.contains("+") == true ? nil : item.value ?? "")
    }
    for snapshot in [try seen(target), RequestSnapshot(method: "GET", target: target)] {
      #expect(snapshot.path == url.path)
      #expect(snapshot.query.map(\.name) == query.map(\.0))
      for (mine, theirs) in zip(snapshot.query, query) where theirs.1 != nil { #expect(mine.value == theirs.1) }
    }
  }

  @Test("no part of a head has more than thirty combining marks in a row")
  func marks() throws {
    let marks = "e" + String(repeating: "\u{301}", count: 300)
    let escaped = "e" + String(repeating: "%CC%81", count: 300)
    let snapshot = try seen(
      "/\(marks)/\(escaped)?\(marks)=\(escaped)&\(escaped)=\(marks)", headers: "X-Name: \(marks)\r\n")
    let header = try #require(snapshot.header("X-Name"))
    for text in [snapshot.path, header] + snapshot.query.flatMap({ [$0.name, $0.value] }) {
      #expect(text.unicodeScalars.contains("\u{FFFD}") && text.streamSafe.utf8.elementsEqual(text.utf8), "\(text)")
    }
  }

  @Test("plus is a space in a query and a plus in a path")
  func plus() throws {
    for snapshot in [try seen("/a+b?q=a+b%2Bc"), RequestSnapshot(method: "GET", target: "/a+b?q=a+b%2Bc")] {
      #expect(snapshot.path == "/a+b")
      #expect(snapshot.query("q") == "a b+c")
    }
  }

  @Test("spaces around a parameter stay, spaces around a header do not")
  func spaces() throws {
    let snapshot = try seen("/?q=+a+", headers: "X-Q: \t a \t \r\n")
    #expect(snapshot.query("q") == " a ")
    #expect(snapshot.header("x-q") == "a")
    #expect(snapshot.headers.last?.value == "a")
  }

  @Test("an escaped slash stays inside its segment, and %00 does not cut a path short")
  func segments() throws {
    let snapshot = try seen("/apps//a%2Fb/releases/4.2.0%00x/")
    #expect(snapshot.segments == ["apps", "a/b", "releases", "4.2.0\0x"])
    #expect(snapshot.path == "/apps//a/b/releases/4.2.0\0x/")
  }

  @Test("broken escapes are kept as text, and broken UTF-8 is replaced")
  func broken() throws {
    #expect(try seen("/%zz%4").path == "/%zz%4")
    #expect(try seen("/%FFx").path == "/\u{FFFD}x")
  }

  @Test("headers are found in any letter case, and a snapshot contains all of them")
  func headers() throws {
    let snapshot = try seen("/", headers: "X-One: 1\r\nx-two:  two words \r\nX-One: again\r\n")
    #expect(snapshot.header("x-ONE") == "1")
    #expect(snapshot.header("X-Two") == "two words")
    #expect(snapshot.header("X-Three") == nil)
    #expect(snapshot.headers.map(\.name) == ["Host", "X-One", "x-two", "X-One"])
  }

  @Test("the length of the body and the request for 100 Continue are known with the headers")
  func framing() throws {
    let seen = Mutex<[String]>([])
    let scene = try Scene(
      admit: { head in
        let line = "\(head.method) \(head.contentLength.map(String.init) ?? "-") \(head.expectsContinue)"
        seen.withLock { $0.append(line) }
        return .accept(bodyLimit: 10)
      }, echo)
    let client = scene.connect()
    client.write("GET", "/")
    _ = client.answer()
    client.write("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc")
    #expect(client.answer()?.status == 100)
    #expect(client.answer()?.text == "abc")
    client.write("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    _ = client.answer()
    #expect(seen.withLock { $0 } == ["GET - false", "PUT 3 true", "POST - false"])
  }
}
