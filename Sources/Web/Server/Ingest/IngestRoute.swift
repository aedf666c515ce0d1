import Core
import Dispatch
import Ingest
import Storage

/// Receives payloads: authenticates, decodes, and responds when the records are on disk.
///
/// It runs on threads that serve many connections and never blocks. Keys are looked up in memory, and a connection is
/// suspended while an unknown key is looked up in the control database.
final class IngestRoute: Sendable {
  let access: AccessCache
  let refresher: AccessCacheRefresher
  let intake: Intake
  let limits: IngestThrottle
  let backend: any PayloadBackend
  let bodyLimit: Int
  let decompressedLimit: Int
  let memory = BodyMemory()
  let decoders = DecoderPool()

  init(_ backend: any PayloadBackend, _ refresher: AccessCacheRefresher) {
    self.backend = backend
    access = backend.access
    self.refresher = refresher
    intake = backend.intake
    let settings = backend.settings
    limits = IngestThrottle(
      intake: backend.intake, rows: backend.rows, requestsPerSecond: settings.requestsPerSecond)
    bodyLimit = settings.bodyLimit
    decompressedLimit = settings.decompressedLimit
  }

  /// Decides at the headers whether to read a request's body.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress) -> Admission {
    let now = backend.now()
    let request = IngestRequest(head, to: address, self)
    if head.method == "OPTIONS" { return .accept(bodyLimit: Self.preflightLimit, responder: request) }
    guard head.method == "POST" || head.method == "PUT" else { return .refuse(address.answers.refused(.wrongMethod)) }
    guard let app = request.app(at: now) else {
      return waiting(for: head, at: now) ?? .refuse(address.answers.refused(unknownKey))
    }
    refresher.refreshIfDue(at: now)
    // Not counted, because counts are written to the full disk.
    if !hasRoom(for: app.id, at: now) { return .refuse(address.answers.refused(Self.noSpace)) }
    if let refusal = refusal(of: head, request, from: app, now) { return .refuse(address.answers.refused(refusal)) }
    return .accept(bodyLimit: bodyLimit, account: memory.account(of: app.id), responder: request)
  }

  /// Whether there is enough disk space for payloads.
  var hasRoom: Bool { backend.room().takesPayloads }

  /// Whether there is enough disk space for an app's payloads. If space is short, the app that has written the most is
  /// refused first.
  func hasRoom(for app: AppID, at now: Timestamp) -> Bool {
    let room = backend.room()
    return room.takesPayloads && (!room.isShort || !limits.rows.hasWrittenMost(app, at: now))
  }

  /// The refusal if there is no disk space.
  static let noSpace = IngestRefusal.unavailable(seconds: 300)

  /// The refusal of an unknown key. If the control database or (for an ingest node) the primary is unavailable, the key
  /// may be new, so the refusal is temporary.
  var unknownKey: IngestRefusal { knowsEveryKey ? .unauthorized : .unavailable(seconds: 5) }

  /// Whether an unknown key can be rejected for good.
  var knowsEveryKey: Bool { refresher.isReadable && backend.knowsEveryKey() }

  /// Suspends a request with an unknown key until the keys are read again, because the key may just have been added.
  /// Nil if they have just been read.
  func waiting(for head: borrowing RequestHead, at now: Timestamp) -> Admission? {
    head.isAskedAgain ? nil : refresher.askAgain(at: now)
  }

  /// Decodes a body and queues its records. `body`: decompressed, with padding after it. From here on, the reply has no
  /// deadline: a 503 at the deadline would make the client resend a payload that is about to be stored.
  func deliver(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, _ answers: any IngestResponses, _ reply: PendingReply,
    _ decoder: PayloadDecoder
  ) {
    let start = DispatchTime.now().uptimeNanoseconds
    reply.hold()
    do throws(DecodingFailure) {
      try intake.receive(
        body, submission, decoder: decoder,
        weighed: { limits.rows.charge($0, to: submission.app, at: submission.received) },
        completion: { reply.send(answers.stored($0)) })
    } catch {
      reply.send(answers.refused(.rejected(error)))
    }
    limits.shares.charge(DispatchTime.now().uptimeNanoseconds &- start, to: submission.app)
  }

  private func refusal(
    of head: borrowing RequestHead, _ request: IngestRequest, from app: App, _ now: Timestamp
  ) -> IngestRefusal? {
    var refusal: IngestRefusal?
    if case .unknown(let coding) = request.coding {
      refusal = .unknownCoding(coding)
    } else if let length = head.contentLength, length > bodyLimit {
      refusal = .tooLarge(limit: bodyLimit)
    } else {
      refusal = limits.refusal(of: app.id, at: now)
    }
    if let refusal { count(refusal, app, IngestHeaders.client(head)) }
    if refusal == nil, let failure = request.address.unreadable {
      intake.countRejection(
        app: app.id, client: IngestHeaders.client(head), reason: failure.reason.rawValue, detail: failure.description)
      return .rejected(failure)
    }
    return refusal
  }

  /// Counts a refused request of a known app, for the data-quality page.
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

  private static let tooLarge = "body too large"
  /// The largest body of a preflight request, in bytes. Browsers send no body.
  static let preflightLimit = 1024
}

/// A request to an ingest address. `admit` reads address, key and encoding from the headers; `respond` uses them.
private final class IngestRequest: Responder {
  let address: IngestAddress
  let coding: BodyCoding
  private let key: String?
  private let route: IngestRoute

  init(_ head: borrowing RequestHead, to address: IngestAddress, _ route: IngestRoute) {
    self.address = address
    self.route = route
    coding = BodyCoding(head, unknownIsIdentity: address.unknownCodingIsIdentity)
    key = IngestHeaders.key(head)
  }

  var defaultResponses: DefaultResponses { address.answers.defaultResponses }

  /// The app of the key. It is looked up again when the body has arrived, because the key may have been retired.
  func app(at now: Timestamp) -> App? { key.flatMap { route.access.knownApp(forKey: $0, at: now) } }

  /// The refusal of a body that exceeds the limit as sent, with or without a Content-Length.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
    if let app = app(at: route.backend.now()) { route.count(.tooLarge(limit: limit), app, IngestHeaders.client(head)) }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, _ reply: PendingReply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let received = Timestamp(milliseconds: request.received)
    guard let app = app(at: received) else { return reply.send(address.answers.refused(route.unknownKey)) }
    let submission = Submission(
      app: app.id, settings: app.settings, format: address.format, received: received,
      client: IngestHeaders.client(request.head), idempotencyKey: IngestHeaders.idempotency(request.head),
      isPadded: true)
    let limit = route.decompressedLimit
    route.decoders.decode(request, coding.packing, limit: limit, for: app.id, reply) {
      [route, answers = address.answers] input in
      switch input {
      case .body(let body, let decoder): route.deliver(body, submission, answers, reply, decoder)
      case .damaged(let error): refuse(.notUnpacked(error, limit: limit))
      case .crowded: refuse(.unavailable(seconds: 2))
      }
      func refuse(_ refusal: IngestRefusal) {
        route.count(refusal, submission.app, submission.client)
        reply.send(answers.refused(refusal))
      }
    }
  }
}
