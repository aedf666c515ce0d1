import Dispatch
import Ingest
import Storage

extension Router {
  /// The routes of a primary.
  public convenience init(_ backend: any ServerBackend) {
    let refresher = AccessCacheRefresher(backend)
    let settings = backend.settings
    let cookie = SessionCookie(publicURL: settings.publicURL, path: settings.mountPath.path)
    let access = ReadAccess(backend, cookie)
    let throttle = LoginThrottle()
    let status = StatusRoutes(backend, refresher, access)
    let nodes = NodeRoutes(backend, refresher)
    let standby = StandbyRoutes(backend, refresher)
    let uploads = SymbolUploads(backend, refresher)
    let debugFiles = SentryDebugFileUploads(backend, uploads)
    let gate = GateRoutes(backend, access, refresher)
    let lab = LabRoutes(backend, refresher)
    let deletions = DeletionRoutes(backend, throttle)
    let login = LoginRoutes(backend, access, throttle)
    let account = LoginSessionRoutes(backend, access, throttle)
    let users = UserRoutes(backend, access, throttle)
    let pages = PageRoutes(backend, access)
    let decisions = TriageRoutes(backend, access, throttle, isDecided: pages.forget)
    let assets = Assets(mountPath: settings.mountPath.path)

    // Clients take turns by address; clients with a token, by token.
    let proxies = settings.trustedProxies
    let page = WorkQueue(
      "plumb.pages", threads: 2, spare: 2, limit: 256, proxies: proxies, busy: PageRoutes.busy)
    // Judgements may take seconds, so they have their own thread and do not delay pages.
    let judgement = WorkQueue("plumb.gates", threads: 1, limit: 64, proxies: proxies, busy: PageRoutes.busy)
    // One delivery at a time, because its records are in memory.
    let relay = WorkQueue(
      "plumb.nodes", threads: 1, limit: 256, effect: .awaited, proxies: proxies, busy: NodeRoutes.busy)
    // Separate threads, so that a standby takes no time of clients and nodes.
    let copying = WorkQueue("plumb.standby", threads: 1, limit: 64, proxies: proxies, busy: StandbyRoutes.busy)
    let upload = WorkQueue(
      "plumb.uploads", threads: 2, most: 1, limit: 64, effect: .carriedOut, proxies: proxies, busy: SymbolUploads.busy)
    let runs = WorkQueue(
      "plumb.lab", threads: 1, limit: 64, effect: .carriedOut, proxies: proxies, busy: LabRoutes.busy)
    let pieces = WorkQueue(
      "plumb.pieces", threads: 1, limit: 64, effect: .awaited, proxies: proxies, busy: SentryDebugFileUploads.busy)

    var routes = Self.payloads(backend, refresher)
    routes += [
      // Standbys, with a standby token, and the exchange of epochs, which is signed.
      Route("GET", "/api/v1/standby/records", standby.admit, copying, standby.records),
      Route("GET", "/api/v1/standby/control", standby.admit, copying, standby.control),
      Route("POST", "/api/v1/standby/copy", standby.admit, copying, standby.makeCopy),
      Route("GET", "/api/v1/standby/copy", standby.admit, copying, standby.fileOfCopy),
      Route("GET", "/api/v1/standby/files", standby.admit, copying, standby.files),
      Route("POST", "/api/v1/epoch", Self.form, copying, standby.exchange),

      // Ingest nodes, with a node token.
      Route(
        "GET", "api/v1/nodes/configuration", nodes.admitConfiguration, relay, nodes.configuration, refusesOthers: true),
      Route("POST", "api/v1/nodes/{node}/records", nodes.admitRecords, relay, nodes.records, refusesOthers: true),

      // The release gate, with a read token.
      Route(
        "POST", "/api/v1/gate/check", gate.admit, judgement, gate.check, refusesOthers: true,
        parameters: GateRoutes.checkParameters.map(\.name)),
      Route(
        "POST", "/api/v1/gate/compare", gate.admit, judgement, gate.compare, refusesOthers: true,
        parameters: GateRoutes.comparisonParameters.map(\.name)),
      Route(
        "POST", "/api/v1/gate/rollout", gate.admit, judgement, gate.rollout, refusesOthers: true,
        parameters: GateRoutes.rolloutParameters.map(\.name)),
      Route(
        "POST", "/api/v1/gate/lab", gate.admit, judgement, gate.lab, refusesOthers: true,
        parameters: GateRoutes.labParameters.map(\.name)),

      // Runs of performance tests, with a lab token.
      Route("POST", "api/v1/apps/{app}/lab-runs", lab.admit, runs, lab.take, refusesOthers: true),

      // Symbols, with an upload token: from `plumb symbols upload` and from Sentry clients.
      Route("PUT", "/api/v1/symbols", uploads.admit, upload, uploads.take),
      Route(
        "GET POST", "api/0/organizations/{organization}/chunk-upload", debugFiles.admitPieces, pieces,
        debugFiles.takePieces, refusesOthers: true),
      Route(
        "POST", "api/0/projects/{organization}/{project}/files/difs/assemble", debugFiles.admitList, pieces,
        debugFiles.assemble, refusesOthers: true),

      // The state of the server, and static files.
      Route("GET HEAD", "/healthz", Self.form, .receiver, status.health),
      Route("GET HEAD", "/readyz", Self.form, .receiver, status.readiness),
      Route("GET HEAD", "/metrics", Self.form, page, status.metrics),
    ]
    routes += assets.paths.map { Route("GET HEAD", "\($0)", Self.form, .receiver, assets.file) }
    routes += [
      // Signing in, and the account pages. Passwords have their own threads.
      Route("POST", "/login", Self.form, .receiver, login.attempt),
      Route("GET HEAD", "/login", Self.form, page, login.form, refusesOthers: true),
      Route("POST", "/logout", Self.form, page, login.logOut, refusesOthers: true),
      Route("GET HEAD", "/account", Self.form, page, account.logins, refusesOthers: true),
      Route("GET HEAD", "/account/all", Self.form, page, account.allLogins, refusesOthers: true),
      Route("POST", "/account/end-login", Self.form, page, account.endLogin, refusesOthers: true),
      Route("GET HEAD POST", "/account/users", Self.form, page, users.answer, refusesOthers: true),
      Route("GET HEAD", "/audit", Self.form, page, account.auditLog, refusesOthers: true),
    ]
    if let openID = OpenIDRoutes(backend, login) {
      // Separate threads, because these requests wait for the provider.
      let provider = WorkQueue(
        "plumb.oidc", qos: .userInitiated, threads: 2, limit: 64, proxies: proxies, busy: openID.busy)
      routes += [
        Route("GET", "/login/oidc", Self.form, provider, openID.begin),
        Route("GET", "/login/oidc/callback", Self.form, provider, openID.finish),
        Route("GET", "/login/oidc/logout", Self.form, provider, openID.leave),
      ]
    }
    routes += [
      // Deletions, with a delete token.
      Route("POST", "api/v1/apps/{app}/deletions", Self.form, page, deletions.request, refusesOthers: true),
      Route("GET", "api/v1/deletions/{deletion:number}", Self.form, page, deletions.state, refusesOthers: true),

      // Decisions of users and tokens that may edit.
      Route("POST", "apps/{app}/groups/{group}", Self.form, page, decisions.decide(.group)),
      Route("POST", "apps/{app}/silences", Self.form, page, decisions.decide(.newSilence)),
      Route("POST", "apps/{app}/silences/{silence:number}", Self.form, page, decisions.decide(.silence)),
      Route("POST", "api/v1/apps/{app}/groups/{group}", Self.form, page, decisions.decide(.group)),
      Route("POST", "api/v1/apps/{app}/silences", Self.form, page, decisions.decide(.newSilence)),
      Route("DELETE", "api/v1/apps/{app}/silences/{silence:number}", Self.form, page, decisions.decide(.silence)),

      // For readers: data without a page, the data of pages, and pages.
      Route("GET HEAD", "api/v1/symbols", Self.form, page, pages.symbols, parameters: []),
      Route("GET HEAD", "api/v1/apps/{app}/symbols", Self.form, page, pages.symbolCoverage, parameters: []),
      Route("GET HEAD", "api/v1/apps/{app}/silences", Self.form, page, pages.silences, parameters: []),
      Route(
        "GET HEAD", "api/v1/audit", Self.form, page, pages.auditLog, parameters: PageRoutes.auditParameters.map(\.name)),
      Route(
        "GET HEAD", "api/v1/prometheus", Self.form, page, pages.prometheus,
        parameters: PageRoutes.prometheusParameters.map(\.name)),
      Route("GET HEAD", "\(AppTitleAndIcon.iconPath)", Self.form, page, pages.icon, ready: pages.kept),
    ]
    routes += PageList.endpoints.map { endpoint in
      Route(
        "GET HEAD", "api/v1/\(endpoint.path)", Self.form, page, pages.data(endpoint), parameters: endpoint.parameters)
    }
    routes += PageList.all.map { definition in
      Route("GET HEAD", "\(definition.path)", Self.form, page, pages.page(definition), ready: pages.kept)
    }
    if let primary = backend.standbyOf { routes = routes.map { $0.isReading ? $0 : $0.refusing(for: primary) } }
    self.init(backend, status, routes, remaining: Route("", "", Self.form, page, pages.nothing))
  }

