import Core
import Dispatch
import Storage
import Synchronization

/// The login form, logging in and logging out.
///
/// Passwords are hashed on a separate thread, on which known devices and addresses take turns. A flood of attempts
/// delays neither pages nor users with the right password, and does not reveal which names exist: an attempt beyond the
/// limits of its address is refused after a fixed time for any name, unless its password is right.
struct LoginRoutes: Sendable {
  private let backend: any ServerBackend
  private let access: ReadAccess
  private let device: DeviceCookie
  let throttle: LoginThrottle
  private let failures: LoginFailureReporter
  private let queue = FairQueue<Turn>(label: "plumb.logins", qos: .userInitiated, threads: 1, limit: 64)

  private let hashTime = HashTime()

  private enum Turn: Hashable {
    case device
    case network(String)
    /// Attempts beyond the limits of an address. They have a separate turn, because most of them need no hashing.
    case crowd(network: String)
  }

  init(_ backend: any ServerBackend, _ access: ReadAccess, _ throttle: LoginThrottle) {
    (self.backend, self.access, self.throttle) = (backend, access, throttle)
    device = DeviceCookie(hash: backend.identity, like: access.cookie)
    failures = LoginFailureReporter { failed, addresses in
      backend.notice("\(failed) failed logins within a minute, from \(addresses) addresses.")
    }
  }

  var cookie: SessionCookie { access.cookie }

  /// Checks the limits at once, and the password when it is this attempt's turn.
  func attempt(_ call: RoutedRequest) -> Response? {
    let (request, reply) = (call.request, call.reply)
    guard isOwnPage(request) else { return ErrorResponses.foreignPage }
    guard backend.settings.login.allowsPasswords else {
      return page(403, "Password login is disabled. Sign in with the provider.")
    }
    let fields = FormFields(request.body)
    let name = fields["user"] ?? ""
    let network = backend.settings.trustedProxies.client(of: request)?.network.description ?? ""
    let attempt = LoginThrottle.Attempt(
      user: name, network: network, device: device.device(in: request.header("Cookie"), of: name))
    switch throttle.attempt(attempt, at: backend.now()) {
    case .wait(let seconds):
      failures.add(network)
      return tooMany(seconds)
    case .crowded(let seconds):
      failures.add(network)
      let refusal = DispatchTime.now() + hashTime.pause
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: refusal) { reply.send(tooMany(seconds)) }
      _ = queue.run(for: .crowd(network: network)) {
        if reply.isOwed, let entered = logIn(name, fields, attempt, request, isCrowded: true) { reply.send(entered) }
      }
      return nil
    case .allowed:
      let isTaken = queue.run(for: attempt.device == nil ? .network(network) : .device) {
        guard reply.isOwed else { return }
        if let entered = logIn(name, fields, attempt, request, isCrowded: false) { return reply.send(entered) }
        failures.add(network)
        reply.send(page(401, "Wrong name or password.", next: fields["next"]))
      }
      return isTaken ? nil : tooMany(2)
    }
  }

  /// The login page.
  func form(_ call: RoutedRequest) -> Response {
    let request = call.request
    guard request.method == "GET" || request.method == "HEAD" else {
      return ErrorResponses(request).methodNotAllowed("GET, HEAD, POST")
    }
    return page(200, nil, next: request.query("next"))
  }

  private func isOwnPage(_ request: RequestSnapshot) -> Bool {
    request.isFromOwnPage(publicURL: backend.settings.publicURL)
  }

  /// The answer to the right password, or to an error; nil for a wrong name or password.
  private func logIn(
    _ name: String, _ fields: FormFields, _ attempt: LoginThrottle.Attempt, _ request: RequestSnapshot, isCrowded: Bool
  ) -> Response? {
    do {
      let user = try backend.control.user(named: name)
      // An unknown name takes as long as a wrong password. Beyond the limits, where the time is fixed, it needs no
      // work.
      if isCrowded, user?.passwordHash == nil { return nil }
      let password = fields["password"] ?? ""
      // Beyond the limits, only passwords of existing users are hashed. The time that takes must not be visible.
      let isRight =
        isCrowded
        ? PasswordHash.verify(password, against: user?.passwordHash)
        : hashTime.measure { PasswordHash.verify(password, against: user?.passwordHash) }
      guard isRight, let user else { return nil }
      throttle.succeeded(attempt)
      let cookies = try openSession(
        for: user.name, seconds: backend.settings.login.sessionSeconds, request, at: backend.now())
      return redirect(RedirectPath.of(fields["next"]), cookies + [device.setting(user: name)])
    } catch {
      backend.report(error)
      // Store the login before answering.
      let room = backend.room()
      guard let warning = room.warning, !room.takesPayloads else { return ErrorResponses(request).failure }
      return ErrorResponses(request).noRoom(warning)
    }
  }

  /// Opens a login with a new id, ends the browser's previous login, and returns the cookies to set.
  func openSession(
    for name: String, seconds: Int, _ request: RequestSnapshot, at now: Timestamp
  ) throws -> [String] {
    let id = KeyGenerator.sessionID()
    let expires = Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1000)
    if let old = cookie.id(in: request.header("Cookie")) {
      try backend.control.closeLogin(idHash: SessionCookie.hash(ofID: old))
    }
    try backend.control.openLogin(
      LoginSession(
        idHash: SessionCookie.hash(ofID: id), user: name, expires: expires, created: now, lastUsed: now,
        client: SanitizedText.name(request.header("User-Agent") ?? "", atMost: 120)), at: now)
    return [cookie.setting(id: id, seconds: seconds)]
  }

  /// Logs out. Responds only after the session is deleted, because the response confirms the logout.
  func logOut(_ call: RoutedRequest) -> Response {
    let request = call.request
    guard request.method == "POST" else { return ErrorResponses(request).methodNotAllowed("POST") }
    guard isOwnPage(request) else { return ErrorResponses.foreignPage }
    do {
      guard let hash = access.sessionHash(of: request) else { return redirect("/login", [cookie.clearing]) }
      let name = try backend.control.login(idHash: hash, at: backend.now())?.user
      try backend.control.closeLogin(idHash: hash)
      guard let label = backend.settings.login.provider?.label, let name,
        let user = try backend.control.user(named: name), user.identity != nil
      else { return redirect("/login", [cookie.clearing]) }
      // A page with a link, because the content security policy does not allow a form to redirect to another site.
      return Response(
        status: 200,
        headers: [
          ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Set-Cookie", cookie.clearing),
        ] + SecurityHeaders.headers,
        body: SignedOutView.render(label: label, PageContext(mountPath: backend.settings.mountPath.path)))
    } catch {
      backend.report(error)
      return ErrorResponses(request).unavailable
    }
  }

  private func redirect(_ path: String, _ cookies: [String]) -> Response {
    Response(
      status: 303, headers: [("Location", path)] + cookies.map { ("Set-Cookie", $0) } + SecurityHeaders.headers)
  }

  func tooMany(_ seconds: Int) -> Response {
    var response = page(429, "Too many attempts. Try again in \(seconds) s.")
    response.headers.append(("Retry-After", String(seconds)))
    return response
  }

  /// The login page. `message`: why the last attempt failed; `next`: the path to show after the login, which is
  /// validated.
  func page(_ status: Int, _ message: String?, next: String? = nil) -> Response {
    let next = RedirectPath.of(next)
    let ways = LoginView.Ways(
      passwords: backend.settings.login.allowsPasswords, provider: backend.settings.login.provider?.label)
    return Response(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + SecurityHeaders.headers,
      body: LoginView.render(
        ways: ways, failure: message, next: next == "/" ? nil : next,
        PageContext(mountPath: backend.settings.mountPath.path)))
  }
}

