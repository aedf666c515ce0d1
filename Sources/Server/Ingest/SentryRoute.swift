import Access
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// `POST /api/{project}/envelope/` and `/store/`: what Sentry's clients send, answered once it is on disk.
///
/// An envelope may hold its key itself: then it is buffered before it is known whose it is.
struct SentryRoute: Sendable {
  private let access: AccessCache
  private let intake: Intake
  private let decoders: DecoderPool
  private let bodyLimit: Int
  /// Sessions are many and have a limit of their own, so that crashes still come through.
  private let sessionRate: KeyRate
  private let errorRate: KeyRate

  /// Shares what `/v1/payloads` has, but not its limit of requests.
  init(beside ingest: IngestRoute, requestsPerSecond: Int) {
    access = ingest.access
    intake = ingest.intake
    decoders = ingest.decoders
    bodyLimit = ingest.bodyLimit
    sessionRate = KeyRate(perSecond: requestsPerSecond)
    errorRate = KeyRate(perSecond: requestsPerSecond)
  }

  /// Decided at the headers, as far as they tell.
  func admit(_ head: borrowing RequestHead, _ endpoint: SentryEndpoint, at now: Timestamp) -> Admission {
    guard head.method == "POST" else { return .refuse(SentryAnswers.wrongMethod) }
    let key = SentryKey(head, project: endpoint.project)
    var app: App?
    if !key.keys.isEmpty || endpoint.format == .sentryStore {
      switch key.app(access, at: now) {
      case .success(let found): app = found
      case .failure(let refusal): return .refuse(SentryAnswers.forbidden(refusal))
      }
    }
    if let length = head.contentLength, length > bodyLimit {
      if let app { intake.countRefusal(app: app.id, client: IngestKey.client(head), reason: "body too large") }
      return .refuse(SentryAnswers.tooLarge(bodyLimit))
    }
    return .accept(bodyLimit: bodyLimit)
  }

  func respond(to request: borrowing Request, _ endpoint: SentryEndpoint, _ reply: Reply) {
    let key = SentryKey(request.head, project: endpoint.project)
    let received = Timestamp(milliseconds: request.received)
    let client = IngestKey.client(request.head)
    let body = request.body
    decoders.withDecoder(bodySize: body.count) { decoder in
      var key = key
      if endpoint.format == .sentryEnvelope { key.add(decoder.envelopeDSN(in: body, isPadded: true)) }
      switch key.app(access, at: received) {
      case .failure(let refusal): reply.send(SentryAnswers.forbidden(refusal))
      case .success(let app):
        let submission = Submission(
          app: app.id, format: endpoint.format, received: received, client: client, isPadded: true)
        take(body, submission, decoder, reply)
      }
    }
  }

  private func take(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, _ decoder: PayloadDecoder, _ reply: Reply
  ) {
    if let refusal = limit(body, submission, decoder) { return reply.send(refusal) }
    do throws(DecodingFailure) {
      try intake.receive(body, submission, decoder: decoder) { reply.send(SentryAnswers.stored($0)) }
    } catch {
      reply.send(SentryAnswers.rejected(error))
    }
  }

  /// The answer when the app sends too fast. Sessions beside an event go with it.
  private func limit(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, _ decoder: PayloadDecoder
  ) -> Response? {
    let isEnvelope = submission.format == .sentryEnvelope
    let isSessions = isEnvelope && decoder.envelopeCategories(in: body, isPadded: true) == [.session]
    let rate = isSessions ? sessionRate : errorRate
    guard let seconds = rate.take(submission.app, at: submission.received) else { return nil }
    intake.countRefusal(app: submission.app, client: submission.client, reason: "too many requests")
    return SentryAnswers.limited(seconds, isSessions ? "session" : "default;error")
  }
}
