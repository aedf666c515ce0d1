import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Answers of the server itself")
struct ServerAnswerTests {
  /// Has a responder with headers of its own for what is sent under /marked.
  private final class Marking: RequestHandler {
    let marked = Marked()
    var refused: [String] { marked.refused.withLock { $0 } }

    func admit(_ head: borrowing RequestHead) -> Admission {
      .accept(bodyLimit: 1000, responder: head.path.hasPrefix("/marked") ? marked : nil)
    }

    func respond(to request: borrowing Request, _ reply: PendingReply) { reply.send(.text("\(request.body.count)")) }

    func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
      head.path.hasPrefix("/marked") ? marked.defaultResponses : .standard
    }
  }

  /// Counts refused bodies, and drops replies under /marked/dropped.
  private final class Marked: Responder {
    let refused = Mutex<[String]>([])
    let defaultResponses = DefaultResponses(headers: [("X-Mark", "yes")])

    func respond(to request: borrowing Request, _ reply: PendingReply) {
      if request.head.path != "/marked/dropped" { reply.send(.text("\(request.body.count)")) }
    }

    func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
      let key = head.header("X-Key") ?? ""
      refused.withLock { $0.append("\(head.method) \(head.path) \(key) \(limit)") }
      return defaultResponses.tooLarge(limit)
    }
  }

  private func start() throws -> (Marking, HTTPServer) {
    let handler = Marking()
    let server = HTTPServer(configuration: HTTPServer.Configuration(), handler: handler)
    try server.start()
    return (handler, server)
  }

  @Test("the answer to a body that is too large comes from the handler, which sees the headers")
  func tooLarge() throws {
    let (handler, server) = try start()
    defer { server.stop {} }
    let client = HTTPClient(port: server.port)
    client.write("POST", "/marked", body: [UInt8](repeating: 65, count: 1001), headers: "X-Key: a\r\n")
    let announced = client.answer()
    #expect(announced?.status == 413 && announced?.header("x-mark") == "yes")
    client.write("PUT /marked/b HTTP/1.1\r\nHost: t\r\nX-Key: b\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<20 { client.write("64\r\n" + String(repeating: "x", count: 100) + "\r\n") }
    client.write("0\r\n\r\n")
    let chunked = client.answer()
    #expect(chunked?.status == 413 && chunked?.header("x-mark") == "yes")
    #expect(chunked?.header("content-type") == "application/problem+json")
    client.write("POST", "/", body: [65])
    #expect(client.answer()?.text == "1")
    #expect(handler.refused == ["POST /marked a 1000", "PUT /marked/b b 1000"])
  }

  @Test("the server's own answers have the headers that the handler requested, and none of another request")
  func headers() throws {
    let (_, server) = try start()
    defer { server.stop {} }
    for (path, mark) in [("/marked", "yes"), ("/other", nil)] {
      let client = HTTPClient(port: server.port)
      client.write("POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n")
      let ambiguous = client.answer()
      #expect(ambiguous?.status == 400 && ambiguous?.header("x-mark") == mark)
    }
    let client = HTTPClient(port: server.port)
    client.write("GET", "/marked/dropped")
    let dropped = client.answer()
    #expect(dropped?.status == 500 && dropped?.header("x-mark") == "yes")
    client.write("POST", "/other", body: [UInt8](repeating: 65, count: 1001))
    let other = client.answer()
    #expect(other?.status == 413 && other?.header("x-mark") == nil)
  }
}
