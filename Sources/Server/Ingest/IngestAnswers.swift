import Compression
import Decoding
import HTTP
import Intake
import Storage

/// What ingest routes answer. All of it may be read by pages of other origins.
enum IngestAnswers {
  private static let json = [("Content-Type", "application/json")] + CrossOrigin.headers

  static let accepted = Response(status: 202, headers: json, body: Array("{\"status\":\"accepted\"}".utf8)).prepared()
  static let duplicate = Response(status: 200, headers: json, body: Array("{\"status\":\"duplicate\"}".utf8)).prepared()
  static let unauthorized = problem(
    401, "Unknown key",
    "Send the app's ingest key as `Authorization: Bearer KEY`, `X-Plumb-Key: KEY` or `?key=KEY`. "
      + "`plumb app list` shows it.", headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  static let unavailable = problem(
    503, "Not stored", "The journal could not be written. Nothing was kept: send it again.",
    headers: [("Retry-After", "30")]
  ).prepared()
  static let wrongMethod = problem(
    405, "Method not allowed", "Send payloads with POST or PUT.", headers: [("Allow", "POST, PUT, OPTIONS")]
  ).prepared()

  static func stored(_ result: Result<Acknowledgement, any Error>) -> Response {
    switch result.map(\.outcome) {
    case .success(.duplicate): duplicate
    case .success: accepted
    case .failure: unavailable
    }
  }

  static func rejected(_ failure: DecodingFailure) -> Response {
    problem(
      400, "Payload not understood", failure.description,
      ["path": .text(failure.path), "reason": .text(failure.reason.rawValue)])
  }

  /// A body that cannot be unpacked, or only to more than the limit.
  static func notUnpacked(_ error: CompressionError, limit: Int) -> Response {
    if error.kind == .tooLarge { return problem(413, "Body too large", error.description, ["limit": .integer(limit)]) }
    return problem(
      400, "Body not decompressed", error.description, ["path": "", "reason": .text(encodingReason)])
  }

  /// The `reason` of a body that cannot be unpacked.
  static let encodingReason = "encoding"

  static func unsupported(_ coding: String) -> Response {
    let shown = String(decoding: coding.utf8.prefix(80), as: UTF8.self)
    return problem(
      415, "Content encoding not supported",
      "Send the body plain or with one or two of gzip, deflate, br and zstd; Content-Encoding was: \(shown).",
      headers: [("Accept-Encoding", "gzip, deflate, br, zstd")])
  }

  static func limited(_ seconds: Int) -> Response {
    problem(
      429, "Too many requests", "This app sends faster than it may. Try again in \(seconds) s.",
      headers: [("Retry-After", String(seconds)), ("X-Sentry-Rate-Limits", "\(seconds)::key")])
  }

  private static func problem(
    _ status: Int, _ title: String, _ detail: String, _ members: KeyValuePairs<String, ProblemMember> = [:],
    headers: [(String, String)] = []
  ) -> Response {
    .problem(status, title, detail: detail, members, headers: headers + CrossOrigin.headers)
  }
}
