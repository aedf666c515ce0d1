import Analysis
import Core
import Storage

/// The pages of logins and of the audit log, and the form that ends a login. They are never cached.
struct LoginSessionRoutes: Sendable {
  private let backend: any ServerBackend
  private let access: ReadAccess
  private let throttle: LoginThrottle

  init(_ backend: any ServerBackend, _ access: ReadAccess, _ throttle: LoginThrottle) {
    (self.backend, self.access, self.throttle) = (backend, access, throttle)
  }

  /// A client that requests one of these pages.
  private struct Visitor {
    let request: RequestSnapshot
    let reader: ReadAccess.Reader
    /// The hash of the id of the request's login; nil without one.
    let current: String?
    let now: Timestamp

    var isAdmin: Bool { reader.permission.allows(.administer) }
  }

  func logins(_ call: RoutedRequest) throws -> Response {
    try answer(call) { visitor in try read(visitor) { try logins(ofAll: false, visitor) } }
  }

  func allLogins(_ call: RoutedRequest) throws -> Response {
    try answer(call) { visitor in
      try read(visitor) {
        visitor.isAdmin
          ? try logins(ofAll: true, visitor) : ErrorResponses(visitor.request).forbidden(AuditQueryParameters.refusal)
      }
    }
  }

  func auditLog(_ call: RoutedRequest) throws -> Response {
    try answer(call) { visitor in
      try read(visitor) {
        visitor.isAdmin ? try audit(visitor) : ErrorResponses(visitor.request).forbidden(AuditQueryParameters.refusal)
      }
    }
  }

  func endLogin(_ call: RoutedRequest) throws -> Response {
    try answer(call) { visitor in
      call.request.method == "POST" ? try end(visitor) : ErrorResponses(call.request).methodNotAllowed("POST")
    }
  }

  private func answer(_ call: RoutedRequest, _ answer: (Visitor) throws -> Response) throws -> Response {
    let (request, now) = (call.request, backend.now())
    guard let reader = try access.reader(of: request, at: now) else { return ErrorResponses(request).unauthorized }
    return try answer(Visitor(request: request, reader: reader, current: access.sessionHash(of: request), now: now))
  }

  /// Answers GET and HEAD requests of signed-in users and administrators.
  private func read(_ visitor: Visitor, _ answer: () throws -> Response) throws -> Response {
    let request = visitor.request
    guard request.method == "GET" || request.method == "HEAD" else { return ErrorResponses(request).methodNotAllowed() }
    guard visitor.reader.isSignedIn || visitor.isAdmin else { return ErrorResponses(request).notFound }
    return try answer()
  }

  private func logins(ofAll: Bool, _ visitor: Visitor) throws -> Response {
    let reader = visitor.reader
    let logins =
      reader.isSignedIn ? try backend.control.logins(of: ofAll ? nil : reader.name, at: visitor.now) : []
    let list = LoginList(
      user: reader.name, isOfAll: ofAll, isAdmin: visitor.isAdmin, logins: Array(logins.prefix(Self.most)),
      current: visitor.current.map { String($0.prefix(12)) }, asOf: visitor.now)
    return Self.page(LoginSessionsView.render(list, reader.page(backend)))
  }

  /// The maximum number of logins on a page; `plumb user logins` lists all.
  private static let most = 500

  private func end(_ visitor: Visitor) throws -> Response {
    let (request, reader) = (visitor.request, visitor.reader)
    guard request.isFromOwnPage(publicURL: backend.settings.publicURL) else { return ErrorResponses.foreignPage }
    guard reader.isSignedIn else { return ErrorResponses(request).unauthorized }
    let fields = FormFields(request.body)
    let user = fields["user"] ?? reader.name
    guard let login = fields["login"], login.utf8.count == 12 else {
      return ErrorResponses(request).notFound
    }
    guard visitor.isAdmin || user.lowercased() == reader.name.lowercased() else {
      return ErrorResponses(request).forbidden("Only administrators may end the logins of others.")
    }
    if case .wait(let seconds) = throttle.decision(of: reader.actor.key, at: visitor.now) {
      return ErrorResponses(request).tooManyDecisions(seconds)
    }
    _ = try backend.control.acting(as: reader.actor).endLogins(of: user, id: login)
    let page = fields["from"] == "all" ? Page.allLogins : .account
    return Response(status: 303, headers: [("Location", page.path)] + SecurityHeaders.headers)
  }

  private func audit(_ visitor: Visitor) throws -> Response {
    do {
      let filter = try AuditQueryParameters.filter(visitor.request)
      let entries = try backend.control.auditEntries(filter)
      return Self.page(AuditView.render(entries, filter, asOf: visitor.now, visitor.reader.page(backend)))
    } catch let error as InvalidQuery {
      return ErrorResponses(visitor.request).badRequest(error)
    }
  }

  private static func page(_ body: [UInt8]) -> Response {
    Response(
      status: 200,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + SecurityHeaders.headers,
      body: body)
  }
}
