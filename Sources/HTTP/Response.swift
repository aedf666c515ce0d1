/// An answer: status, headers and body.
///
/// `Content-Length`, `Transfer-Encoding` and `Date` are the server's and ignored here; a header with an empty value is
/// left out. A header that is not one line of text (a device's string with a line break in it, say) makes the whole
/// answer a 500: half an answer, or one that smuggles a second, would be worse.
public struct Response: Sendable {
  /// 200 … 599.
  public var status: Int { didSet { thaw() } }
  /// Names and values, in order.
  public var headers: [(String, String)] { didSet { thaw() } }

  private var content: Content

  private enum Content {
    case bytes([UInt8])
    case prepared(PreparedResponse)
  }

  /// An answer with these parts; a status outside 200 … 599 is sent as 500.
  public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    content = .bytes(body)
  }

  /// The bytes of the body.
  public var body: [UInt8] {
    get {
      switch content {
      case .bytes(let bytes): bytes
      case .prepared(let prepared): prepared.body
      }
    }
    set { content = .bytes(newValue) }
  }

  /// The same answer in the form libmicrohttpd sends, made once. Sending it any number of times copies nothing: meant
  /// for constant answers and cached pages. Changing it afterwards makes it an ordinary answer again.
  public func prepared() -> Response {
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
