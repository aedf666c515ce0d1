import Analysis
import Core
import Storage

/// Renders pages and their data, and caches them until the data change.
final class PageRoutes: Sendable {
  let backend: any ServerBackend
  private let access: ReadAccess
  private let cache = PageCache()
  private let answers = AnswerCache()
  private let openIncidents = OpenIncidents()

  init(_ backend: any ServerBackend, _ access: ReadAccess) { (self.backend, self.access) = (backend, access) }

  /// A request of an authorised reader, within a snapshot of the data.
  struct Reading {
    let call: RoutedRequest
    let reader: ReadAccess.Reader
    /// The data of the apps that the client may read.
    let source: any PageSource
    /// Returns the number of open incidents of the app with a bundle identifier.
    let openIncidents: (String) throws -> Int

    var request: RequestSnapshot { call.request }
  }

  /// The handler of a page's address.
  func page(_ definition: any PageDefinition.Type) -> Route.Handler {
    { [self] call in
      try answer(call) { reading in
        let app = definition.isOfApp ? call.arguments.first : nil
        var page = reading.reader.page(backend, canEdit: try canEdit(app, reading))
        page.identities = try reading.source.identities(for: app)
        if let app { page.openIncidents = try reading.openIncidents(app) }
        try APIParameterCheck.checkOnce(call.request.query)
        let request = PageRequest(reading.source, arguments: call.arguments, parameters: call.request.query)
        return try definition.content(request, page)
      }
    }
  }

  /// The handler of the address of a page's data.
  func data(_ endpoint: DataEndpoint) -> Route.Handler {
    { [self] call in
      try answer(call) { reading in
        let format = endpoint.tables == nil ? .json : try APIFormat(call.request)
        let request = PageRequest(reading.source, arguments: call.arguments, parameters: call.request.query)
        return try endpoint.data(request).map { try .api($0, format) }
      }
    }
  }

  func icon(_ call: RoutedRequest) throws -> Response? {
    try answer(call) { try $0.source.iconContent(of: call.arguments[0]) }
  }

  /// Answers requests without a route: 404 for readers.
  func nothing(_ call: RoutedRequest) throws -> Response? {
    guard call.request.method == "GET" || call.request.method == "HEAD" else {
      return ErrorResponses(call.request).methodNotAllowed(call.match.router.methods(at: call.request))
    }
    return try answer(call) { _ in nil }
  }

  /// Removes all cached pages, after a user changed their content.
  func forget() { cache.forget() }

  /// Whether the pages of an app have forms for decisions about its groups.
  private func canEdit(_ app: String?, _ reading: Reading) throws -> Bool {
    guard reading.reader.isSignedIn, let app, let found = try backend.control.app(bundleID: app) else { return false }
    return reading.reader.permission.allows(.edit, on: found.id)
  }

  // MARK: - The cache

  /// A cached page that is still current, if reading it needs no login.
  func kept(_ head: borrowing RequestHead) -> Response? {
    guard let reader = access.knownReader(of: head) else { return nil }
    let gzip = AcceptHeader.allowsGzip(head.header("Accept-Encoding"))
    guard let address = PageCache.address(of: head, gzip: gzip, viewer: reader.cacheKey),
      let kept = cache.response(address, dataVersion: backend.dataVersion(), at: backend.now())
    else { return nil }
    let known = head.header("If-None-Match")
    return EntityTag.matches(known, kept.tag) ? Self.notModified(kept.tag) : kept.response
  }

