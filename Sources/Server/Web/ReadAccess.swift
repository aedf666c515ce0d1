import Access
import HTTP
import Storage
import Telemetry

/// Checks read access: by a read token, by a login session, or for any client of an open loopback server.
struct ReadAccess: Sendable {
  let cache: AccessCache
  let store: any ControlStore
  let cookie: SessionCookie
  /// Whether clients need no login: the setting is on, and the server listens on a loopback address only.
  private let isOpen: Bool
  private let report: @Sendable (any Error) -> Void

  init(
    cache: AccessCache, store: any ControlStore, cookie: SessionCookie, listener: String, isOpen: Bool,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.report = report
    self.cache = cache
    self.store = store
    self.cookie = cookie
    self.isOpen = isOpen && LoopbackRule.isLoopback(listener: listener)
  }

  /// How a client was authenticated.
  enum Reader: Sendable {
    case token
    case session(user: String)
    case loopback

    var isSignedIn: Bool { if case .session = self { true } else { false } }
  }

  /// The authenticated client; nil if the request has no valid token or session. Throws if the store cannot be read.
  func reader(of request: RequestSnapshot, at now: Timestamp) throws -> Reader? {
    if let header = request.header("Authorization"), let text = IngestHeaders.bearer(header),
      let token = cache.token(text, at: now), token.permits(.read)
    {
      // The token is valid even if its use cannot be recorded.
      do { try store.markUsed(token: token.id, at: now) } catch { report(error) }
      return .token
    }
    if let user = try user(of: request, at: now) { return .session(user: user) }
    return isOpenTo(request) ? .loopback : nil
  }

  /// The client of an open loopback server; nil otherwise. Decided without the database: logins and tokens may be
  /// revoked at any moment, so they are looked up elsewhere.
  func knownReader(of head: borrowing RequestHead) -> Reader? {
    guard isOpen, head.header("Authorization") == nil, head.header("Cookie") == nil, allows(head.headers) else {
      return nil
    }
    return .loopback
  }

  /// The hash of the session id in the request's cookie; nil without one.
  func sessionHash(of request: RequestSnapshot) -> String? {
    cookie.id(in: request.header("Cookie")).map(SessionCookie.hash(ofID:))
  }

  private func user(of request: RequestSnapshot, at now: Timestamp) throws -> String? {
    guard let hash = sessionHash(of: request) else { return nil }
    return try store.login(idHash: hash, at: now)?.user
  }

  private func isOpenTo(_ request: RequestSnapshot) -> Bool { isOpen && allows(request.headers) }

  /// Whether the client is on this machine: there is exactly one Host header, and the loopback rule allows it.
  private func allows(_ headers: [(name: String, value: String)]) -> Bool {
    let hosts = headers.indices.filter { LoopbackRule.isHost(headers[$0].name) }
    return hosts.count == 1
      && LoopbackRule.allows(host: headers[hosts[0]].value, headerNames: headers.lazy.map(\.name))
  }
}
