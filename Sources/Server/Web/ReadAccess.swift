import Access
import HTTP
import Storage
import Telemetry

/// What gives read access: a read token, a login session, or any client of an open loopback server.
struct ReadAccess: Sendable {
  let cache: AccessCache
  let store: any ControlStore
  let cookie: SessionCookie
  /// Clients on this machine need no login: the setting says so, and the server listens on loopback only.
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

  /// How a reader proved who they are.
  enum Reader: Sendable {
    case token
    case session(user: String)
    case loopback

    var isSignedIn: Bool { if case .session = self { true } else { false } }
  }

  /// Nil when the request proves nothing. Throws if the store cannot be read.
  func reader(of request: RequestSnapshot, at now: Timestamp) throws -> Reader? {
    if let header = request.header("Authorization"), let text = IngestHeaders.bearer(header),
      let token = cache.token(text, at: now), token.right == .read
    {
      // The token is good whether or not that can be written down.
      do { try store.markUsed(token: token.id, at: now) } catch { report(error) }
      return .token
    }
    if let user = try user(of: request, at: now) { return .session(user: user) }
    return isOpenTo(request) ? .loopback : nil
  }

  /// Access to an open loopback server, decided without the database. A login or token may end at any moment: those
  /// are looked up.
  func knownReader(of head: borrowing RequestHead) -> Reader? {
    guard isOpen, head.header("Authorization") == nil, head.header("Cookie") == nil, allows(head.headers) else {
      return nil
    }
    return .loopback
  }

  /// The hash of the login session's id, when there is one.
  func sessionHash(of request: RequestSnapshot) -> String? {
    cookie.id(in: request.header("Cookie")).map(SessionCookie.hash(ofID:))
  }

  private func user(of request: RequestSnapshot, at now: Timestamp) throws -> String? {
    guard let hash = sessionHash(of: request) else { return nil }
    return try store.login(idHash: hash, at: now)?.user
  }

  private func isOpenTo(_ request: RequestSnapshot) -> Bool { isOpen && allows(request.headers) }

  /// True only if there is exactly one Host header and the loopback rule allows it.
  private func allows(_ headers: [(name: String, value: String)]) -> Bool {
    let hosts = headers.indices.filter { LoopbackRule.isHost(headers[$0].name) }
    return hosts.count == 1
      && LoopbackRule.allows(host: headers[hosts[0]].value, headerNames: headers.lazy.map(\.name))
  }
}
