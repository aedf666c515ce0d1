import Access
import Pages
import Dispatch
import HTTP
import Storage
import Telemetry

/// The login form, logging in and logging out.
///
/// Passwords are hashed on a thread of their own, on which three classes take turns: devices that have logged in
/// before, existing users, and unknown names. A flood of attempts delays neither the pages nor users with the right
/// password.
struct LoginRoutes: Sendable {
  let context: ServerContext
  let cookie: SessionCookie
  private let refresher: AccessRefresher
  private let device: DeviceCookie
  private let throttle = LoginThrottle()
  private let failures: LoginFailureReporter
  private let queue = FairQueue<Turn>(label: "plumb.logins", qos: .userInitiated, threads: 1, limit: 64)

  private enum Turn: Hashable {
    case device, user, stranger
  }

  /// The lifetime of a login, in seconds: a week.
  private static let lifetimeSeconds = 7 * 86_400

  init(context: ServerContext, cookie: SessionCookie, _ refresher: AccessRefresher) {
    self.refresher = refresher
    self.context = context
    self.cookie = cookie
    device = DeviceCookie(hash: context.identity, like: cookie)
    failures = LoginFailureReporter { [notice = context.notice] failed, addresses in
      notice("\(failed) failed logins within a minute, from \(addresses) addresses.")
    }
  }

  /// Whether a request is an attempt to log in.
  static func isAttempt(_ head: borrowing RequestHead) -> Bool { head.method == "POST" && head.path == "/login" }

  /// Checks the limits at once, and the password when it is this attempt's turn.
  func attempt(_ request: RequestSnapshot, _ reply: PendingReply) {
    guard isOwnPage(request) else { return reply.send(ErrorResponses.foreignPage) }
    let fields = FormFields(request.body)
    let name = fields["user"] ?? ""
    let network = context.settings.trustedProxies.client(of: request)?.network.description ?? ""
    refresher.refreshIfDue(at: context.clock())
    let isUser = context.access.isUser(name)
    let attempt = LoginThrottle.Attempt(
      user: name, isUser: isUser, network: network, device: device.device(in: request.header("Cookie"), of: name))
    if case .wait(let seconds) = throttle.attempt(attempt, at: context.clock()) {
      failures.add(network)
      return reply.send(tooMany(seconds))
    }
    let turn: Turn = !isUser ? .stranger : attempt.device == nil ? .user : .device
    let isTaken = queue.run(for: turn) {
      if reply.isOwed { reply.send(logIn(name, fields["password"] ?? "", attempt, request)) }
    }
    if !isTaken { reply.send(tooMany(2)) }
  }

  /// Answers all other requests to `/login` and `/logout`. May block to read the control database.
  func response(to request: RequestSnapshot, _ access: ReadAccess) -> Response {
    switch (request.method, request.path) {
    case ("GET", "/login"), ("HEAD", "/login"): return form(200, message: nil)
    case ("POST", "/logout"): return isOwnPage(request) ? logOut(request, access) : ErrorResponses.foreignPage
    case (_, "/login"): return ErrorResponses(request).methodNotAllowed("GET, HEAD, POST")
    default: return ErrorResponses(request).methodNotAllowed("POST")
    }
  }

  private func isOwnPage(_ request: RequestSnapshot) -> Bool {
    request.isFromOwnPage(publicURL: context.settings.publicURL)
  }

  private func logIn(
    _ name: String, _ password: String, _ attempt: LoginThrottle.Attempt, _ request: RequestSnapshot
  ) -> Response {
    do {
      // An unknown name takes the same time as a wrong password.
      let stored = try context.control.user(named: name)?.passwordHash
      guard PasswordHash.verify(password, against: stored) else {
        failures.add(attempt.network)
        return form(401, message: "Wrong name or password.")
      }
      throttle.succeeded(attempt)
      return try openSession(for: name, at: context.clock())
    } catch {
      context.report(error)
      return ErrorResponses(request).failure
    }
  }

  private func openSession(for name: String, at now: Timestamp) throws -> Response {
    let id = KeyGenerator.sessionID()
    let expires = Timestamp(milliseconds: now.milliseconds + Int64(Self.lifetimeSeconds) * 1000)
    try context.control.openLogin(
      LoginSession(idHash: SessionCookie.hash(ofID: id), user: name, expires: expires), at: now)
    return redirect("/", [cookie.setting(id: id, seconds: Self.lifetimeSeconds), device.setting(user: name)])
  }

  /// Logs out. Responds only after the session is deleted, because the page that confirms the logout must be true.
  private func logOut(_ request: RequestSnapshot, _ access: ReadAccess) -> Response {
    do {
      if let hash = access.sessionHash(of: request) { try context.control.closeLogin(idHash: hash) }
      return redirect("/login", [cookie.clearing])
    } catch {
      context.report(error)
      return ErrorResponses(request).unavailable
    }
  }

  private func redirect(_ path: String, _ cookies: [String]) -> Response {
    Response(
      status: 303, headers: [("Location", path)] + cookies.map { ("Set-Cookie", $0) } + Security.headers)
  }

  private func tooMany(_ seconds: Int) -> Response {
    var response = form(429, message: "Too many attempts. Try again in \(seconds) s.")
    response.headers.append(("Retry-After", String(seconds)))
    return response
  }

  private func form(_ status: Int, message: String?) -> Response {
    Response(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + Security.headers,
      body: LoginView.render(failure: message, PageContext(mountPath: context.settings.mountPath.path)))
  }
}
