import Core
import Ingest
import Storage

/// Receives the requests of Sentry clients to `POST /api/{project}/envelope/` and `/store/`, and responds when the
/// records are on disk.
///
/// An envelope may have its key in the body. Then the body is read and decompressed before its app is known.
final class SentryRoute: Sendable {
  fileprivate let ingest: IngestRoute
  /// The limit of sessions. Sessions are frequent and limited separately, so that they do not block crash reports.
  fileprivate let sessionRate: RateLimiter
  fileprivate let errorRate: RateLimiter
  /// The limit of transactions and metrics, which are more frequent than sessions.
  fileprivate let measurementRate: RateLimiter
  private let proxies: TrustedProxies

  /// Shares memory, keys and limits with the routes of the other formats.
  init(beside ingest: IngestRoute, _ settings: ServerSettings) {
    proxies = settings.trustedProxies
    self.ingest = ingest
    sessionRate = RateLimiter(perSecond: settings.requestsPerSecond)
    errorRate = RateLimiter(perSecond: settings.requestsPerSecond)
    measurementRate = RateLimiter(perSecond: settings.requestsPerSecond)
  }

  /// Decides at the headers whether to read a request's body.
  func admit(_ head: borrowing RequestHead, to address: IngestAddress) -> Admission {
    let now = ingest.backend.now()
    let request = SentryRequest(head, to: address, self)
    if head.method == "OPTIONS" { return .accept(bodyLimit: IngestRoute.preflightLimit, responder: request) }
    guard head.method == "POST" else { return .refuse(address.answers.refused(.wrongMethod)) }
    ingest.refresher.refreshIfDue(at: now)
    if !ingest.hasRoom { return .refuse(address.answers.refused(IngestRoute.noSpace)) }
    if request.key.keys.isEmpty, address.mayHoldKey {
      let account = ingest.memory.account(of: proxies.client(of: head))
      return .accept(bodyLimit: BodyMemory.keylessBody, account: account, responder: request)
    }
    switch request.key.app(ingest.access, at: now) {
    case .success(let app):
      if !ingest.hasRoom(for: app.id, at: now) { return .refuse(address.answers.refused(IngestRoute.noSpace)) }
      return .accept(bodyLimit: ingest.bodyLimit, account: ingest.memory.account(of: app.id), responder: request)
    case .failure(.unknownKey):
      if let waiting = ingest.waiting(for: head, at: now) { return waiting }
      guard ingest.knowsEveryKey else { return .refuse(address.answers.refused(.unavailable(seconds: 5))) }
      return .refuse(SentryResponses.forbidden(.unknownKey))
    case .failure(let refusal): return .refuse(SentryResponses.forbidden(refusal))
    }
  }
}

/// A request to a Sentry address. `admit` reads address, key, client and encoding from the headers once; `respond` uses
/// them.
private final class SentryRequest: Responder {
  private let address: IngestAddress
  /// The keys in the headers and the query.
  let key: SentryKey
  private let client: String
  private let coding: BodyCoding
  private let route: SentryRoute
  private var ingest: IngestRoute { route.ingest }

  init(_ head: borrowing RequestHead, to address: IngestAddress, _ route: SentryRoute) {
    self.address = address
    self.route = route
    key = SentryKey(head, project: address.app)
    client = IngestHeaders.client(head)
    coding = BodyCoding(head, unknownIsIdentity: address.unknownCodingIsIdentity)
  }

  /// The largest size after decompression, in bytes, of a body whose key is not yet known.
  private static let keylessUnpacked = 1 << 20

  var defaultResponses: DefaultResponses { address.answers.defaultResponses }

