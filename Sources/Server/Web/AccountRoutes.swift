import Access
import HTTP
import Health
import Pages
import Storage
import Telemetry

/// The pages of logins and of the audit log, and the form that ends a login. They are made anew for each request.
struct AccountRoutes {
  let context: ServerContext
  let reader: ReadAccess.Reader
  let throttle: LoginThrottle
  /// The hash of the id of the login that makes the request; nil without one.
  let current: String?

  /// Whether a path is one of these.
  static func isAddress(_ path: String) -> Bool {
    [Page.account, .allLogins, .endLogin, .audit, .users].contains { $0.path == path }
  }

  func response(to request: RequestSnapshot, at now: Timestamp) throws -> Response {
    if request.path == Page.users.path {
      return try UserRoutes(context: context, reader: reader, throttle: throttle).response(to: request, at: now)
    }
    let isAdmin = reader.permission.allows(.administer)
    let isRead = request.method == "GET" || request.method == "HEAD"
    let errors = ErrorResponses(request)
    if request.path == Page.endLogin.path {
      return request.method == "POST" ? try end(request, isAdmin, now) : errors.methodNotAllowed("POST")
    }
    guard isRead else { return errors.methodNotAllowed() }
    guard reader.isSignedIn || isAdmin else { return errors.notFound }
    if request.path == Page.account.path { return try logins(ofAll: false, isAdmin, now) }
    guard isAdmin else { return errors.forbidden(AuditRequest.refusal) }
    if request.path == Page.allLogins.path { return try logins(ofAll: true, isAdmin, now) }
    return try audit(request, now)
  }

  private func logins(ofAll: Bool, _ isAdmin: Bool, _ now: Timestamp) throws -> Response {
    guard reader.isSignedIn else { return Self.page(AccountView.render(list([], ofAll, isAdmin, now), page)) }
    let logins = try context.control.logins(of: ofAll ? nil : reader.name, at: now)
    return Self.page(AccountView.render(list(Array(logins.prefix(Self.most)), ofAll, isAdmin, now), page))
  }

  /// The most logins on a page; `plumb user logins` lists all.
  private static let most = 500

  private func list(_ logins: [LoginSession], _ ofAll: Bool, _ isAdmin: Bool, _ now: Timestamp) -> LoginList {
    LoginList(
      user: reader.name, isOfAll: ofAll, isAdmin: isAdmin, logins: logins,
      current: current.map { String($0.prefix(12)) },
      asOf: now)
  }

  private func end(_ request: RequestSnapshot, _ isAdmin: Bool, _ now: Timestamp) throws -> Response {
    guard request.isFromOwnPage(publicURL: context.settings.publicURL) else { return ErrorResponses.foreignPage }
    guard reader.isSignedIn else { return ErrorResponses(request).unauthorized }
    let fields = FormFields(request.body)
    let user = fields["user"] ?? reader.name
    guard let login = fields["login"], login.utf8.count == 12 else {
      return ErrorResponses(request).notFound
    }
    guard isAdmin || user.lowercased() == reader.name.lowercased() else {
      return ErrorResponses(request).forbidden("Only administrators end the logins of others.")
    }
    if case .wait(let seconds) = throttle.decision(of: reader.actor.key, at: now) {
      return ErrorResponses(request).tooManyDecisions(seconds)
    }
    _ = try context.control.acting(as: reader.actor).endLogins(of: user, id: login)
    let page = fields["from"] == "all" ? Page.allLogins : .account
    return Response(status: 303, headers: [("Location", page.path)] + Security.headers)
  }

  private func audit(_ request: RequestSnapshot, _ now: Timestamp) throws -> Response {
    do {
      let filter = try AuditRequest.filter(request)
      let entries = try context.control.auditEntries(filter)
      return Self.page(AuditView.render(entries, filter, asOf: now, page))
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    }
  }

  private var page: PageContext { reader.page(context) }

  private static func page(_ body: [UInt8]) -> Response {
    Response(
      status: 200,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + Security.headers,
      body: body)
  }
}

/// The parameters of the audit log's page and API.
enum AuditRequest {
  static let refusal = "This needs an administrator of all apps, or a token with the scope admin."

  static func filter(_ request: RequestSnapshot) throws(InvalidQuery) -> AuditFilter {
    func text(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }
    let before = text("before")
    guard before == nil || before.flatMap({ Int64($0) }).map({ $0 > 0 }) == true else {
      throw InvalidQuery(
        detail: "before: expected the number of an entry, found \"\(before ?? "")\"", parameter: "before")
    }
    return AuditFilter(
      app: text("app"), actor: text("who"), action: text("action"), before: before.flatMap { Int64($0) })
  }
}
