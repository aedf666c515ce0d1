import Decoding
import HTTP
import Intake

/// What Sentry's addresses answer, in the words and headers that its clients understand.
enum SentryAnswers {
  /// 200 once it is on disk, or known already, with the event's id.
  static func stored(_ result: Result<Acknowledgement, any Error>) -> Response {
    switch result {
    case .success(let acknowledgement): acknowledgement.eventID.map(accepted) ?? acceptedWithoutID
    case .failure: unavailable
    }
  }

  static func forbidden(_ refusal: SentryRefusal) -> Response {
    problem(403, "Not authorized", refusal.rawValue)
  }

  static func rejected(_ failure: DecodingFailure) -> Response {
    problem(
      400, "Envelope not understood", failure.description,
      ["path": .text(failure.path), "reason": .text(failure.reason.rawValue)])
  }

  /// `category` is what has to wait: `session`, or `default;error`.
  static func limited(_ seconds: Int, _ category: String) -> Response {
    problem(
      429, "Too many requests", "This app sends faster than it may. Try again in \(seconds) s.",
      headers: [("Retry-After", String(seconds)), ("X-Sentry-Rate-Limits", "\(seconds):\(category):key")])
  }

  static func tooLarge(_ limit: Int) -> Response {
    problem(413, "Body too large", "A body of at most \(limit) bytes is accepted here.", ["limit": .integer(limit)])
  }

  static let wrongMethod = problem(
    405, "Method not allowed", "Send envelopes and events with POST.", headers: [("Allow", "POST")]
  ).prepared()

  private static let json = [("Content-Type", "application/json")]
  private static let acceptedWithoutID = Response(status: 200, headers: json, body: Array("{}".utf8)).prepared()
  private static let unavailable = problem(
    503, "Not stored", "The journal could not be written. Nothing was kept: send it again.",
    headers: [("Retry-After", "30")]
  ).prepared()

  /// The id is 32 hexadecimal digits.
  private static func accepted(_ id: String) -> Response {
    Response(status: 200, headers: json, body: Array("{\"id\":\"\(id)\"}".utf8))
  }

  private static func problem(
    _ status: Int, _ title: String, _ detail: String, _ members: KeyValuePairs<String, ProblemMember> = [:],
    headers: [(String, String)] = []
  ) -> Response {
    .problem(status, title, detail: detail, members, headers: headers + [("X-Sentry-Error", headerText(detail))])
  }

  /// A detail may quote what the client sent; a header is one line of ASCII.
  private static func headerText(_ detail: String) -> String {
    String(decoding: detail.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
