import Access
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// One envelope or event on its way into the journal, and who waits for the answer.
struct SentryDelivery: Sendable {
  /// What the headers and the query say.
  let key: SentryKey
  let address: IngestAddress
  let received: Timestamp
  let client: String
  let ingest: IngestRoute
  let sessionRate: RateLimiter
  let errorRate: RateLimiter
  let reply: Reply

  /// `body` is plain, with padding behind it.
  func receive(_ body: UnsafeRawBufferPointer, _ decoder: PayloadDecoder) {
    var key = key
    if address.mayHoldKey { key.add(decoder.envelopeDSN(in: body, isPadded: true)) }
    switch key.app(ingest.access, at: received) {
    case .failure(let refusal): reply.send(SentryAnswers.forbidden(refusal))
    case .success(let app): take(body, app, decoder)
    }
  }

  /// `app` is whose it is, as far as that is known.
  func refuse(_ refusal: IngestRefusal, _ app: App?) {
    if let app { ingest.count(refusal, app, client) }
    reply.send(address.answers.refused(refusal))
  }

  private func take(_ body: UnsafeRawBufferPointer, _ app: App, _ decoder: PayloadDecoder) {
    if let refusal = limit(body, app, decoder) { return reply.send(refusal) }
    // No idempotency key: events and sessions are known by their own ids.
    let submission = Submission(
      app: app.id, settings: app.settings, format: address.format, received: received, client: client, isPadded: true)
    ingest.deliver(body, Delivery(submission: submission, answers: address.answers, reply: reply), decoder)
  }

  /// The answer when the app sends too much. Sessions beside an event go with it.
  private func limit(_ body: UnsafeRawBufferPointer, _ app: App, _ decoder: PayloadDecoder) -> Response? {
    let isSessions =
      address.format == .sentryEnvelope && decoder.envelopeCategories(in: body, isPadded: true) == [.session]
    let rate = isSessions ? sessionRate : errorRate
    guard let refusal = ingest.limits.refusal(of: app.id, at: received, rate) else { return nil }
    ingest.count(refusal, app, client)
    guard case .limited(let limit, let seconds) = refusal, limit == .requests else {
      return address.answers.refused(refusal)
    }
    return SentryAnswers.limited(seconds, isSessions ? "session" : "default;error")
  }
}
