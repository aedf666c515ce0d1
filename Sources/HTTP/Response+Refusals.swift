// The answers that the server gives by itself. All but one are made once.
extension Response {
  static func tooLarge(_ limit: Int) -> Response {
    problem(
      413, "Body too large", detail: "A body of at most \(limit) bytes is accepted here.", ["limit": .integer(limit)])
  }

  static let busy = problem(
    503, "Too many bodies in flight", detail: "The server is receiving as much as it can hold. Try again shortly.",
    headers: [("Retry-After", "1")]
  ).prepared()

  static let stopping = problem(
    503, "Stopping", detail: "The server is stopping. Try again shortly.",
    headers: [("Retry-After", "5"), ("Connection", "close")]
  ).prepared()

  static let late = problem(
    503, "Not answered in time", detail: "The server took too long to answer. Try again shortly.",
    headers: [("Retry-After", "5")]
  ).prepared()

  static let unanswered = problem(500, "Not answered", detail: "The server dropped the request unanswered.").prepared()

  static let ambiguousLength = problem(
    400, "Ambiguous body length", detail: "Send one Content-Length or one Transfer-Encoding, not several."
  ).prepared()

  static let unknownCoding = problem(
    501, "Unknown transfer coding", detail: "The only Transfer-Encoding understood here is chunked."
  ).prepared()

  /// Not prepared: it stands in for answers that could not be.
  static var unsendable: Response {
    problem(500, "Answer not sendable", detail: "The answer had a status or a header that HTTP does not allow.")
  }
}
