import Access
import HTTP
import Storage
import Telemetry

/// Who may read: a read token, a login session, or anybody on an open loopback server.
struct ReadAccess: Sendable {
  let cache: AccessCache
  let store: any ControlStore
  let cookie: SessionCookie
  let listener: String
  let isOpen: Bool

  /// How a reader proved who they are.
  enum Reader: Sendable {
    case token
    case session(user: String)
    case loopback
  }

  /// Nil when the request proves nothing.
  func reader(of request: RequestSnapshot, at now: Timestamp) -> Reader? {
    if let header = request.header("Authorization"), let text = IngestKey.bearer(header),
      let token = cache.token(text, at: now), token.right == .read
    {
      try? store.markUsed(token: token.id, at: now)
      return .token
    }
    if let user = user(of: request, at: now) { return .session(user: user) }
    return isOpenTo(request) ? .loopback : nil
  }

  /// The hash of the login session's id, when there is one.
  func sessionHash(of request: RequestSnapshot) -> String? {
    cookie.id(in: request.header("Cookie")).map(SessionCookie.hash(ofID:))
  }

  private func user(of request: RequestSnapshot, at now: Timestamp) -> String? {
    guard let hash = sessionHash(of: request) else { return nil }
    return (try? store.login(idHash: hash, at: now))??.user
  }

  private func isOpenTo(_ request: RequestSnapshot) -> Bool {
    // Of two hosts, nobody knows which one was meant.
    isOpen && request.headers.filter { $0.name.lowercased() == "host" }.count == 1
      && LoopbackRule.allows(
        listener: listener, host: request.header("Host"), headerNames: request.headers.map(\.name))
  }
}
