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
  private let recent = RecentLogins()

  init(cache: AccessCache, store: any ControlStore, cookie: SessionCookie, listener: String, isOpen: Bool) {
    self.cache = cache
    self.store = store
    self.cookie = cookie
    self.listener = listener
    self.isOpen = isOpen
  }

  /// How a reader proved who they are.
  enum Reader: Sendable {
    case token
    case session(user: String)
    case loopback

    var isSignedIn: Bool { if case .session = self { true } else { false } }
  }

  /// Nil when the request proves nothing.
  func reader(of request: RequestSnapshot, at now: Timestamp) -> Reader? {
    if let header = request.header("Authorization"), let text = IngestKey.bearer(header),
      let token = cache.token(text, at: now)
    {
      try? store.markUsed(token: token.id, at: now)
      return .token
    }
    if let user = user(of: request, at: now) { return .session(user: user) }
    return isOpenTo(request) ? .loopback : nil
  }

  /// A reader who is known without asking the database: one whose login was looked up a moment ago, or anybody on an open
  /// loopback server. Nil for all others, who may be readers all the same.
  func knownReader(of head: borrowing RequestHead, at now: Timestamp) -> Reader? {
    guard head.header("Authorization") == nil else { return nil }
    if let id = cookie.id(in: head.header("Cookie")) {
      return recent.user(of: SessionCookie.hash(ofID: id), at: now).map(Reader.session)
    }
    return isOpen && allows(head.headers) ? .loopback : nil
  }

  /// Ends a login for this memory, too.
  func forget(sessionHash: String) { recent.forget(sessionHash) }

  /// The hash of the login session's id, when there is one.
  func sessionHash(of request: RequestSnapshot) -> String? {
    cookie.id(in: request.header("Cookie")).map(SessionCookie.hash(ofID:))
  }

  private func user(of request: RequestSnapshot, at now: Timestamp) -> String? {
    guard let hash = sessionHash(of: request), let user = (try? store.login(idHash: hash, at: now))??.user else {
      return nil
    }
    recent.remember(hash, user: user, at: now)
    return user
  }

  private func isOpenTo(_ request: RequestSnapshot) -> Bool { isOpen && allows(request.headers) }

  /// Of two hosts, nobody knows which one was meant.
  private func allows(_ headers: [(name: String, value: String)]) -> Bool {
    let hosts = headers.filter { $0.name.lowercased() == "host" }
    return hosts.count == 1
      && LoopbackRule.allows(listener: listener, host: hosts[0].value, headerNames: headers.map(\.name))
  }
}
