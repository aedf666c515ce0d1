import Access
import Pages
import HTTP
import Health
import Storage
import Telemetry

/// Answers requests for pages, the API, assets, status and login. Runs on worker threads.
final class WebRoutes: Sendable {
  let status: StatusRoutes
  private let context: ServerContext
  private let access: ReadAccess
  var gate: GateRoutes { GateRoutes(context: context, access: access) }
  let login: LoginRoutes
  /// Signing in with a provider; nil if the settings name none.
  let openID: OpenIDRoutes?
  private let assets: Assets
  private let cache = PageCache()
  private let summaries = SummaryCache()
  private let openIncidents = OpenIncidents()

  init(_ context: ServerContext, _ refresher: AccessRefresher) {
    self.context = context
    assets = Assets(mountPath: context.settings.mountPath.path)
    let cookie = SessionCookie(publicURL: context.settings.publicURL, path: context.settings.mountPath.path)
    access = ReadAccess(
      cache: context.access, store: context.control, cookie: cookie, context.settings, report: context.report)
    login = LoginRoutes(context: context, cookie: cookie)
    openID = OpenIDRoutes(context, login)
    status = StatusRoutes(context, refresher)
  }

  /// Responses that need no worker thread: liveness, assets, and cached pages if no login is needed.
  func cached(_ head: borrowing RequestHead) -> Response? {
    guard head.method == "GET" || head.method == "HEAD" else { return nil }
    switch head.path {
    case "/healthz": return status.health()
    case "/readyz": return status.readiness()
    default: break
    }
    let known = head.header("If-None-Match")
    let gzip = AcceptHeader.allowsGzip(head.header("Accept-Encoding"))
    if let asset = assets.response(head.path, ifNoneMatch: known, gzip: gzip) { return asset }
    guard let reader = access.knownReader(of: head),
      let address = PageCache.address(of: head, gzip: gzip, viewer: reader.cacheKey),
      let kept = cache.response(address, dataVersion: context.dataVersion(), at: context.clock())
    else { return nil }
    return EntityTag.matches(known, kept.tag) ? Self.notModified(kept.tag) : kept.response
  }

  /// Nil if another request makes the page: then `again` is called when it has.
  func response(to request: RequestSnapshot, again: @escaping @Sendable () -> Void) -> Response? {
    do {
      return try answer(request, at: context.clock(), again)
    } catch let refusal as ReadAccess.Refusal {
      return ErrorResponses(request).forbidden(refusal.detail)
    } catch {
      context.report(error)
      return ErrorResponses(request).unavailable
    }
  }

  /// Routes a request. Throws if the client's access cannot be read.
  private func answer(
    _ request: RequestSnapshot, at now: Timestamp, _ again: @escaping @Sendable () -> Void
  ) throws -> Response? {
    if let response = try gate.response(to: request, at: now) { return response }
    if let response = try DeletionRoutes(context: context, throttle: login.throttle).response(to: request, at: now) {
      return response
    }
    switch (request.method, request.path) {
    case (_, "/login"), (_, "/logout"): return login.response(to: request, access)
    case (_, let path) where AccountRoutes.isAddress(path):
      guard let reader = try access.reader(of: request, at: now) else { return ErrorResponses(request).unauthorized }
      return try AccountRoutes(
        context: context, reader: reader, throttle: login.throttle, current: access.sessionHash(of: request)
      ).response(to: request, at: now)
    case ("GET", _), ("HEAD", _): break
    case (let method, _) where DecisionRoutes.isDecision(method, request.segments):
      return DecisionRoutes(context: context, throttle: login.throttle).response(
        to: request, from: try access.reader(of: request, at: now), at: now, isDecided: cache.forget)
    case (_, SymbolUploads.path): return ErrorResponses(request).methodNotAllowed("GET, HEAD, PUT")
    default:
      return ErrorResponses(request).methodNotAllowed(
        DecisionRoutes.allowedMethods(request.segments) ?? "GET, HEAD")
    }
    guard let reader = try access.reader(of: request, at: now) else { return ErrorResponses(request).unauthorized }
    guard !reader.permission.isEmpty else { return ErrorResponses(request).forbidden(Self.withoutRole) }
    if request.path == "/metrics" {
      guard reader.permission.allows(.read) else { return ErrorResponses(request).forbidden(Self.notEveryApp) }
      return status.metrics()
    }
    return page(request, reader, at: now, again)
  }

  /// A page from the cache; else rendered now and cached. Nil if another request makes it.
  private func page(
    _ request: RequestSnapshot, _ reader: ReadAccess.Reader, at now: Timestamp, _ again: @escaping @Sendable () -> Void
  ) -> Response? {
    let address = PageCache.address(of: request, viewer: reader.cacheKey)
    let known = request.header("If-None-Match")
    switch cache.turn(address, dataVersion: context.dataVersion, at: now, again: again) {
    case .kept(let response, let tag): return EntityTag.matches(known, tag) ? Self.notModified(tag) : response
    case .others: return nil
    case .full: return PlumbHandler.busy
    case .own: break
    }
    defer { cache.finish(address) }
    // Read before the data: a change during rendering must make the cached page outdated.
    let dataVersion = context.dataVersion()
    let pages = PageRoutes(context, summaries, context.appVersions(), reader)
    do {
      var content: PageContent?
      try context.snapshot {
        content = try pages.content(of: request, at: now) { [context, openIncidents] app in
          try openIncidents.count(of: app, version: dataVersion, in: context.control)
        }
      }
      guard let made = content else { return ErrorResponses(request).notFound }
      // Outside the snapshot: an open read transaction keeps SQLite from shortening its log.
      let bytes = made.render()
      let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
      let body = EncodedBody(bytes, gzip: gzip, maySqueeze: !made.holdsSecrets)
      let headers = [
        ("Content-Type", made.type), ("ETag", body.tag), Self.caching, ("Vary", "Accept, Accept-Encoding"),
      ]
      let refresh = made.refresh.map { [("Refresh", "\($0)")] } ?? []
      let response = Response(
        status: 200, headers: headers + refresh + body.headers + Security.headers, body: body.bytes
      )
      .prepared()
      if made.isLasting, let dataVersion {
        cache.keep(
          response, tag: body.tag, size: body.bytes.count, at: address, rendered: now, dataVersion: dataVersion)
      }
      return EntityTag.matches(known, body.tag) ? Self.notModified(body.tag) : response
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch let refusal as ReadAccess.Refusal {
      return ErrorResponses(request).forbidden(refusal.detail)
    } catch let error as StoreError {
      if case .unavailable = error { return ErrorResponses(request).rowsUnavailable(error.description) }
      guard case .windowTooOld = error else { return failure(error, request) }
      return ErrorResponses(request).badRequest(
        InvalidQuery(detail: error.description, parameter: "from", isReadable: true))
    } catch {
      return failure(error, request)
    }
  }

  private func failure(_ error: any Error, _ request: RequestSnapshot) -> Response {
    context.report(error)
    return ErrorResponses(request).failure
  }

  private static let withoutRole =
    "Your user has no role yet. An administrator gives one with `plumb user role NAME reader`."
  private static let notEveryApp = "The server's own metrics need a token for every app."

  private static let caching = ("Cache-Control", "private, no-cache")

  private static func notModified(_ tag: String) -> Response {
    Response(status: 304, headers: [("ETag", tag), caching])
  }
}

/// The security headers of every response for readers: no script, style or frame of another origin.
enum Security {
  static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
  ]
}
