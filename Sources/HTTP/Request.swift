/// A whole request, valid only during `Responder.respond`.
public struct Request: ~Copyable {
  /// The request line and headers.
  public let head: RequestHead
  /// The body where it was received. At least 64 readable zero bytes follow its end, as simdjson wants.
  public let body: UnsafeRawBufferPointer
  /// When the body was complete: wall clock, milliseconds since 1970.
  public let received: Int64

  /// The body of a request that was admitted with `Admission.spool`; `body` is empty then.
  public let spooled: SpooledBody?

  /// Whose body it is; its thread is the caller's. Nil for a request made of values.
  private let connection: Connection?

  /// A request made of values, for tests; `body` must outlive it, padding included.
  public init(
    head: consuming RequestHead, body: UnsafeRawBufferPointer, received: Int64, spooled: SpooledBody? = nil
  ) {
    self.init(head: head, body: body, received: received, spooled: spooled, connection: nil)
  }

  init(
    head: consuming RequestHead, body: UnsafeRawBufferPointer, received: Int64, spooled: SpooledBody?,
    connection: Connection?
  ) {
    self.head = head
    self.body = body
    self.received = received
    self.spooled = spooled
    self.connection = connection
  }

  /// Takes the body along to another thread, without a copy. `body` stays valid as long as what is returned lives.
  public func takeBody() -> ReceivedBody { connection?.body.detach() ?? ReceivedBody(copying: body) }

  /// A copy of all of it that may travel to another thread.
  public func snapshot() -> RequestSnapshot {
    RequestSnapshot(
      method: head.method, path: head.path, segments: head.segments, query: head.query, headers: head.headers,
      body: [UInt8](body), received: received, peer: head.peer)
  }
}

/// A request as plain values, for work that is done on another thread.
public struct RequestSnapshot: Sendable {
  /// In upper case as sent.
  public let method: String
  /// The path, percent-decoded, without the query.
  public let path: String
  /// The parts of the path between slashes, each decoded by itself.
  public let segments: [String]
  /// The parameters of the query in their order, decoded.
  public let query: [(name: String, value: String)]
  /// Every header in the order of arrival.
  public let headers: [(name: String, value: String)]
  /// The whole body.
  public let body: [UInt8]
  /// When the body was complete: wall clock, milliseconds since 1970.
  public let received: Int64
  /// Who connected: the client, or a proxy in front of it. Nil for a snapshot that never was on a socket.
  public let peer: ClientAddress?

  /// A snapshot with every part named.
  public init(
    method: String, path: String, segments: [String], query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], body: [UInt8] = [], received: Int64 = 0,
    peer: ClientAddress? = nil
  ) {
    self.peer = peer
    self.method = method
    self.path = path
    self.segments = segments
    self.query = query
    self.headers = headers
    self.body = body
    self.received = received
  }

  /// A snapshot of a request that never was on a socket, for tests.
  public init(
    method: String, target: String, headers: [(String, String)] = [], body: [UInt8] = [], received: Int64 = 0,
    peer: ClientAddress? = nil
  ) {
    let head = RequestHead(method: method, target: target, headers: headers)
    self.init(
      method: head.method, path: head.path, segments: head.segments, query: head.query, headers: head.headers,
      body: body, received: received, peer: peer)
  }

  /// The first parameter of that name.
  public func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The first header of that name, in any letter case.
  public func header(_ name: String) -> String? { headers.first { ASCII.equal($0.name, name) }?.value }
}
