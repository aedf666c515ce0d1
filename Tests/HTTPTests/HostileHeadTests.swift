import Glibc
import Testing
import TestSupport

@testable import Web

@Suite("Long or ambiguous request heads")
struct HostileHeadTests {
  private func ask(_ scene: Scene, _ request: String) -> HTTPClient.Answer? {
    let client = HTTPClient(port: scene.port, timeout: 5)
    client.write(request)
    return client.answer()
  }

  @Test(
    "any number of parameters is answered",
    arguments: [1, 99, 100, 101, 128, 256, 300, 400, 420, 440, 480, 500, 640, 1000, 2000, 5000])
  func parameters(count: Int) throws {
    let scene = try Scene(echo)
    for parameter in ["a", "a=1", "", "name=some+value"] {
      let query = Array(repeating: parameter, count: count).joined(separator: "&")
      let answer = try #require(ask(scene, "GET /healthz?\(query) HTTP/1.1\r\nHost: t\r\n\r\n"))
      let isAllowed = count <= 100 && query.utf8.count < 8000
      #expect(isAllowed ? answer.status == 200 : answer.status == 414)
    }
  }

  @Test("every allowed parameter arrives")
  func everyParameter() throws {
    let scene = try Scene { request, reply in reply.send(.text("\(request.head.query.count)")) }
    let query = (0..<100).map { "name\($0)=" + String(repeating: "v", count: 60) }.joined(separator: "&")
    #expect(ask(scene, "GET /?\(query) HTTP/1.1\r\nHost: t\r\n\r\n")?.text == "100")
  }

  @Test("a URL of any length is answered", arguments: [100, 4000, 8000, 9000, 12_000, 16_000, 24_000, 50_000])
  func length(count: Int) throws {
    let scene = try Scene(echo)
    for target in ["/" + String(repeating: "a", count: count), "/?" + String(repeating: "a", count: count)] {
      let answer = try #require(ask(scene, "GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n"))
      #expect(count <= 8000 ? answer.status == 200 : [200, 414].contains(answer.status))
    }
  }

  @Test("any number of headers is answered", arguments: [1, 20, 50, 100, 150, 200, 250, 300, 400, 1000, 5000])
  func headers(count: Int) throws {
    let scene = try Scene(echo)
    for header in ["a:\r\n", "X-Some-Header: with a value\r\n"] {
      let fields = String(repeating: header, count: count)
      let answer = try #require(ask(scene, "GET / HTTP/1.1\r\nHost: t\r\n\(fields)\r\n"))
      #expect(count <= 100 ? answer.status == 200 : [200, 431].contains(answer.status))
    }
  }

  @Test(
    "a header of any length is answered", arguments: [100, 4000, 8000, 11_000, 12_000, 16_000, 20_000, 24_000, 60_000])
  func headerLength(count: Int) throws {
    let scene = try Scene(echo)
    let value = String(repeating: "v", count: count)
    let answer = try #require(ask(scene, "GET / HTTP/1.1\r\nHost: t\r\nX: \(value)\r\n\r\n"))
    #expect(count <= 8000 ? answer.status == 200 : [200, 431].contains(answer.status))
  }

  @Test("any number of cookies is answered", arguments: [1, 50, 80, 100, 150, 200, 500, 1000, 2000, 4000])
  func cookies(count: Int) throws {
    let scene = try Scene(echo)
    for cookie in ["a=1", "session=0123456789abcdef", ";", "a"] {
      let cookies = Array(repeating: cookie, count: count).joined(separator: "; ")
      let answer = try #require(ask(scene, "GET / HTTP/1.1\r\nHost: t\r\nCookie: \(cookies)\r\n\r\n"))
      #expect(count <= 50 ? answer.status == 200 : [200, 431].contains(answer.status))
    }
  }

  @Test("parameters, headers and cookies together are answered")
  func together() throws {
    let scene = try Scene(echo)
    for parameters in stride(from: 0, through: 110, by: 10) {
      for headers in stride(from: 0, through: 300, by: 30) {
        for cookies in [0, 40, 400] {
          let query = Array(repeating: "a=1", count: parameters).joined(separator: "&")
          let fields = String(repeating: "X-A: b\r\n", count: headers)
          let cookie = cookies == 0 ? "" : "Cookie: " + String(repeating: "c=d; ", count: cookies) + "\r\n"
          let client = HTTPClient(port: scene.port, timeout: 5)
          client.write("GET /?\(query) HTTP/1.1\r\nHost: t\r\n\(fields)\(cookie)\r\n")
          // Where less than an answer's head is left of the memory, libmicrohttpd closes at once.
          if let answer = client.answer() {
            #expect([200, 414, 431].contains(answer.status), "\(parameters) \(headers) \(cookies)")
          } else {
            #expect(client.isClosed() && parameters + headers + cookies > 250)
          }
        }
      }
    }
  }

