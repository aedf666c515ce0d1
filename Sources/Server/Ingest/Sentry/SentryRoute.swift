import Access
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
  private let sessionRate: RateLimiter
  private let errorRate: RateLimiter
  private let proxies: TrustedProxies

  /// Shares memory, keys and sizes with what else is sent in.
  init(beside ingest: IngestRoute, requestsPerSecond: Int, proxies: TrustedProxies) {
    self.proxies = proxies
    self.ingest = ingest
    sessionRate = RateLimiter(perSecond: requestsPerSecond)
    errorRate = RateLimiter(perSecond: requestsPerSecond)
  }

  /// Decided at the headers, as far as they tell.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress, at now: Timestamp) -> Admission {
    if head.method == "OPTIONS" { return .accept(bodyLimit: IngestRoute.preflightLimit) }
    guard head.method == "POST" else { return .refuse(address.answers.refused(.wrongMethod)) }
    ingest.refresher.refreshIfDue(at: now)
    let key = SentryKey(head, project: address.app)
    if key.keys.isEmpty, address.mayHoldKey {
      return .accept(bodyLimit: BodyMemory.keylessBody, account: ingest.memory.account(of: proxies.client(of: head)))
    }
    switch key.app(ingest.access, at: now) {
    case .success(let app): return .accept(bodyLimit: ingest.bodyLimit, account: ingest.memory.account(of: app.id))
    case .failure(.unknownKey):
      if let waiting = ingest.waiting(for: head, at: now) { return waiting }
      guard ingest.refresher.isReadable else { return .refuse(address.answers.refused(.unavailable(seconds: 5))) }
      return .refuse(SentryAnswers.forbidden(.unknownKey))
    case .failure(let refusal): return .refuse(SentryAnswers.forbidden(refusal))
    }
  }

  /// A body that is too large as it is sent, announced or not.
  func refuseBody(
    of head: borrowing RequestHead, to address: IngestAddress, over limit: Int, at now: Timestamp
  ) -> Response {
    if case .success(let app) = SentryKey(head, project: address.app).app(ingest.access, at: now) {
      ingest.count(.tooLarge(limit: limit), app, IngestKey.client(head))
    }
    if limit < ingest.bodyLimit { return SentryAnswers.tooLargeWithoutKey(limit) }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, at address: IngestAddress, _ reply: Reply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let delivery = SentryDelivery(
      key: SentryKey(request.head, project: address.app), address: address,
      received: Timestamp(milliseconds: request.received), client: IngestKey.client(request.head), ingest: ingest,
      sessionRate: sessionRate, errorRate: errorRate, reply: reply)
    // A body whose key is not known yet takes its turn with others of that kind.
    let app = try? delivery.key.app(ingest.access, at: delivery.received).get()
    let limit = app == nil ? min(Self.keylessUnpacked, ingest.decompressedLimit) : ingest.decompressedLimit
    let packing = BodyCoding(request.head, unknownIsIdentity: address.unknownCodingIsIdentity).packing
    ingest.decoders.decode(request, packing, limit: limit, for: app?.id ?? 0, reply) { input in
      switch input {
      case .body(let body, let decoder): delivery.receive(body, decoder)
      case .damaged(let error): delivery.refuse(.notUnpacked(error, limit: limit), app)
      case .crowded: delivery.refuse(.unavailable(seconds: 2), app)
      }
    }
  }

  /// The greatest body that is unpacked before its key is known.
  private static let keylessUnpacked = 1 << 20
}
