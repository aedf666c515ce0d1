import Access
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// `POST|PUT /v1/payloads`: authenticates, decodes on the HTTP thread, and answers once the records are on disk.
struct IngestRoute: Sendable {
  let access: AccessCache
  let intake: Intake
  let rate: KeyRate
  let bodyLimit: Int
  let decoders = DecoderPool()

  init(access: AccessCache, intake: Intake, requestsPerSecond: Int, bodyLimit: Int) {
    self.access = access
    self.intake = intake
    rate = KeyRate(perSecond: requestsPerSecond)
    self.bodyLimit = bodyLimit
  }

  /// Decided at the headers, before any of the body is kept.
  func admit(_ head: borrowing RequestHead, at now: Timestamp) -> Admission {
    guard head.method == "POST" || head.method == "PUT" else {
      return .refuse(
        .problem(
          405, "Method not allowed", detail: "Send payloads with POST or PUT.", headers: [("Allow", "POST, PUT")]))
    }
    guard let app = app(of: head, at: now) else { return .refuse(Self.unauthorized) }
    if let coding = head.header("Content-Encoding"), coding.lowercased() != "identity" {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "content encoding")
      return .refuse(Self.unsupported(coding))
    }
    if let length = head.contentLength, length > bodyLimit {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "body too large")
      return .refuse(.problem(413, "Body too large", detail: "A body of at most \(bodyLimit) bytes is accepted here."))
    }
    if let seconds = rate.take(app.id, at: now) {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "too many requests")
      return .refuse(Self.limited(seconds))
    }
    return .accept(bodyLimit: bodyLimit)
  }

  func respond(to request: borrowing Request, _ reply: Reply) {
    let received = Timestamp(milliseconds: request.received)
    guard let app = app(of: request.head, at: received) else { return reply.send(Self.unauthorized) }
    let key = IngestKey.idempotency(request.head)
    let client = IngestKey.client(request.head)
    let body = request.body
    do throws(DecodingFailure) {
      try decoders.withDecoder(bodySize: body.count) { decoder throws(DecodingFailure) in
        try intake.receive(
          body,
          Submission(
            app: app.id, received: received, client: client, idempotencyKey: key, isPadded: true), decoder: decoder
        ) { reply.send(Self.answer($0)) }
      }
    } catch {
      reply.send(Self.rejection(error))
    }
  }

  private func app(of head: borrowing RequestHead, at now: Timestamp) -> App? {
    IngestKey.of(head).flatMap { access.app(forKey: $0, at: now) }
  }

  private static func answer(_ result: Result<Acknowledgement, any Error>) -> Response {
    switch result.map(\.outcome) {
    case .success(.duplicate): duplicate
    case .success: accepted
    case .failure: unavailable
    }
  }

  private static func rejection(_ failure: DecodingFailure) -> Response {
    .problem(
      400, "Payload not understood", detail: failure.description,
      ["path": .text(failure.path), "reason": .text(failure.reason.rawValue)])
  }

  private static let json = [("Content-Type", "application/json")]
  private static let accepted = Response(
    status: 202, headers: json, body: Array("{\"status\":\"accepted\"}".utf8)
  ).prepared()
  private static let duplicate = Response(
    status: 200, headers: json, body: Array("{\"status\":\"duplicate\"}".utf8)
  ).prepared()
  private static let unauthorized = Response.problem(
    401, "Unknown key",
    detail: "Send the app's ingest key as `Authorization: Bearer KEY`, `X-Plumb-Key: KEY` or `?key=KEY`. "
      + "`plumb app list` shows it.", headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  private static let unavailable = Response.problem(
    503, "Not stored", detail: "The journal could not be written. Nothing was kept: send it again.",
    headers: [("Retry-After", "30")]
  ).prepared()

  private static func unsupported(_ coding: String) -> Response {
    .problem(
      415, "Content encoding not supported", detail: "Send the body uncompressed, without Content-Encoding: \(coding).",
      headers: [("Accept-Encoding", "identity")])
  }

  private static func limited(_ seconds: Int) -> Response {
    .problem(
      429, "Too many requests", detail: "This app sends faster than it may. Try again in \(seconds) s.",
      headers: [
        ("Retry-After", String(seconds)), ("X-Sentry-Rate-Limits", "\(seconds)::key"),
      ])
  }
}
