public import Core

/// The responses that the HTTP server sends without calling the handler, such as 413, 503 and responses to malformed
/// requests. They are prepared once.
public final class DefaultResponses: Sendable {
  /// Problem documents (RFC 9457) without additional headers.
  static let standard = DefaultResponses()

  /// A function that creates a response from status, title, detail, additional members of the problem, and headers.
  public typealias Writing =
    @Sendable (Int, String, String, KeyValuePairs<String, JSONOutput>, [(String, String)]) -> Response

  private let writing: Writing
  let busy: Response
  let stopping: Response
  let late: Response
  let unanswered: Response
  let ambiguousLength: Response
  let unknownCoding: Response
  let malformedField: Response
  let noHost: Response
  let targetTooLong: Response
  let malformedTarget: Response

  /// Problem documents (RFC 9457) with these additional headers.
  convenience init(headers: [(String, String)] = []) {
    self.init { status, title, detail, members, more in
      .problem(status, title, detail: detail, members, headers: more + headers)
    }
  }

  /// Creates the responses with `writing`, in the format of another protocol.
  init(writing: @escaping Writing) {
    func problem(
      _ status: Int, _ title: String, _ detail: String, retryAfter: Int? = nil, closes: Bool = false
    ) -> Response {
      let wait = retryAfter.map { [("Retry-After", String($0))] } ?? []
      let close = closes ? [("Connection", "close")] : []
      return writing(status, title, detail, [:], wait + close).prepared()
    }
    self.writing = writing
    busy = problem(
      503, "Too many bodies in flight", "The server is receiving as many bodies as it can hold. Try again shortly.",
      retryAfter: 1)
    stopping = problem(503, "Stopping", "The server is stopping. Try again shortly.", retryAfter: 5, closes: true)
    late = problem(503, "Not answered in time", "The server took too long to answer. Try again shortly.", retryAfter: 5)
    unanswered = problem(500, "Not answered", "The server dropped the request without an answer.")
    ambiguousLength = problem(
      400, "Ambiguous body length", "Send one Content-Length or one Transfer-Encoding, not several.")
    unknownCoding = problem(
      501, "Unknown transfer coding", "The only supported Transfer-Encoding is chunked.")
    malformedField = problem(
      400, "Malformed header",
      "A header must be a name, directly followed by a colon, and a value on one line (RFC 9112 section 5).",
      closes: true)
    noHost = problem(400, "No Host", "An HTTP/1.1 request must have a Host header.", closes: true)
    malformedTarget = problem(400, "Malformed address", "An address must not contain spaces.", closes: true)
    targetTooLong = problem(
      414, "Address too long", "The limit for addresses is 8,192 bytes and 100 parameters.")
  }

  func refusal(of fault: RequestFraming.Fault) -> Response {
    switch fault {
    case .ambiguousLength: ambiguousLength
    case .unknownCoding: unknownCoding
    case .malformedField: malformedField
    case .noHost: noHost
    }
  }

  /// The response to a body larger than `limit` bytes.
  func tooLarge(_ limit: Int) -> Response {
    writing(
      413, "Body too large", "The limit for bodies is \(limit) bytes.", ["limit": .count(limit)], [])
  }
}

extension Response {
  /// The response sent instead of a response that could not be prepared. It is not prepared, so it cannot fail in the
  /// same way.
  static var unsendable: Response {
    problem(500, "Invalid answer", detail: "The server's answer has a status or header that HTTP does not allow.")
  }
}