  @Test("a keep-alive connection works after a long URL as before")
  func afterwards() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.write("POST", "/?" + String(repeating: "a&", count: 300), body: [65])
    #expect(client.answer()?.status == 414)
    client.write("POST", "/", body: [66])
    #expect(client.answer()?.text == "B")
  }

  @Test(
    "a header that another server would read differently is refused, and the connection closed",
    arguments: [
      "Content-Length : 5", "Content-Length\t: 5", "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked",
      " Content-Length: 5", "\tTransfer-Encoding: chunked", "Content-Length: 5\r\n 6", "X: a\r\n Content-Length: 5",
      "Transfer-Encoding: chunked\r\n\tx", "X: a\r\n b\r\nContent-Length: 5", "X: a\rContent-Length: 5",
      "X: a\r\rTransfer-Encoding: chunked", "X: a\0Content-Length: 5\r\nY: b", "Content(Length): 5",
      "Content-Length: 5\r\nContent-Length : 5", "C\u{F6}ntent-Length: 5", ": 5",
      "Content-Length: 5\r\nContent-Length: 6",
      "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "No colon here", "X: a\0b", ":",
      ": 5\r\nContent-Length: 5", "X: y\r\n:",
      "Host: t\nX: y", "X: y\n: 5",
    ])
  func ambiguous(field: String) throws {
    let scene = try Scene(echo)
    let client = HTTPClient(port: scene.port, timeout: 5)
    client.write("POST / HTTP/1.1\r\nHost: t\r\n\(field)\r\nX-Last: 1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n")
    #expect(client.answer()?.status == 400)
    #expect(client.isClosed())
  }

  @Test(
    "a line that begins with a colon, or a NUL in the last header, does not end the headers",
    arguments: ["\r\n:\r\n", "\r\n: x\r\n", "\0\r\n\r\n", "\0z\r\n\r\n", "\r\n z\r\n\r\n"])
  func lastLine(end: String) throws {
    let scene = try Scene(echo)
    #expect(ask(scene, "GET / HTTP/1.1\r\nHost: t\r\nX: y\(end)Content-Length: 0\r\n\r\n")?.status == 400)
    #expect(ask(scene, "GET / HTTP/1.1\r\nHost: t\(end)Content-Length: 0\r\n\r\n")?.status == 400)
  }

  @Test(
    "a length that is not a number is refused, without further answers", arguments: ["5, 5", "+5", "0x5", "-1", ""])
  func noNumber(length: String) throws {
    let scene = try Scene { _, reply in reply.send(.text("smuggled", status: 200)) }
    let client = HTTPClient(port: scene.port, timeout: 5)
    client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: \(length)\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n")
    #expect(client.answer()?.status == 400)
    while let more = client.answer() { #expect(more.status == 400) }
    #expect(scene.server.counters.successful == 0)
  }

  @Test("HTTP/1.1 needs a Host, HTTP/1.0 does not, and a URL has no spaces")
  func host() throws {
    let scene = try Scene(echo)
    #expect(ask(scene, "GET / HTTP/1.1\r\nX: t\r\n\r\n")?.status == 400)
    #expect(ask(scene, "GET / HTTP/1.1\r\n\r\n")?.status == 400)
    #expect(ask(scene, "GET / HTTP/1.0\r\n\r\n")?.status == 200)
    #expect(ask(scene, "GET /a b HTTP/1.1\r\nHost: t\r\n\r\n")?.status == 400)
    #expect(ask(scene, "GET /?a b HTTP/1.1\r\nHost: t\r\n\r\n")?.status == 400)
  }

  @Test("a folded line after the first header, or after a long value, is refused")
  func folds() throws {
    let scene = try Scene(echo)
    for count in [0, 1, 100, 5000, 9000] {
      let value = String(repeating: "v", count: count)
      let answer = ask(scene, "GET / HTTP/1.1\r\nHost: t\r\nX: \(value)\r\n fold\r\nY: z\r\n\r\n")
      #expect([400, 431].contains(answer?.status))
    }
  }

  @Test("well-formed heads are accepted: LF line ends, empty values, surrounding spaces, equal lengths twice")
  func wellFormed() throws {
    let scene = try Scene(echo)
    for fields in [
      "Content-Length: 1\r\nX:\r\nY: \r\n", "Content-Length: 1\r\nX-Blank: \t a \t \r\nZ: 1\r\n",
      "Content-Length: 1\r\nContent-Length: 1\r\n",
      "!#$%&'*+-.^_`|~09azAZ: token\r\nContent-Length: 1\r\n", "Transfer-Encoding: chunked\r\n",
    ] {
      let body = fields.contains("chunked") ? "1\r\nA\r\n0\r\n\r\n" : "A"
      #expect(ask(scene, "POST / HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\(body)")?.text == "A", "\(fields)")
    }
    #expect(ask(scene, "POST / HTTP/1.1\nHost: t\nX: a\nContent-Length: 1\n\nA")?.text == "A")
    #expect(ask(scene, "GET / HTTP/1.1\nHost: t\n\n")?.status == 200)
    #expect(ask(scene, "GET / HTTP/1.1\r\nHost: t\r\n\r\n")?.status == 200)
  }

  @Test("pipelined requests are distinguished by their own headers")
  func pipelined() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    let one = "POST / HTTP/1.1\r\nHost: t\r\nX: 1\r\nContent-Length: 1\r\n\r\n"
    client.write(one + "A" + one + "B" + one + "C")
    #expect((0..<3).map { _ in client.answer()?.text } == ["A", "B", "C"])
  }
}