/// Measures how long hashing a password takes on this machine under the current load.
private final class HashTime: Sendable {
  private let seconds = Mutex(0.0)

  /// The seconds after which an attempt beyond the limits is refused: at least 2, at most 10. It is three times the
  /// time of a hash, so that a right password is recognised in time even behind another hash.
  var pause: Double { min(10, max(2, 3 * seconds.withLock { $0 })) }

  func measure(_ hash: () -> Bool) -> Bool {
    let start = DispatchTime.now().uptimeNanoseconds
    defer {
      let taken = Double(DispatchTime.now().uptimeNanoseconds &- start) / 1e9
      // Increase at once, decrease gradually.
      seconds.withLock { $0 = max(taken, $0 * 0.9) }
    }
    return hash()
  }
}

/// Counts failed logins and reports them at most once a minute.
final class LoginFailureReporter: Sendable {
  private struct State {
    var count = 0
    var networks: Set<String> = []
  }

  private let tell: @Sendable (Int, Int) -> Void
  private let pause: DispatchTimeInterval
  private let state = Mutex(State())
  /// The maximum number of addresses that are counted separately.
  private static let limit = 1000

  /// Creates a reporter. `tell` receives the numbers of failures and of addresses, `pause` after the first failure.
  init(pause: DispatchTimeInterval = .seconds(60), tell: @escaping @Sendable (Int, Int) -> Void) {
    self.pause = pause
    self.tell = tell
  }

  func add(_ network: String) {
    let isFirst = state.withLock { state in
      state.count += 1
      if state.networks.count < Self.limit { state.networks.insert(network) }
      return state.count == 1
    }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [self] in
      let told = state.withLock { state in
        defer { state = State() }
        return state
      }
      tell(told.count, told.networks.count)
    }
  }
}
