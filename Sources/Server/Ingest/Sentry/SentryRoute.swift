import Access
import Compression
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// `POST /api/{project}/envelope/` and `/store/`: what Sentry's clients send, answered once it is on disk.
///
/// An envelope may hold its key itself: then it is read, and unpacked, before it is known whose it is.
struct SentryRoute: Sendable {
  private let ingest: IngestRoute
  /// Sessions are many and have a limit of their own, so that crashes still come through.
  private let sessionRate: KeyRate
  private let errorRate: KeyRate

  /// Shares memory, keys and sizes with what else is sent in.
  init(beside ingest: IngestRoute, requestsPerSecond: Int) {
    self.ingest = ingest
    sessionRate = KeyRate(perSecond: requestsPerSecond)
    errorRate = KeyRate(perSecond: requestsPerSecond)
  }

  /// Decided at the headers, as far as they tell.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress, at now: Timestamp) -> Admission {
    if head.method == "OPTIONS" { return .accept(bodyLimit: ingest.bodyLimit) }
    guard head.method == "POST" else { return .refuse(address.answers.refused(.wrongMethod)) }
    let key = SentryKey(head, project: address.app)
    if !key.keys.isEmpty || !address.mayHoldKey, case .failure(let refusal) = key.app(ingest.access, at: now) {
      return .refuse(SentryAnswers.forbidden(refusal))
    }
    return .accept(bodyLimit: ingest.bodyLimit)
  }

  /// A body that is too large as it is sent, announced or not.
  func refuseBody(
    of head: borrowing RequestHead, to address: IngestAddress, over limit: Int, at now: Timestamp
  ) -> Response {
    if case .success(let app) = SentryKey(head, project: address.app).app(ingest.access, at: now) {
      ingest.count(.tooLarge(limit: limit), app, IngestKey.client(head))
    }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, at address: IngestAddress, _ reply: Reply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let delivery = SentryDelivery(
      key: SentryKey(request.head, project: address.app), address: address,
      received: Timestamp(milliseconds: request.received), client: IngestKey.client(request.head),
      access: ingest.access, intake: ingest.intake, sessionRate: sessionRate, errorRate: errorRate, reply: reply)
    let body = request.body
    guard case .packed(let packing) = BodyCoding(request.head, unknownIsIdentity: address.unknownCodingIsIdentity)
    else {
      return ingest.decoders.withDecoder(bodySize: body.count) { delivery.receive(body, $0) }
    }
    do throws(CompressionError) {
      try ingest.decoders.withUnpacked(body, packing, limit: ingest.decompressedLimit) { delivery.receive($0, $1) }
    } catch {
      let refusal = IngestRefusal.notUnpacked(error, limit: ingest.decompressedLimit)
      if case .success(let app) = delivery.key.app(ingest.access, at: delivery.received) {
        ingest.count(refusal, app, delivery.client)
      }
      reply.send(address.answers.refused(refusal))
    }
  }
}
