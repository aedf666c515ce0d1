import Core
import Ingest

/// The responses of Sentry's addresses, with the bodies and headers that Sentry clients expect.
struct SentryResponses: IngestResponses {
  static let shared = SentryResponses()

  let defaultResponses = CrossOrigin.defaultResponses

  /// The response 200 with the event's id, if the event is on disk or was already stored.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response {
    switch result {
    case .success(let acknowledgement): acknowledgement.eventID.map(Self.accepted) ?? Self.acceptedWithoutID
    case .failure: Self.unavailable
    }
  }

  func refused(_ refusal: IngestRefusal) -> Response {
    switch refusal {
    case .wrongMethod: Self.wrongMethod
    case .unauthorized: Self.forbidden(.missingKey)
    case .tooLarge(let limit): Self.tooLarge("The limit for bodies is \(limit) bytes.", limit)
    case .notUnpacked(let error, let limit): Self.notUnpacked(error, limit)
    case .limited(let limit, let seconds): Self.limited(limit, seconds, "")
    case .unavailable(let seconds):
      Self.problem(
        503, "Not accepted", "The server cannot accept payloads now. Nothing was stored; send it again later.",
        headers: [("Retry-After", String(seconds))])
    case .rejected(let failure):
      Self.problem(
        400, "Envelope not understood", failure.description,
        ["path": .string(failure.path), "reason": .string(failure.reason.rawValue)])
    case .unknownCoding(let coding): Self.problem(415, "Content encoding not supported", coding)
    }
  }

  static func forbidden(_ refusal: SentryRefusal) -> Response { problem(403, "Not authorized", refusal.rawValue) }

  /// The response 429. `category`: the kinds of items that must wait, such as `session` or `default;error`; empty for
  /// all kinds.
  static func limited(_ limit: IngestLimit, _ seconds: Int, _ category: String) -> Response {
    problem(
      429, "Too many requests", limit.detail(seconds),
      headers: [("Retry-After", String(seconds)), ("X-Sentry-Rate-Limits", "\(seconds):\(category):key")])
  }

  /// The response to an envelope of more than `limit` bytes without a key in its headers.
  static func tooLargeWithoutKey(_ limit: Int) -> Response {
    tooLarge(
      "The limit for bodies without a key in X-Sentry-Auth or ?sentry_key= is \(limit) bytes.", limit)
  }

  private static let json = [("Content-Type", "application/json")] + CrossOrigin.headers
  private static let acceptedWithoutID = Response(status: 200, headers: json, body: Array("{}".utf8)).prepared()
  private static let wrongMethod = problem(
    405, "Method not allowed", "Send envelopes and events with POST.", headers: [("Allow", "POST, OPTIONS")]
  ).prepared()
  private static let unavailable = problem(
    503, "Not stored", "The journal could not be written; it is unknown whether the payload was stored. Send it again.",
    headers: [("Retry-After", "30")]
  ).prepared()

  /// The response 200. `id`: the event's id, 32 hexadecimal digits.
  private static func accepted(_ id: String) -> Response {
    Response(status: 200, headers: json, body: Array("{\"id\":\"\(id)\"}".utf8))
  }

  private static func tooLarge(_ detail: String, _ limit: Int) -> Response {
    problem(413, "Body too large", detail, ["limit": .count(limit)])
  }

  private static func notUnpacked(_ error: CompressionError, _ limit: Int) -> Response {
    if error.kind == .tooLarge { return tooLarge(error.description, limit) }
    return problem(
      400, "Body not decompressed", error.description, ["path": "", "reason": .string(IngestRefusal.encodingReason)])
  }

  private static func problem(
    _ status: Int, _ title: String, _ detail: String, _ members: KeyValuePairs<String, JSONOutput> = [:],
    headers: [(String, String)] = []
  ) -> Response {
    PayloadResponses.problem(
      status, title, detail, members, headers: headers + [("X-Sentry-Error", headerText(detail))])
  }

  /// An error detail, which may quote the client's input, as one line of ASCII for a header.
  private static func headerText(_ detail: String) -> String {
    let bytes = detail.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
