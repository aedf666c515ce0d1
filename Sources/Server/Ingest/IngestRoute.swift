import Access
import Compression
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
  let decompressedLimit: Int
  private let decoders = DecoderPool()

  init(access: AccessCache, intake: Intake, settings: ServerSettings) {
    self.access = access
    self.intake = intake
    rate = KeyRate(perSecond: settings.requestsPerSecond)
    bodyLimit = settings.bodyLimit
    decompressedLimit = settings.decompressedLimit
  }

  /// Decided at the headers, before any of the body is kept.
  func admit(_ head: borrowing RequestHead, at now: Timestamp) -> Admission {
    guard head.method == "POST" || head.method == "PUT" else {
      return head.method == "OPTIONS" ? .accept(bodyLimit: bodyLimit) : .refuse(IngestAnswers.wrongMethod)
    }
    guard let app = app(of: head, at: now) else { return .refuse(IngestAnswers.unauthorized) }
    if case .unknown(let coding) = BodyCoding(head) {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "content encoding")
      return .refuse(IngestAnswers.unsupported(coding))
    }
    if let length = head.contentLength, length > bodyLimit {
      return .refuse(refuseBody(of: head, over: bodyLimit, at: now))
    }
    if let seconds = rate.take(app.id, at: now) {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "too many requests")
      return .refuse(IngestAnswers.limited(seconds))
    }
    return .accept(bodyLimit: bodyLimit)
  }

  /// A body that is too large as it is sent, announced or not.
  func refuseBody(of head: borrowing RequestHead, over limit: Int, at now: Timestamp) -> Response {
    if let app = app(of: head, at: now) {
      intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: Self.tooLarge)
    }
    return CrossOrigin.serverAnswers.tooLarge(limit)
  }

  func respond(to request: borrowing Request, _ reply: Reply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let received = Timestamp(milliseconds: request.received)
    guard let app = app(of: request.head, at: received) else { return reply.send(IngestAnswers.unauthorized) }
    let submission = Submission(
      app: app.id, received: received, client: IngestKey.client(request.head),
      idempotencyKey: IngestKey.idempotency(request.head), isPadded: true)
    let body = request.body
    switch BodyCoding(request.head) {
    case .plain: decoders.withDecoder(bodySize: body.count) { receive(body, submission, $0, reply) }
    case .packed(let packing):
      do throws(CompressionError) {
        try decoders.withUnpacked(body, packing, limit: decompressedLimit) { receive($0, submission, $1, reply) }
      } catch {
        refuse(error, submission, reply)
      }
    case .unknown(let coding): reply.send(IngestAnswers.unsupported(coding))
    }
  }

  /// `body` is plain, with padding behind it.
  private func receive(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, _ decoder: PayloadDecoder, _ reply: Reply
  ) {
    do throws(DecodingFailure) {
      try intake.receive(body, submission, decoder: decoder) { reply.send(IngestAnswers.stored($0)) }
    } catch {
      reply.send(IngestAnswers.rejected(error))
    }
  }

  private func refuse(_ error: CompressionError, _ submission: Submission, _ reply: Reply) {
    if error.kind == .tooLarge {
      intake.countRefusal(app: submission.app, client: submission.client, reason: Self.tooLarge)
    } else {
      intake.countRejection(submission, reason: IngestAnswers.encodingReason, detail: error.description)
    }
    reply.send(IngestAnswers.notUnpacked(error, limit: decompressedLimit))
  }

  private func app(of head: borrowing RequestHead, at now: Timestamp) -> App? {
    IngestKey.of(head).flatMap { access.app(forKey: $0, at: now) }
  }

  private static let tooLarge = "body too large"
}
