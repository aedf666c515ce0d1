import Access
import Compression
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// Whatever is sent in: authenticates, decodes on the HTTP thread, and answers once the records are on disk.
struct IngestRoute: Sendable {
  let access: AccessCache
  let intake: Intake
  let rate: KeyRate
  let bodyLimit: Int
  let decompressedLimit: Int
  let decoders = DecoderPool()

  init(access: AccessCache, intake: Intake, settings: ServerSettings) {
    self.access = access
    self.intake = intake
    rate = KeyRate(perSecond: settings.requestsPerSecond)
    bodyLimit = settings.bodyLimit
    decompressedLimit = settings.decompressedLimit
  }

  /// Decided at the headers, before any of the body is kept.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress, at now: Timestamp) -> Admission {
    if head.method == "OPTIONS" { return .accept(bodyLimit: bodyLimit) }
    if let refusal = refusal(of: head, at: address, now) { return .refuse(address.answers.refused(refusal)) }
    return .accept(bodyLimit: bodyLimit)
  }

  /// A body that is too large as it is sent, announced or not.
  func refuseBody(
    of head: borrowing RequestHead, to address: IngestAddress, over limit: Int, at now: Timestamp
  ) -> Response {
    if let app = app(of: head, at: address, now) { count(.tooLarge(limit: limit), app, IngestKey.client(head)) }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, at address: IngestAddress, _ reply: Reply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let received = Timestamp(milliseconds: request.received)
    let app = app(of: request.head, at: address, received)
    guard let app else { return reply.send(address.answers.refused(.unauthorized)) }
    let submission = Submission(
      app: app.id, format: address.format, received: received, client: IngestKey.client(request.head),
      idempotencyKey: IngestKey.idempotency(request.head), isPadded: true)
    let delivery = Delivery(submission: submission, intake: intake, answers: address.answers, reply: reply)
    let body = request.body
    switch BodyCoding(request.head, unknownIsIdentity: address.unknownCodingIsIdentity) {
    case .plain: decoders.withDecoder(bodySize: body.count) { delivery.receive(body, $0) }
    case .packed(let packing):
      do throws(CompressionError) {
        try decoders.withUnpacked(body, packing, limit: decompressedLimit) { delivery.receive($0, $1) }
      } catch {
        let refusal = IngestRefusal.notUnpacked(error, limit: decompressedLimit)
        count(refusal, app, submission.client)
        reply.send(address.answers.refused(refusal))
      }
    case .unknown(let coding): reply.send(address.answers.refused(.unknownCoding(coding)))
    }
  }

  private func refusal(
    of head: borrowing RequestHead, at address: IngestAddress, _ now: Timestamp
  ) -> IngestRefusal? {
    guard head.method == "POST" || head.method == "PUT" else { return .wrongMethod }
    guard let app = app(of: head, at: address, now) else { return .unauthorized }
    var refusal: IngestRefusal?
    if case .unknown(let coding) = BodyCoding(head, unknownIsIdentity: address.unknownCodingIsIdentity) {
      refusal = .unknownCoding(coding)
    } else if let length = head.contentLength, length > bodyLimit {
      refusal = .tooLarge(limit: bodyLimit)
    } else if let seconds = rate.take(app.id, at: now) {
      refusal = .limited(seconds: seconds)
    }
    if let refusal { count(refusal, app, IngestKey.client(head)) }
    if refusal == nil, let failure = address.unreadable {
      intake.countRejection(
        app: app.id, client: IngestKey.client(head), reason: failure.reason.rawValue, detail: failure.description)
      return .rejected(failure)
    }
    return refusal
  }

  /// Counts a request of a known app that was refused before a decoder saw it.
  func count(_ refusal: IngestRefusal, _ app: App, _ client: String) {
    switch refusal {
    case .wrongMethod, .unauthorized, .rejected: break
    case .unknownCoding: intake.countRefusal(app: app.id, client: client, reason: "content encoding")
    case .tooLarge: intake.countRefusal(app: app.id, client: client, reason: Self.tooLarge)
    case .limited: intake.countRefusal(app: app.id, client: client, reason: "too many requests")
    case .notUnpacked(let error, _) where error.kind == .tooLarge:
      intake.countRefusal(app: app.id, client: client, reason: Self.tooLarge)
    case .notUnpacked(let error, _):
      intake.countRejection(
        app: app.id, client: client, reason: IngestRefusal.encodingReason, detail: error.description)
    }
  }

  private func app(of head: borrowing RequestHead, at address: IngestAddress, _ now: Timestamp) -> App? {
    IngestKey.of(head).flatMap { access.app(forKey: $0, at: now) }
  }

  private static let tooLarge = "body too large"
}

/// One body on its way into the journal, and who waits for the answer.
private struct Delivery {
  let submission: Submission
  let intake: Intake
  let answers: any IngestAnswers
  let reply: Reply

  /// `body` is plain, with padding behind it.
  func receive(_ body: UnsafeRawBufferPointer, _ decoder: PayloadDecoder) {
    let (answers, reply) = (answers, reply)
    do throws(DecodingFailure) {
      try intake.receive(body, submission, decoder: decoder) { reply.send(answers.stored($0)) }
    } catch {
      reply.send(answers.refused(.rejected(error)))
    }
  }
}
