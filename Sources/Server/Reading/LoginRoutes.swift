import Access
import Dashboard
import HTTP
import Storage
import Telemetry

/// The login form, logging in and logging out.
struct LoginRoutes: Sendable {
  let context: ServerContext
  let cookie: SessionCookie
  private let throttle = LoginThrottle()

  /// A login lasts a week.
  private static let lifetimeSeconds = 7 * 86_400

  init(context: ServerContext, cookie: SessionCookie) {
    self.context = context
    self.cookie = cookie
  }

  func response(to request: RequestSnapshot, _ access: ReadAccess, at now: Timestamp) -> Response {
    switch (request.method, request.path) {
    case ("GET", "/login"), ("HEAD", "/login"): return form(200, message: nil)
    case ("POST", "/login"): return isOwnPage(request) ? logIn(request, at: now) : Refusal.foreignPage
    case ("POST", "/logout"): return isOwnPage(request) ? logOut(request, access) : Refusal.foreignPage
    case (_, "/login"): return Refusal(request).methodNotAllowed("GET, HEAD, POST")
    default: return Refusal(request).methodNotAllowed("POST")
    }
  }

  private func isOwnPage(_ request: RequestSnapshot) -> Bool {
    request.isFromOwnPage(publicURL: context.settings.publicURL)
  }

  private func logIn(_ request: RequestSnapshot, at now: Timestamp) -> Response {
    let fields = FormFields(request.body)
    let name = fields["user"] ?? ""
    if case .wait(let seconds) = throttle.attempt(user: name, at: now) {
      var response = form(429, message: "Too many attempts. Try again in \(seconds) s.")
      response.headers.append(("Retry-After", String(seconds)))
      return response
    }
    do {
      // An unknown name costs the same time as a wrong password.
      let stored = try context.control.user(named: name)?.passwordHash
      guard PasswordHash.verify(fields["password"] ?? "", against: stored) else {
        return form(401, message: "Wrong name or password.")
      }
      throttle.succeeded(user: name)
      return try openSession(for: name, at: now)
    } catch {
      context.report(error)
      return Refusal(request).failure
    }
  }

  private func openSession(for name: String, at now: Timestamp) throws -> Response {
    let id = KeyGenerator.sessionID()
    let expires = Timestamp(milliseconds: now.milliseconds + Int64(Self.lifetimeSeconds) * 1000)
    try context.control.openLogin(
      LoginSession(idHash: SessionCookie.hash(ofID: id), user: name, expires: expires), at: now)
    return redirect("/", cookie.setting(id: id, seconds: Self.lifetimeSeconds))
  }

  private func logOut(_ request: RequestSnapshot, _ access: ReadAccess) -> Response {
    if let hash = access.sessionHash(of: request) {
      do { try context.control.closeLogin(idHash: hash) } catch { context.report(error) }
    }
    return redirect("/login", cookie.clearing)
  }

  private func redirect(_ path: String, _ setCookie: String) -> Response {
    Response(status: 303, headers: [("Location", path), ("Set-Cookie", setCookie)] + Security.headers)
  }

  private func form(_ status: Int, message: String?) -> Response {
    Response(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + Security.headers,
      body: LoginPageView.render(failure: message, PageContext()))
  }
}
