import Core
import Storage

/// Checks read access by a read token, by a login session, or for any client of an open loopback server.
struct ReadAccess: Sendable {
  private let backend: any ServerBackend
  let cookie: SessionCookie
  /// Whether clients need no login: the setting is on, and the server listens on a loopback address only.
  private let isOpen: Bool
  private let proxies: TrustedProxies
  private let proxy: (headers: ProxyLogin, users: ExternalUsers)?

  init(_ backend: any ServerBackend, _ cookie: SessionCookie) {
    self.backend = backend
    self.cookie = cookie
    let settings = backend.settings
    isOpen = settings.isOpen && LoopbackRule.isLoopback(listener: settings.host)
    proxies = settings.loginProxies
    proxy = settings.login.proxy.map { ($0, ExternalUsers(control: backend.control, rules: $0.rules)) }
  }

  /// An authenticated client.
  struct Reader: Sendable {
    /// How it was authenticated.
    enum Kind: Sendable {
      case token
      case session
      case proxy
      case loopback
    }

    let kind: Kind
    /// The name of the user or token; empty on an open loopback server.
    let name: String
    let permission: Permission

    /// Whether the client is a signed-in user, whose pages have a link to sign out.
    var isSignedIn: Bool { kind == .session || kind == .proxy }

    /// The client as the author of decisions in the audit log.
    var actor: Actor { Actor(kind == .token ? .token : .user, name) }

    /// A key for the page cache. Clients with the same key see the same pages.
    var cacheKey: String { (kind == .session ? "user " : kind == .proxy ? "proxy " : "") + permission.cacheKey }

    static let loopback = Reader(kind: .loopback, name: "", permission: .reading)

    /// The context of pages for the client. `canEdit`: whether they have forms for decisions about groups.
    func page(_ backend: any ServerBackend, canEdit: Bool = false) -> PageContext {
      var page = PageContext(
        isSignedIn: isSignedIn, canEdit: canEdit, serverURL: backend.settings.publicURL,
        mountPath: backend.settings.mountPath.path)
      page.isSignedInByProxy = kind == .proxy
      page.serverWarning = backend.room().warning
      return page
    }
  }

  /// The refusal of a user without any role.
  static let withoutRole =
    "Your user has no role yet. An administrator can set one with `plumb user role NAME reader`."

  /// The error for a client that its proxy does not identify clearly, or that may not sign in.
  struct Refusal: Error {
    /// A sentence for the client.
    let detail: String
  }

  /// The authenticated client; nil if the request has no valid token, session or user of a proxy. Throws `Refusal`, or
  /// another error if the store cannot be read.
  func reader(of request: RequestSnapshot, at now: Timestamp) throws -> Reader? {
    if let reader = token(of: request, at: now) { return reader }
    if let reader = try proxyUser(of: request) { return reader }
    if let reader = try session(of: request, at: now) { return reader }
    return isOpenTo(request) ? .loopback : nil
  }

  private func token(of request: RequestSnapshot, at now: Timestamp) -> Reader? {
    guard let header = request.header("Authorization"), let text = IngestHeaders.bearer(header),
      let token = backend.access.token(text, at: now), let permission = Permission(token, at: now),
      !token.rights.isDisjoint(with: [.read, .edit, .administer])
    else { return nil }
    // The token stays valid even if its use cannot be recorded.
    do { try backend.control.markUsed(token: token.id, at: now) } catch { backend.report(error) }
    return Reader(kind: .token, name: token.name, permission: permission)
  }

  /// The user in the headers of a trusted proxy; nil without one. The headers of other clients are ignored.
  private func proxyUser(of request: RequestSnapshot) throws -> Reader? {
    guard let proxy, let peer = request.peer, proxies.contains(peer) else { return nil }
    switch proxy.headers.read(request.headers, isThroughOthers: proxies.hasUnknownHop(request.headers)) {
    case .absent: return nil
    case .ambiguous(let reason): throw Refusal(detail: reason)
    case .person(let name, let groups):
      switch try proxy.users.admit(name: name, groups: groups) {
      case .refused(let reason): throw Refusal(detail: reason)
      case .admitted(let user): return Reader(kind: .proxy, name: user.name, permission: Permission(user.roles))
      }
    }
  }

  private func session(of request: RequestSnapshot, at now: Timestamp) throws -> Reader? {
    guard let hash = sessionHash(of: request), let login = try backend.control.login(idHash: hash, at: now),
      let user = try backend.control.user(named: login.user)
    else { return nil }
    do { try backend.control.markUsed(login: login, at: now) } catch { backend.report(error) }
    return Reader(kind: .session, name: user.name, permission: Permission(user.roles))
  }

  /// The client of an open loopback server; nil otherwise. It is decided without the database. Logins and tokens may be
  /// revoked at any time, so `reader` looks them up.
  func knownReader(of head: borrowing RequestHead) -> Reader? {
    guard isOpen, proxy == nil, head.header("Authorization") == nil, head.header("Cookie") == nil,
      allows(head.headers)
    else { return nil }
    return .loopback
  }

  /// The hash of the session id in the request's cookie; nil without one.
  func sessionHash(of request: RequestSnapshot) -> String? {
    cookie.id(in: request.header("Cookie")).map(SessionCookie.hash(ofID:))
  }

  private func isOpenTo(_ request: RequestSnapshot) -> Bool { isOpen && allows(request.headers) }

  /// Whether the client is on this machine: there is exactly one Host header, and the loopback rule allows it.
  private func allows(_ headers: [(name: String, value: String)]) -> Bool {
    let hosts = headers.indices.filter { LoopbackRule.isHost(headers[$0].name) }
    return hosts.count == 1
      && LoopbackRule.allows(host: headers[hosts[0]].value, headerNames: headers.lazy.map(\.name))
  }
}
