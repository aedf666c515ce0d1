public import HTTP

/// The handler of all HTTP requests.
///
/// HTTP threads read heads and bodies, look keys up in memory and decode small bodies; they never block. Pages and the
/// API run on two workers, and two more while pages take long, on which client addresses take turns. Passwords, large bodies, symbols and the control
/// database have threads of their own.
public final class PlumbHandler: RequestHandler {
  private let context: ServerContext
  private let ingest: IngestRoute
  private let sentry: SentryRoute
  private let reading: WebRoutes
  private let uploads: SymbolUploads
  private let nodes: NodeRoutes
  private let refresher: AccessRefresher
  private let pages = FairQueue<ClientAddress?>(label: "plumb.pages", threads: 2, spare: 2, limit: 256)
  /// Judgements may take seconds: on a thread of their own they keep no page from being made.
  private let gates = FairQueue<ClientAddress?>(label: "plumb.gates", threads: 1, limit: 64)

  public init(_ context: ServerContext) {
    self.context = context
    refresher = AccessRefresher(context.access, clock: context.clock)
    ingest = IngestRoute(context, refresher)
    sentry = SentryRoute(
      beside: ingest, requestsPerSecond: context.settings.requestsPerSecond, proxies: context.settings.trustedProxies)
    reading = WebRoutes(context, refresher)
    uploads = SymbolUploads(context, refresher)
    nodes = NodeRoutes(context, refresher)
  }

  /// Sets the server whose counters `/metrics` shows. Called once, before requests arrive.
  public func observe(_ server: HTTPServer) { reading.status.observe(server) }

  public func admit(_ head: borrowing RequestHead) -> Admission {
    if let address = IngestAddress(head) {
      return address.isSentry
        ? sentry.admit(head, to: address, at: context.clock()) : ingest.admit(head, to: address, at: context.clock())
    }
    if NodeRoutes.Address.isBelow(head.path), let address = NodeRoutes.Address(head.segments) {
      return nodes.admit(head, to: address, at: context.clock())
    }
    if GateRoutes.Address(head.path) != nil { return reading.gate.admit(head, refresher, at: context.clock()) }
    if let address = DebugFileUploads.Address(head.segments) {
      return uploads.admit(head, to: address, at: context.clock())
    }
    if SymbolUploads.isUpload(head) { return uploads.admit(head, at: context.clock()) }
    return .accept(bodyLimit: Self.formLimit)
  }

  /// Answers a request that `admit` accepted without a responder of its own: a page, the API or a form.
  public func respond(to request: borrowing Request, _ reply: PendingReply) {
    if let cached = reading.cached(request.head) { return reply.send(cached) }
    let snapshot = request.snapshot()
    if LoginRoutes.isAttempt(request.head) { return reading.login.attempt(snapshot, reply) }
    if OpenIDRoutes.isAddress(request.head), let openID = reading.openID { return openID.respond(to: snapshot, reply) }
    answer(snapshot, reply)
  }

  private func answer(_ request: RequestSnapshot, _ reply: PendingReply) {
    let queue = GateRoutes.Address(request.path) == nil ? pages : gates
    let isTaken = queue.run(for: context.settings.trustedProxies.client(of: request)?.network) { [self] in
      guard reply.isOwed else { return }
      if let response = reading.response(to: request, again: { [self] in answer(request, reply) }) {
        reply.send(response)
      }
    }
    if !isTaken { reply.send(Self.busy) }
  }

  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
    IngestAddress(head)?.answers.defaultResponses ?? .standard
  }

  /// The largest body of a form, in bytes.
  private static let formLimit = 32 << 10

  static let busy = Response.problem(
    503, "Busy", detail: "Too many pages are being made. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
}