  /// The refusal of a body that exceeds the limit as sent, with or without a Content-Length.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
    if case .success(let app) = key.app(ingest.access, at: ingest.backend.now()) {
      ingest.count(.tooLarge(limit: limit), app, client)
    }
    if limit < ingest.bodyLimit { return SentryResponses.tooLargeWithoutKey(limit) }
    return address.answers.refused(.tooLarge(limit: limit))
  }

  func respond(to request: borrowing Request, _ reply: PendingReply) {
    if request.head.method == "OPTIONS" { return reply.send(CrossOrigin.preflight) }
    let received = Timestamp(milliseconds: request.received)
    // Bodies whose key is not yet known share one turn.
    let app = try? key.app(ingest.access, at: received).get()
    let limit = app == nil ? min(Self.keylessUnpacked, ingest.decompressedLimit) : ingest.decompressedLimit
    ingest.decoders.decode(request, coding.packing, limit: limit, for: app?.id ?? 0, reply) { [self] input in
      switch input {
      case .body(let body, let decoder): receive(body, received, decoder, reply)
      case .damaged(let error): refuse(.notUnpacked(error, limit: limit))
      case .crowded: refuse(.unavailable(seconds: 2))
      }
      func refuse(_ refusal: IngestRefusal) {
        if let app { ingest.count(refusal, app, client) }
        reply.send(address.answers.refused(refusal))
      }
    }
  }

  /// Decodes a body and queues its records. `body`: decompressed, with padding after it.
  private func receive(
    _ body: UnsafeRawBufferPointer, _ received: Timestamp, _ decoder: PayloadDecoder, _ reply: PendingReply
  ) {
    var key = key
    if address.mayHoldKey { key.add(decoder.envelopeDSN(in: body, isPadded: true)) }
    let app: App
    switch key.app(ingest.access, at: received) {
    case .failure(let refusal): return reply.send(SentryResponses.forbidden(refusal))
    case .success(let found): app = found
    }
    // Only with a valid key: an envelope may have very many items.
    let layout = address.format == .sentryEnvelope ? decoder.envelopeLayout(of: body, isPadded: true) : nil
    if let refusal = limit(layout?.categories ?? .error, app, at: received) { return reply.send(refusal) }
    // No idempotency key: events and sessions are identified by their own ids.
    let submission = Submission(
      app: app.id, settings: app.settings, format: address.format, received: received, client: client, isPadded: true,
      layout: layout)
    ingest.deliver(body, submission, address.answers, reply, decoder)
  }

  /// The response if the app has exceeded a limit; else nil. Items of an envelope with an event are limited like the
  /// event, and measurements in an envelope with sessions like the sessions.
  private func limit(_ found: EnvelopeCategories, _ app: App, at received: Timestamp) -> Response? {
    let (rate, categories) =
      switch (found.contains(.error) || found.isEmpty, found.contains(.session)) {
      case (true, _): (route.errorRate, "default;error")
      case (_, true): (route.sessionRate, "session")
      default: (route.measurementRate, "transaction;trace_metric")
      }
    guard let refusal = ingest.limits.refusal(of: app.id, at: received, rate) else { return nil }
    ingest.count(refusal, app, client)
    guard case .limited(let limit, let seconds) = refusal, limit == .requests else {
      return address.answers.refused(refusal)
    }
    return SentryResponses.limited(limit, seconds, categories)
  }
}

/// The keys in a Sentry request: in headers, query and envelope. All of them must be equal.
struct SentryKey {
  /// All keys in the request, in any order.
  private(set) var keys: [String]
  /// The app's number in the path; nil if that is not a number.
  private let project: AppID?
  private var dsnProject: AppID?

  /// Reads `X-Sentry-Auth: Sentry sentry_key=KEY, …`, the same in `Authorization`, `?sentry_key=KEY`, and the headers
  /// and the parameter of Plumb's protocol.
  init(_ head: borrowing RequestHead, project: AppID?) {
    self.project = project
    keys = []
    for field in [head.header("X-Sentry-Auth"), head.header("Authorization")] {
      guard let field else { continue }
      if let key = Self.key(inField: field) ?? IngestHeaders.bearer(field) { keys.append(key) }
    }
    let query = head.query
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
    for key in [parameter("sentry_key"), head.header("X-Plumb-Key"), parameter("key")] {
      if let key { keys.append(key) }
    }
  }

  /// Adds the key in the envelope's header.
  mutating func add(_ dsn: SentryDSN?) {
    guard let dsn else { return }
    keys.append(dsn.key)
    dsnProject = AppID(dsn.project) ?? 0
  }

  /// The app that the request may write to.
  func app(_ access: AccessCache, at now: Timestamp) -> Result<App, SentryRefusal> {
    guard let key = keys.first else { return .failure(.missingKey) }
    guard keys.allSatisfy({ $0 == key }) else { return .failure(.keysDiffer) }
    guard let app = access.knownApp(forKey: key, at: now) else { return .failure(.unknownKey) }
    guard project == app.id, dsnProject ?? app.id == app.id else { return .failure(.otherProject) }
    return .success(app)
  }

  /// Extracts `KEY` from `Sentry sentry_version=7, sentry_key=KEY`; nil for another scheme.
  static func key(inField field: String) -> String? {
    var field = field
    return field.withUTF8 { bytes in
      var rest = bytes[...]
      guard let scheme = nextWord(of: &rest), ASCII.equal(UnsafeRawBufferPointer(scheme), "sentry") else { return nil }
      while let word = nextWord(of: &rest) {
        if word.starts(with: keyName) { return String(decoding: word[keyName.count...], as: UTF8.self) }
      }
      return nil
    }
  }

  private static let keyName = Array("sentry_key=".utf8)

  /// Removes and returns the next word, without the spaces, tabs and commas around it; nil at the end.
  private static func nextWord(of text: inout UnsafeBufferPointer<UInt8>.SubSequence) -> UnsafeBufferPointer<UInt8>? {
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: ",") || byte == 0x09 }
    let word = text.drop(while: isSeparator).prefix { !isSeparator($0) }
    text = text[word.endIndex...]
    return word.isEmpty ? nil : UnsafeBufferPointer(rebasing: word)
  }
}

/// Why a Sentry request may not write.
enum SentryRefusal: String, Error {
  case missingKey =
    "no key: send X-Sentry-Auth, ?sentry_key= or the DSN in the envelope's header; plumb app list prints the DSN"
  case keysDiffer = "the request contains different keys"
  case unknownKey = "unknown or retired key; plumb app list prints the DSN"
  case otherProject = "the key does not belong to the project in the address; plumb app list prints the DSN"
}
