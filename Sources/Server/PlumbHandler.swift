public import HTTP

/// The handler of all HTTP requests.
///
/// HTTP threads read heads and bodies, look keys up in memory and decode small bodies; they never block. Pages and the
/// API run on four workers, on which client addresses take turns. Passwords, large bodies, symbols and the control
/// database have threads of their own.
public final class PlumbHandler: RequestHandler {
  private let context: ServerContext
  private let ingest: IngestRoute
  private let sentry: SentryRoute
  private let reading: WebRoutes
  private let uploads: SymbolUploads
  private let nodes: NodeRoutes
  private let refresher: AccessRefresher
  /// However slow the pages of one address or one app are, there is a worker for others.
  private let pages = FairQueue<ClientAddress?>(label: "plumb.pages", threads: 4, most: 3, limit: 256)
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
    let reading = self.reading
    if OpenIDRoutes.isAddress(request.head), let openID = reading.openID { return openID.respond(to: snapshot, reply) }
    let isGate = GateRoutes.Address(snapshot.path) != nil
    let asked = context.clock()
    let isTaken = (isGate ? gates : pages).run(
      for: context.settings.trustedProxies.client(of: snapshot)?.network, isGate ? [] : Self.shares(of: snapshot)
    ) {
      if reply.isOwed { reply.send(reading.response(to: snapshot, asked: asked)) }
    }
    if !isTaken { reply.send(Self.busy) }
  }

  /// Of one page one is made at a time, and of one app two.
  private static func shares(of request: RequestSnapshot) -> [FairQueue<ClientAddress?>.Share] {
    guard request.method == "GET" || request.method == "HEAD" else { return [] }
    let page = FairQueue<ClientAddress?>.Share(name: PageCache.place(of: request), most: 1)
    let path = request.segments.drop { $0 == "api" || $0 == "v1" }
    guard path.first == "apps", let app = path.dropFirst().first else { return [page] }
    return [page, FairQueue<ClientAddress?>.Share(name: "app \(app)", most: 2)]
  }

  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
    IngestAddress(head)?.answers.defaultResponses ?? .standard
  }

  /// The largest body of a form, in bytes.
  private static let formLimit = 32 << 10

  private static let busy = Response.problem(
    503, "Busy", detail: "Too many pages are being made. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
}