  /// A page from the cache, or a page that is rendered now and cached. Nil if another request is rendering it; then
  /// this request is tried again. `make` returns nil if there is nothing at the address or no data for it.
  func answer(_ call: RoutedRequest, _ make: (Reading) throws -> PageContent?) throws -> Response? {
    let (request, now) = (call.request, backend.now())
    guard let reader = try access.reader(of: request, at: now) else { return ErrorResponses(request).unauthorized }
    guard !reader.permission.isEmpty else { return ErrorResponses(request).forbidden(ReadAccess.withoutRole) }
    let address = PageCache.address(of: request, viewer: reader.cacheKey)
    let known = request.header("If-None-Match")
    switch cache.turn(address, dataVersion: backend.dataVersion, at: now, again: call.run) {
    case .kept(let response, let tag): return EntityTag.matches(known, tag) ? Self.notModified(tag) : response
    case .others: return nil
    case .full: return Self.busy
    case .own: break
    }
    defer { cache.finish(address) }
    do {
      // Read the version before the data, so that a change during rendering invalidates the page.
      let dataVersion = backend.dataVersion()
      let expiry = PageExpiry()
      guard let content = try content(call, reader, dataVersion, now, expiry, make) else {
        return ErrorResponses(request).notFound
      }
      // Outside the snapshot, because an open read transaction prevents SQLite from truncating its log.
      let bytes = content.render()
      let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
      let body = EncodedBody(bytes, gzip: gzip, maySqueeze: !content.holdsSecrets)
      let headers = [
        ("Content-Type", content.type), ("ETag", body.tag), Self.caching, ("Vary", "Accept, Accept-Encoding"),
      ]
      let refresh = content.refresh.map { [("Refresh", "\($0)")] } ?? []
      let response = Response(
        status: content.status, headers: headers + refresh + body.headers + SecurityHeaders.headers, body: body.bytes
      )
      .prepared()
      if content.isLasting, let dataVersion {
        cache.keep(
          response, tag: body.tag, size: body.bytes.count, at: address, rendered: now, expiry: expiry.time,
          dataVersion: dataVersion)
      }
      return content.status == 200 && EntityTag.matches(known, body.tag) ? Self.notModified(body.tag) : response
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch let refusal as ReadAccess.Refusal {
      return ErrorResponses(request).forbidden(refusal.detail)
    } catch {
      switch error as? StoreError {
      case .unavailable?: return ErrorResponses(request).rowsUnavailable("\(error)")
      case .windowTooOld?:
        return ErrorResponses(request).badRequest(
          InvalidQuery(detail: "\(error)", parameter: "from", isReadable: true))
      default:
        backend.report(error)
        return ErrorResponses(request).failure
      }
    }
  }

  /// The content of a page or its data, read in one snapshot.
  private func content(
    _ call: RoutedRequest, _ reader: ReadAccess.Reader, _ dataVersion: UInt64?, _ now: Timestamp,
    _ expiry: PageExpiry, _ make: (Reading) throws -> PageContent?
  ) throws -> PageContent? {
    let source = ReadableApps(
      backend: backend, permission: reader.permission, now: now, answers: answers, versions: backend.appVersions(),
      expiry: expiry)
    let reading = Reading(call: call, reader: reader, source: source) { [openIncidents, backend] app in
      try openIncidents.count(of: app, version: dataVersion, in: backend.control)
    }
    var content: PageContent?
    try ReadPurpose.$current.withValue(call.readPurpose) {
      try backend.snapshot {
        if let known = call.match.route.parameters { try APIParameterCheck.check(call.request.query, known: known) }
        content = try make(reading)
      }
    }
    return content
  }

  static let busy = Response.problem(
    503, "Busy", detail: "Too many pages are being rendered. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()

  private static let caching = ("Cache-Control", "private, no-cache")

  private static func notModified(_ tag: String) -> Response {
    Response(status: 304, headers: [("ETag", tag), caching])
  }
}

extension RoutedRequest {
  /// What the page's reads are for. They depend on the page and on which filters there are, less on their values.
  fileprivate var readPurpose: ReadPurpose {
    let filters = request.query.filter { !["from", "to"].contains($0.name) && !$0.value.isEmpty }
    let page = ([match.route.address.pattern.description] + filters.map(\.name).sorted()).joined(separator: "\n")
    let names = filters.map { ($0.name, $0.value) } + arguments.enumerated().map { ("\($0)", $1) }
    return ReadPurpose(
      kinds: [
        ([page] + arguments + filters.filter { $0.name == "where" }.map(\.value)).joined(separator: "\n"),
        ([page] + arguments.prefix(1)).joined(separator: "\n"),
      ], from: request.query("from").flatMap(CalendarDay.init(iso:)),
      names: Dictionary(names) { first, _ in first })
  }
}

/// The source of pages on a server, limited to the apps that a client may read.
private struct ReadableApps: PageSource {
  let backend: any ServerBackend
  let permission: Permission
  let now: Timestamp
  let answers: AnswerCache
  /// Read before the snapshot of the data.
  let versions: AppVersions?
  let expiry: PageExpiry

  private var control: any ControlStore { backend.control }

  func apps() throws -> [App] { try control.apps().filter { permission.allows(.read, on: $0.id) } }

  func app(_ bundleID: String) throws -> App? {
    try control.app(bundleID: bundleID).flatMap { permission.allows(.read, on: $0.id) ? $0 : nil }
  }

  func health(of app: App) throws -> HealthReader { try backend.health(of: app) }

  func groups(of app: App) throws -> GroupReader { try backend.groups(of: app) }

  func incidents(closedAfter time: Timestamp) throws -> [Incident] {
    // Only readers of all apps may see incidents of the whole installation, because their texts may name any app.
    try control.incidents(of: nil, closedAfter: time).filter { permission.allows(.read, on: $0.app) }
  }

  func openIncidents(of app: App) throws -> [Incident] { try control.alertState(of: app.id).open }

  func silences(of app: App) throws -> [Silence] {
    try control.silences(at: now).filter { $0.app == nil || $0.app == app.id }
  }

  func deliveries() throws -> [String: [String: DeliveryState]] { try control.lastDeliveries() }

  func answer<Answer: Sendable>(
    to question: [String], about app: App, staleFor: Int64, _ read: () throws -> Answer
  ) throws -> Answer {
    try answers.answer(to: question, about: app, versions, at: now, staleFor: staleFor, expiry: expiry) {
      try ReadPurpose.part(question.first ?? "", read)
    }
  }

  func serverStatus() throws -> ServerStatus? {
    // The server page names every app.
    permission.allows(.read) ? try backend.status() : nil
  }

  func appStoreFigures(of app: App) throws -> [AppStoreFigure] { try control.appStoreFigures(of: app.id) }
  func appStoreNotes(of app: App) throws -> AppStorePerformance { try control.appStoreNotes(of: app.id) }
  func labRuns(of app: App, foretelling metric: String) throws -> [LabRun] {
    try control.labRuns(of: app.id, foretelling: metric)
  }

  func icon(of app: App) throws -> [UInt8]? { try control.icon(of: app.id) }

  func body(of sample: StoredSample) throws -> [UInt8] {
    try CompressibleBytes(sample.body, isFrame: true).withContent(limit: PackedJSON.largest(ofText: sample.size)) {
      try PackedJSON([UInt8]($0)).text(limit: sample.size)
    }
  }
}
