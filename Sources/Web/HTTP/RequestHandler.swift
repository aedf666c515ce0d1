/// The program behind the server. It decides about a request at its headers and answers it when the body has arrived.
///
/// All functions run on a libmicrohttpd thread that serves many connections, so they must not block. Work that takes
/// longer than decoding a body goes to another thread, with the `PendingReply` and a `snapshot` of the request.
public protocol RequestHandler: Responder {
  /// Decides about a request at its headers, before any byte of the body is read.
  func admit(_ head: borrowing RequestHead) -> Admission

  /// The default responses to a request that is refused before `admit` is called or has decided.
  func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses
}

extension RequestHandler {
  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses { defaultResponses }
}

/// Answers an admitted request. It may store what `admit` has read from the headers, so they are read only once.
public protocol Responder: Sendable {
  /// Answers a request whose body has arrived. `reply` may be used now, or later from any thread.
  func respond(to request: borrowing Request, _ reply: PendingReply)

  /// The answer to a body that exceeds its limit, according to its Content-Length or while it arrives in chunks.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response

  /// The default responses to admitted requests.
  var defaultResponses: DefaultResponses { get }
}

extension Responder {
  public var defaultResponses: DefaultResponses { .standard }

  /// Answers 413 with the standard response.
  public func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
    defaultResponses.tooLarge(limit)
  }
}

/// The decision about a request at its headers.
public enum Admission: Sendable {
  /// Reads a body of at most `bodyLimit` bytes; `Responder.refuseBody` answers a longer body. Its memory is charged to
  /// `account`, or to a shared account if that is nil. Without a responder, the handler answers.
  case accept(bodyLimit: Int, account: BodyAccount? = nil, responder: (any Responder)? = nil)
  /// Writes a body of at most `bodyLimit` bytes to an unnamed file in this folder; it becomes `Request.spooled`. It may
  /// take longer than the deadline if it arrives at least as fast as `HTTPServer.Configuration.slowestSpool`. Only a
  /// few bodies may be spooled at once.
  case spool(folder: String, bodyLimit: Int, responder: (any Responder)? = nil)
  /// Suspends the connection until `admit` can decide, because a lookup is needed first. The closure receives a
  /// function to call once, from any thread; then `admit` is called again. Allowed once per request.
  case askAgain(after: @Sendable (@escaping @Sendable () -> Void) -> Void)
  /// Sends this response without using the body.
  case refuse(Response)
}
