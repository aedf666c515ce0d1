import Core
import Ingest
import Storage

/// The responses of `/v1/payloads`. Pages of any origin may read them.
struct PayloadResponses: IngestResponses {
  static let shared = PayloadResponses()

  let defaultResponses = CrossOrigin.defaultResponses

  func stored(_ result: Result<Acknowledgement, any Error>) -> Response {
    switch result.map(\.outcome) {
    case .success(.duplicate): Self.duplicate
    case .success: Self.accepted
    case .failure: Self.unavailable
    }
  }

  func refused(_ refusal: IngestRefusal) -> Response {
    switch refusal {
    case .wrongMethod: Self.wrongMethod
    case .unauthorized: Self.unauthorized
    case .unknownCoding(let coding): Self.unknown(coding)
    case .tooLarge(let limit): defaultResponses.tooLarge(limit)
    case .notUnpacked(let error, let limit): Self.notUnpacked(error, limit: limit)
    case .limited(let limit, let seconds): Self.limited(limit, seconds)
    case .unavailable(let seconds): Self.crowded(seconds)
    case .rejected(let failure): Self.rejected(failure)
    }
  }

  private static let json = [("Content-Type", "application/json")] + CrossOrigin.headers

  private static let accepted = Response(
    status: 202, headers: json, body: Array("{\"status\":\"accepted\"}".utf8)
  ).prepared()
  private static let duplicate = Response(
    status: 200, headers: json, body: Array("{\"status\":\"duplicate\"}".utf8)
  ).prepared()
  private static let unauthorized = problem(
    401, "Unknown key",
    "Send the app's ingest key as `Authorization: Bearer KEY`, `X-Plumb-Key: KEY` or `?key=KEY`. "
      + "`plumb app list` prints it.", headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  private static let unavailable = problem(
    503, "Not stored",
    "The journal could not be written; it is unknown whether the payload was stored. Send it again with the same "
      + "Idempotency-Key, so that it counts once.",
    headers: [("Retry-After", "30")]
  ).prepared()
  private static let wrongMethod = problem(
    405, "Method not allowed", "Send payloads with POST or PUT.", headers: [("Allow", "POST, PUT, OPTIONS")]
  ).prepared()

  private static func rejected(_ failure: DecodingFailure) -> Response {
    problem(
      400, "Payload not understood", failure.description,
      ["path": .string(failure.path), "reason": .string(failure.reason.rawValue)])
  }

  private static func notUnpacked(_ error: CompressionError, limit: Int) -> Response {
    if error.kind == .tooLarge { return problem(413, "Body too large", error.description, ["limit": .count(limit)]) }
    return problem(
      400, "Body not decompressed", error.description, ["path": "", "reason": .string(IngestRefusal.encodingReason)])
  }

  private static func unknown(_ coding: String) -> Response {
    let shown = String(decoding: coding.utf8.prefix(80), as: UTF8.self)
    return problem(
      415, "Content encoding not supported",
      "Send the body uncompressed or with one or two of gzip, deflate, br and zstd; found Content-Encoding \(shown).",
      headers: [("Accept-Encoding", "gzip, deflate, br, zstd")])
  }

  private static func limited(_ limit: IngestLimit, _ seconds: Int) -> Response {
    problem(
      429, "Too many requests", limit.detail(seconds),
      headers: [("Retry-After", String(seconds)), ("X-Sentry-Rate-Limits", "\(seconds)::key")])
  }

  private static func crowded(_ seconds: Int) -> Response {
    problem(
      503, "Not accepted", "The server cannot accept payloads now. Nothing was stored; send it again later.",
      headers: [("Retry-After", String(seconds))])
  }

  static func problem(
    _ status: Int, _ title: String, _ detail: String, _ members: KeyValuePairs<String, JSONOutput> = [:],
    headers: [(String, String)] = []
  ) -> Response {
    .problem(status, title, detail: detail, members, headers: headers + CrossOrigin.headers)
  }
}
