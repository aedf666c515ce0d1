import Access
import Compression
import Decoding
import Dispatch
import HTTP
import Intake
import Storage
import Telemetry

/// Whatever is sent in: authenticates, decodes, and answers once the records are on disk.
///
/// Runs on threads that serve many connections and never waits: keys are looked up in memory, and what memory does not
/// know is asked for while the connection sleeps.
struct IngestRoute: Sendable {
  let access: AccessCache
  let refresher: AccessRefresher
  let intake: Intake
  let limits: IngestLimits
  let bodyLimit: Int
  let decompressedLimit: Int
  let memory = BodyMemory()
  let decoders = DecoderPool()

  init(access: AccessCache, refresher: AccessRefresher, intake: Intake, settings: ServerSettings, rows: RowBudget) {
    self.access = access
    self.refresher = refresher
    self.intake = intake
    limits = IngestLimits(intake: intake, rows: rows, requestsPerSecond: settings.requestsPerSecond)
    bodyLimit = settings.bodyLimit
    decompressedLimit = settings.decompressedLimit
  }

  /// Decided at the headers, before any of the body is kept.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress, at now: Timestamp) -> Admission {
    if head.method == "OPTIONS" { return .accept(bodyLimit: Self.preflightLimit) }
    guard head.method == "POST" || head.method == "PUT" else { return .refuse(address.answers.refused(.wrongMethod)) }
    guard let app = app(of: head, now) else {
      return waiting(for: head, at: now) ?? .refuse(address.answers.refused(unknownKey))
    }
    refresher.refreshIfDue(at: now)
    if let refusal = refusal(of: head, from: app, at: address, now) { return .refuse(address.answers.refused(refusal)) }
    return .accept(bodyLimit: bodyLimit, account: memory.account(of: app.id))
  }

  /// Whether a key is unknown cannot be told while the control database does not answer.
  var unknownKey: IngestRefusal { refresher.isReadable ? .unauthorized : .unavailable(seconds: 5) }

  /// A key that memory does not know may have been added a moment ago. Nil when it was not.
  func waiting(for head: borrowing RequestHead, at now: Timestamp) -> Admission? {
    guard !head.isAskedAgain else { return nil }
    return .askAgain { [refresher] wake in if !refresher.waits(at: now, wake) { wake() } }
  }

  /// A body that is too large as it is sent, announced or not.
  func refuseBody(
    of head: borrowing RequestHead, to address: IngestAddress, over limit: Int, at now: Timestamp
  ) -> Response {
    if let app = app(of: head, now) { count(.tooLarge(limit: limit), app, IngestKey.client(head)) }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, at address: IngestAddress, _ reply: Reply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let received = Timestamp(milliseconds: request.received)
    guard let app = app(of: request.head, received) else {
      return reply.send(address.answers.refused(unknownKey))
    }
    let coding = BodyCoding(request.head, unknownIsIdentity: address.unknownCodingIsIdentity)
    if case .unknown(let name) = coding { return reply.send(address.answers.refused(.unknownCoding(name))) }
    let submission = Submission(
      app: app.id, settings: app.settings, format: address.format, received: received,
      client: IngestKey.client(request.head), idempotencyKey: IngestKey.idempotency(request.head), isPadded: true)
    let delivery = Delivery(submission: submission, answers: address.answers, reply: reply)
    decoders.decode(request, coding.packing, limit: decompressedLimit, for: app.id, reply) { input in
      switch input {
      case .body(let body, let decoder): deliver(body, delivery, decoder)
      case .damaged(let error): refuse(.notUnpacked(error, limit: decompressedLimit), delivery)
      case .crowded: refuse(.unavailable(seconds: 2), delivery)
      }
    }
  }

  /// `body` is plain, with padding behind it. Once its records wait for the journal, only the journal's word is sent: a
  /// 503 at the deadline would make the client send again what is about to be stored.
  func deliver(_ body: UnsafeRawBufferPointer, _ delivery: Delivery, _ decoder: PayloadDecoder) {
    let (answers, reply) = (delivery.answers, delivery.reply)
    let start = DispatchTime.now().uptimeNanoseconds
    reply.hold()
    do throws(DecodingFailure) {
      try intake.receive(
        body, delivery.submission, decoder: decoder,
        weighed: { limits.rows.charge($0, to: delivery.submission.app, at: delivery.submission.received) },
        completion: { reply.send(answers.stored($0)) })
    } catch {
      reply.send(answers.refused(.rejected(error)))
    }
    limits.shares.charge(DispatchTime.now().uptimeNanoseconds &- start, to: delivery.submission.app)
  }

  private func refuse(_ refusal: IngestRefusal, _ delivery: Delivery) {
    count(refusal, delivery.submission.app, delivery.submission.client)
    delivery.reply.send(delivery.answers.refused(refusal))
  }

  private func refusal(
    of head: borrowing RequestHead, from app: App, at address: IngestAddress, _ now: Timestamp
  ) -> IngestRefusal? {
    var refusal: IngestRefusal?
    if case .unknown(let coding) = BodyCoding(head, unknownIsIdentity: address.unknownCodingIsIdentity) {
      refusal = .unknownCoding(coding)
    } else if let length = head.contentLength, length > bodyLimit {
      refusal = .tooLarge(limit: bodyLimit)
    } else {
      refusal = limits.refusal(of: app.id, at: now)
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
  func count(_ refusal: IngestRefusal, _ app: App, _ client: String) { count(refusal, app.id, client) }

  func count(_ refusal: IngestRefusal, _ app: AppID, _ client: String) {
    switch refusal {
    case .wrongMethod, .unauthorized, .rejected: break
    case .unknownCoding: intake.countRefusal(app: app, client: client, reason: "content encoding")
    case .tooLarge: intake.countRefusal(app: app, client: client, reason: Self.tooLarge)
    case .limited(let limit, _): intake.countRefusal(app: app, client: client, reason: limit.rawValue)
    case .unavailable: intake.countRefusal(app: app, client: client, reason: IngestRefusal.crowded)
    case .notUnpacked(let error, _) where error.kind == .tooLarge:
      intake.countRefusal(app: app, client: client, reason: Self.tooLarge)
    case .notUnpacked(let error, _):
      intake.countRejection(app: app, client: client, reason: IngestRefusal.encodingReason, detail: error.description)
    }
  }

  private func app(of head: borrowing RequestHead, _ now: Timestamp) -> App? {
    IngestKey.of(head).flatMap { access.knownApp(forKey: $0, at: now) }
  }

  private static let tooLarge = "body too large"
  /// A question of a browser has no body.
  static let preflightLimit = 1024
}

/// One body on its way into the journal, and who waits for the answer.
struct Delivery: Sendable {
  let submission: Submission
  let answers: any IngestAnswers
  let reply: Reply
}

/// Everything that bounds what one app may send, asked at the door.
struct IngestLimits: Sendable {
  let intake: Intake
  let rows: RowBudget
  let shares = FairShares(threads: 2)
  private let rate: RateLimiter

  init(intake: Intake, rows: RowBudget, requestsPerSecond: Int) {
    self.intake = intake
    self.rows = rows
    rate = RateLimiter(perSecond: requestsPerSecond)
  }

  /// Nil when an app may send a request at `now`.
  func refusal(of app: AppID, at now: Timestamp, _ rate: RateLimiter? = nil) -> IngestRefusal? {
    if let seconds = (rate ?? self.rate).take(app, at: now) { return .limited(.requests, seconds: seconds) }
    if let seconds = rows.wait(app, at: now) { return .limited(.rows, seconds: seconds) }
    if !shares.admits(app) { return .limited(.share, seconds: 1) }
    switch intake.room(for: app) {
    case .enough: return nil
    case .appHasTooMuch: return .limited(.unwritten, seconds: 2)
    case .none: return .unavailable(seconds: 5)
    }
  }
}
