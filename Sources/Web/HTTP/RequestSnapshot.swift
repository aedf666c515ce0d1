/// A copy of a request as plain values, for use on another thread.
struct RequestSnapshot: Sendable {
  /// The method as sent: `GET`.
  let method: String
  /// The path, percent-decoded, without the query.
  let path: String
  /// The segments of the path between slashes, each percent-decoded separately.
  let segments: [String]
  /// The query parameters in order, decoded.
  let query: [(name: String, value: String)]
  /// All headers in the order of arrival.
  let headers: [(name: String, value: String)]
  /// The whole body of the request; empty if it was spooled.
  public let content: ReceivedBody
  /// The body of a request that was admitted with `Admission.spool`.
  public let spooled: SpooledBody?
  /// When the body was complete: milliseconds since 1970, by the wall clock.
  let received: Int64
  /// The peer's address: the client's, or its proxy's. Nil for a request that did not come from a socket.
  let peer: ClientAddress?
  /// The path below which clients reach the server, for addresses in pages; empty at the root of a host.
  let mountPath: String

  init(
    method: String, path: String, segments: [String], query: [(name: String, value: String)],
    headers: [(name: String, value: String)], content: ReceivedBody, spooled: SpooledBody?, received: Int64,
    peer: ClientAddress?, mountPath: String
  ) {
    self.peer = peer
    self.mountPath = mountPath
    self.method = method
    self.path = path
    self.segments = segments
    self.query = query
    self.headers = headers
    self.content = content
    self.spooled = spooled
    self.received = received
  }

  /// Creates a snapshot of a request that did not come from a socket, for tests.
  init(
    method: String, target: String, headers: [(String, String)] = [], body: [UInt8] = [], received: Int64 = 0,
    peer: ClientAddress? = nil
  ) {
    let head = RequestHead(method: method, target: target, headers: headers)
    self.init(
      method: head.method, path: head.path, segments: head.segments, query: head.query, headers: head.headers,
      content: body.withUnsafeBytes { ReceivedBody(copying: $0) }, spooled: nil, received: received, peer: peer,
      mountPath: "")
  }

  /// A copy of the body.
  public var body: [UInt8] { [UInt8](content.bytes) }

  /// The value of the first parameter named `name`.
  func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The value of the first header named `name`, in any letter case.
  func header(_ name: String) -> String? { headers.first { ASCII.equal($0.name, name) }?.value }
}
