import Core
import Dispatch
import Outbound
import Storage

/// Signing in with an OpenID Connect provider. `/login/oidc` redirects the browser to the provider, which redirects it
/// back to `/login/oidc/callback`. `/login/oidc/logout` redirects to the provider's sign-out page.
///
/// These routes have their own threads, because they wait for the provider.
struct OpenIDRoutes: Sendable {
  private let backend: any ServerBackend
  private let provider: OpenIDProvider
  private let login: LoginRoutes
  private let cookie: SignInCookie
  private let users: ExternalUsers

  /// Creates the routes; nil if no provider is set.
  init?(_ backend: any ServerBackend, _ login: LoginRoutes) {
    guard let settings = backend.settings.login.provider else { return nil }
    self.backend = backend
    self.login = login
    let client = WebClient(caFile: settings.caFile)
    provider = OpenIDProvider(settings) { try client.send($0) }
    cookie = SignInCookie(hash: backend.identity, like: login.cookie)
    users = ExternalUsers(control: backend.control, rules: settings.rules)
  }

  /// The answer if too many sign-ins are waiting.
  var busy: Response { login.page(503, "Too many people are signing in. Try again shortly.") }

  /// Redirects the browser to the provider.
  func begin(_ call: RoutedRequest) -> Response {
    let now = backend.now()
    let signIn = cookie.begin(next: RedirectPath.of(call.request.query("next")))
    do {
      let address = try provider.signInAddress(signIn, redirect: redirect, at: now)
      let headers = [
        ("Location", address), ("Set-Cookie", cookie.setting(signIn, at: now)), ("Cache-Control", "no-store"),
      ]
      return Response(status: 303, headers: headers + SecurityHeaders.headers)
    } catch {
      backend.notice("A sign-in could not start: \(error)")
      return login.page(502, "The sign-in provider cannot be reached. The reason is in the server's log.")
    }
  }

  /// Redirects the browser to the provider's sign-out page.
  func leave(_ call: RoutedRequest) -> Response {
    do {
      guard let address = try provider.signOutAddress(back: own("/login"), at: backend.now()) else {
        return login.page(200, "You are signed out of Plumb. The provider has no sign-out page.")
      }
      return Response(
        status: 303, headers: [("Location", address), ("Cache-Control", "no-store")] + SecurityHeaders.headers)
    } catch {
      backend.notice("A sign-out could not start: \(error)")
      return login.page(502, "The sign-in provider cannot be reached. The reason is in the server's log.")
    }
  }

  /// Handles the provider's answer, which the browser delivers.
  func finish(_ call: RoutedRequest) -> Response {
    let (request, now) = (call.request, backend.now())
    // Check the state first: without it, this browser did not start the sign-in.
    guard let state = request.query("state"),
      let signIn = cookie.signIn(in: request.header("Cookie"), state: state, at: now)
    else {
      return failure(
        400, "This sign-in was started in another browser, or took more than ten minutes. Try again.",
        log: "the cookie does not match the state")
    }
    if let code = request.query("error") {
      return failure(
        403, "The provider refused the sign-in.", log: "the provider's error is \(SanitizedText.name(code))")
    }
    // RFC 9207: an answer of another provider.
    if let issuer = request.query("iss"), issuer != provider.settings.issuer {
      return failure(
        400, "The answer came from another provider. Try again.", log: "iss is \(SanitizedText.name(issuer))")
    }
    guard let code = request.query("code"), !code.isEmpty else {
      return failure(400, "The provider's answer has no code. Try again.", log: "there is no code")
    }
    let network = backend.settings.trustedProxies.client(of: request)?.network.description ?? ""
    if case .wait(let seconds) = login.throttle.question(from: network, at: now) { return login.tooMany(seconds) }
    do {
      let person = try provider.person(code: code, signIn, redirect: redirect, at: now)
      return try enter(person, signIn, request, now)
    } catch {
      return failure(
        502, "The provider's answer could not be verified. The reason is in the server's log.", log: "\(error)")
    }
  }

  private func enter(
    _ person: IDTokenClaims, _ signIn: SignInAttempt, _ request: RequestSnapshot, _ now: Timestamp
  ) throws -> Response {
    switch try users.admit(person, issuer: provider.settings.issuer, claim: provider.settings.nameClaim, at: now) {
    case .refused(let reason): return failure(403, reason, log: reason)
    case .admitted(let user):
      let cookies = try login.openSession(
        for: user.name, seconds: provider.settings.sessionSeconds, request, at: now)
      // Not a redirect, because browsers do not send SameSite=Strict cookies in a redirect chain from another site.
      return Response(
        status: 200,
        headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
          + (cookies + [cookie.clearing]).map { ("Set-Cookie", $0) } + SecurityHeaders.headers,
        body: SignedInView.render(
          next: signIn.next, PageContext(mountPath: backend.settings.mountPath.path)))
    }
  }

  private func failure(_ status: Int, _ message: String, log: String) -> Response {
    backend.notice("A sign-in with the provider failed: \(log)")
    var response = login.page(status, message)
    response.headers.append(("Set-Cookie", cookie.clearing))
    return response
  }

  /// The redirect URI of this server, which must be registered with the provider.
  private var redirect: String { own("/login/oidc/callback") }

  private func own(_ path: String) -> String {
    let base = backend.settings.publicURL
    return (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
  }
}
