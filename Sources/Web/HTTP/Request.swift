/// A complete request, valid only during `Responder.respond`.
public struct Request: ~Copyable {
  /// The request line and headers of the request.
  let head: RequestHead
  /// The body in its receive buffer, followed by at least 64 readable zero bytes, as simdjson requires.
  let body: UnsafeRawBufferPointer
  /// When the body was complete: milliseconds since 1970, by the wall clock.
  let received: Int64

  /// The body of a request that was admitted with `Admission.spool`; `body` is empty then.
  let spooled: SpooledBody?

  /// The connection that owns the body, on whose thread the caller runs. Nil for a request created for a test.
  private let connection: Connection?

  /// Creates a request from values, for tests. `body` and its padding must outlive it.
  init(
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

  /// Moves the body out of the request without copying it, for use on another thread. `body` stays valid while the
  /// result exists.
  func takeBody() -> ReceivedBody { connection?.body.detach() ?? ReceivedBody(copying: body) }

  /// A copy of the request, for use on another thread. The body is not copied, but moved as by `takeBody`.
  func snapshot() -> RequestSnapshot {
    RequestSnapshot(
      method: head.method, path: head.path, segments: head.segments, query: head.query, headers: head.headers,
      content: takeBody(), spooled: spooled, received: received, peer: head.peer, mountPath: head.mountPath)
  }
}
