import Access
import Decoding
import HTTP
import Intake
import Storage
import Telemetry

/// One envelope or event on its way into the journal, and who waits for the answer.
struct SentryDelivery {
  /// What the headers and the query say.
  let key: SentryKey
  let address: IngestAddress
  let received: Timestamp
  let client: String
  let access: AccessCache
  let intake: Intake
  let sessionRate: KeyRate
  let errorRate: KeyRate
  let reply: Reply

  /// `body` is plain, with padding behind it.
  func receive(_ body: UnsafeRawBufferPointer, _ decoder: PayloadDecoder) {
    var key = key
    if address.mayHoldKey { key.add(decoder.envelopeDSN(in: body, isPadded: true)) }
    switch key.app(access, at: received) {
    case .failure(let refusal): reply.send(SentryAnswers.forbidden(refusal))
    case .success(let app): take(body, app, decoder)
    }
  }

  private func take(_ body: UnsafeRawBufferPointer, _ app: App, _ decoder: PayloadDecoder) {
    if let refusal = limit(body, app, decoder) { return reply.send(refusal) }
    let (answers, reply) = (address.answers, reply)
    // No idempotency key: events and sessions are known by their own ids.
    let submission = Submission(
      app: app.id, format: address.format, received: received, client: client, isPadded: true)
    do throws(DecodingFailure) {
      try intake.receive(body, submission, decoder: decoder) { reply.send(answers.stored($0)) }
    } catch {
      reply.send(answers.refused(.rejected(error)))
    }
  }

  /// The answer when the app sends too fast. Sessions beside an event go with it.
  private func limit(_ body: UnsafeRawBufferPointer, _ app: App, _ decoder: PayloadDecoder) -> Response? {
    let isSessions =
      address.format == .sentryEnvelope && decoder.envelopeCategories(in: body, isPadded: true) == [.session]
    let rate = isSessions ? sessionRate : errorRate
    guard let seconds = rate.take(app.id, at: received) else { return nil }
    intake.countRefusal(app: app.id, client: client, reason: "too many requests")
    return SentryAnswers.limited(seconds, isSessions ? "session" : "default;error")
  }
}