  /// The routes of an ingest node, which has no pages. All other addresses refer to the primary.
  ///
  /// `primary`: the address of the server with the pages.
  public convenience init(_ backend: any PayloadBackend, primary: String) {
    let refresher = AccessCacheRefresher(backend)
    let status = StatusRoutes(backend, refresher, nil)
    let elsewhere = Response.text(
      "This is a Plumb ingest node; it only accepts payloads. Pages and the API are at \(primary).\n", status: 404
    ).prepared()
    let metrics = WorkQueue(
      "plumb.metrics", threads: 1, limit: 64, proxies: backend.settings.trustedProxies, busy: StatusRoutes.busy)
    let small: Route.Admit = { _, match in .accept(bodyLimit: 1024, responder: match.responder()) }
    let routes =
      Self.payloads(backend, refresher) + [
        Route("GET HEAD", "/healthz", small, .receiver, status.health),
        Route("GET HEAD", "/readyz", small, .receiver, status.readiness),
        Route("GET HEAD", "/metrics", small, metrics, status.nodeMetrics),
      ]
    self.init(backend, status, routes, remaining: Route("", "", small, .receiver) { _ in elsewhere })
  }

  /// The addresses that accept payloads with an app's key. The responder of the admission answers according to its
  /// protocol, on the receiving thread or on a thread for large bodies.
  private static func payloads(_ backend: any PayloadBackend, _ refresher: AccessCacheRefresher) -> [Route] {
    let ingest = IngestRoute(backend, refresher)
    let sentry = SentryRoute(beside: ingest, backend.settings)
    func route(
      _ methods: String, _ address: RouteAddress,
      _ read: @escaping @Sendable (borrowing RequestHead, [String]) -> IngestAddress
    ) -> Route {
      Route(
        methods, address,
        { head, match in
          let address = read(head, match.arguments)
          return address.isSentry ? sentry.admit(head, to: address) : ingest.admit(head, to: address)
        }, .receiver, { _ in nil }, refusesOthers: true,
        defaultResponses: { read($0, $1).answers.defaultResponses })
    }
    return [
      route("POST PUT OPTIONS", "/v1/payloads[/]") { _, _ in IngestAddress(.sniffed, PayloadResponses.shared) },
      route("POST PUT OPTIONS", "/v1/metrics[/]") { head, _ in IngestAddress(otlp: .metrics, head) },
      route("POST PUT OPTIONS", "/v1/logs[/]") { head, _ in IngestAddress(otlp: .logs, head) },
      route("POST PUT OPTIONS", "/v1/traces[/]") { head, _ in IngestAddress(otlp: .traces, head) },
      route("POST OPTIONS", "/api/{project}/envelope[/]") { IngestAddress(sentry: .sentryEnvelope, project: $1[0]) },
      route("POST OPTIONS", "/api/{project}/store[/]") { IngestAddress(sentry: .sentryStore, project: $1[0]) },
    ]
  }

  /// Admits all requests; the handler checks access.
  private static let form: Route.Admit = { _, match in
    .accept(bodyLimit: 32 << 10, responder: match.responder())
  }
}
