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
