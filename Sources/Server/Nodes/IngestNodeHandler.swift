import Access
public import HTTP
import Storage
import Telemetry

/// The handler of an ingest node: the routes that receive payloads, `/healthz`, `/readyz` and `/metrics`. There are no
/// pages; every other address names the primary.
public final class IngestNodeHandler: RequestHandler {
  private let context: ServerContext
  private let ingest: IngestRoute
  private let sentry: SentryRoute
  private let status: StatusRoutes
  private let refresher: AccessRefresher
  private let elsewhere: Response
  private let queue = FairQueue<ClientAddress?>(label: "plumb.metrics", threads: 1, limit: 64)

  /// `primary`: the address of the server with the pages.
  public init(_ context: ServerContext, primary: String) {
    self.context = context
    refresher = AccessRefresher(context.access, clock: context.clock)
    ingest = IngestRoute(context, refresher)
    sentry = SentryRoute(
      beside: ingest, requestsPerSecond: context.settings.requestsPerSecond, proxies: context.settings.trustedProxies)
    status = StatusRoutes(context, refresher)
    elsewhere = Response.text(
      "This is an ingest node of Plumb: it takes payloads. Pages and the API are at \(primary).\n", status: 404
    ).prepared()
  }

  /// Sets the server whose counters `/metrics` shows. Called once, before requests arrive.
  public func observe(_ server: HTTPServer) { status.observe(server) }

  public func admit(_ head: borrowing RequestHead) -> Admission {
    guard let address = IngestAddress(head) else { return .accept(bodyLimit: Self.bodyLimit) }
    return address.isSentry
      ? sentry.admit(head, to: address, at: context.clock()) : ingest.admit(head, to: address, at: context.clock())
  }

  public func respond(to request: borrowing Request, _ reply: PendingReply) {
    guard request.head.method == "GET" || request.head.method == "HEAD" else { return reply.send(elsewhere) }
    switch request.head.path {
    case "/healthz": reply.send(status.health())
    case "/readyz": reply.send(status.readiness())
    case "/metrics":
      let text = request.head.header("Authorization").flatMap(IngestHeaders.bearer)
      let isTaken = queue.run(for: context.settings.trustedProxies.client(of: request.head)?.network) { [self] in
        guard let text, let token = context.access.token(text, at: context.clock()),
          Permission(token, at: context.clock())?.allows(.read) == true
        else { return reply.send(Self.unauthorized) }
        reply.send(status.metrics())
      }
      if !isTaken { reply.send(Self.busy) }
    default: reply.send(elsewhere)
    }
  }

  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
    IngestAddress(head)?.answers.defaultResponses ?? .standard
  }

  private static let bodyLimit = 1024
  private static let unauthorized = Response.problem(
    401, "Read token needed",
    detail: "Send a token of the primary that reads every app as `Authorization: Bearer TOKEN`.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  private static let busy = Response.problem(503, "Busy", headers: [("Retry-After", "2")]).prepared()
}
