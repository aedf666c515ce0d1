internal import CMicroHTTPD
import Core
internal import Glibc

/// A response: status, headers and body.
///
/// The server writes `Content-Length`, `Transfer-Encoding` and `Date`, so they are ignored here; a header with an empty
/// value is left out. A header that is not one line of text, such as text from a device with a line break, turns the
/// whole response into a 500, because a partial or split response would be worse.
public struct Response: Sendable {
  /// The status code, 200 to 599.
  var status: Int { didSet { thaw() } }
  /// Header names and values, in order.
  var headers: [(String, String)] { didSet { thaw() } }

  private var content: Content

  private enum Content {
    case bytes([UInt8])
    case prepared(PreparedResponse)
  }

  /// Creates a response. A status outside 200 to 599 is sent as 500.
  init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    content = .bytes(body)
  }

  /// The bytes of the response's body.
  var body: [UInt8] {
    get {
      switch content {
      case .bytes(let bytes): bytes
      case .prepared(let prepared): prepared.body
      }
    }
    set { content = .bytes(newValue) }
  }

  /// A copy of the response, converted to libmicrohttpd's form. It can be sent repeatedly without copying, which suits
  /// constant responses and cached pages. Changing the response discards the converted form.
  func prepared() -> Response {
    var copy = self
    copy.content = .prepared(native)
    return copy
  }

  var native: PreparedResponse {
    switch content {
    case .bytes(let bytes): PreparedResponse(status: status, headers: headers, body: bytes)
    case .prepared(let prepared): prepared
    }
  }

  private mutating func thaw() {
    if case .prepared(let prepared) = content { content = .bytes(prepared.body) }
  }
}

extension Response {
  /// A response with UTF-8 text. `type`: the media type with its charset.
  static func text(
    _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8", headers: [(String, String)] = []
  ) -> Response {
    Response(status: status, headers: [("Content-Type", type)] + headers, body: [UInt8](text.utf8))
  }

  /// A response of JSON that is already encoded as UTF-8.
  static func json(_ bytes: [UInt8], status: Int = 200, headers: [(String, String)] = []) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json")] + headers, body: bytes)
  }

  /// A response of JSON that is already encoded.
  static func json(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> Response {
    json([UInt8](text.utf8), status: status, headers: headers)
  }
}

extension Response {
  /// Writes the last response of a connection directly to its socket and shuts down writing. Returns true if it fitted
  /// into the socket's send buffer. There is no retry, because such responses are short.
  func write(to socket: Int32) -> Bool {
    let bytes = closingMessage
    let sent = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    return sent == bytes.count && shutdown(socket, Int32(SHUT_WR)) == 0
  }

  private var closingMessage: [UInt8] {
    let fields = headers.filter { !HeaderFieldCheck.isServers($0.0) && !ASCII.equal($0.0, "connection") }
    guard fields.allSatisfy({ HeaderFieldCheck.isValid($0.0, $0.1) }) else { return Response.unsendable.closingMessage }
    let reason = MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? ""
    var head = "HTTP/1.1 \(status) \(reason)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    head += "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n"
    return [UInt8](head.utf8) + body
  }
}
