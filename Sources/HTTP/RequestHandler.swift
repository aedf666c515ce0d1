/// The program behind the server: it decides about a request at its headers, and answers it once the body has arrived.
///
/// All functions run on a thread of libmicrohttpd that serves many connections: they must not block. Work that takes
/// longer than decoding a body keeps the `Reply` (and a `snapshot` of the request) and goes to another thread.
public protocol RequestHandler: Responder {
  /// Decides at the headers, before any byte of a body is read.
  func admit(_ head: borrowing RequestHead) -> Admission

  /// The server's own answers to a request that is refused before `admit` was called, or has not been admitted yet.
  func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses
}

extension RequestHandler {
  /// Those of the handler itself.
  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses { defaultResponses }
}

/// Answers a request that was admitted. It may keep what `admit` has read from the headers, so that nothing is read twice.
public protocol Responder: Sendable {
  /// Answers a request whose body has arrived. `reply` may be used now or kept and used later, from any thread.
  func respond(to request: borrowing Request, _ reply: Reply)

  /// Answers a request whose body is announced or, sent in chunks, turns out to be larger than it was admitted with.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response

  /// The server's own answers to such a request.
  var defaultResponses: DefaultResponses { get }
}

extension Responder {
  /// The standard ones.
  public var defaultResponses: DefaultResponses { .standard }

  /// The server's own 413.
  public func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
    defaultResponses.tooLarge(limit)
  }
}

/// The verdict on the headers of a request.
public enum Admission: Sendable {
  /// Read a body of at most this many bytes; `Responder.refuseBody` answers a longer one. Its memory is charged to the
  /// account; without one to what all such requests share. The handler itself answers when there is no other responder.
  case accept(bodyLimit: Int, account: BodyAccount? = nil, responder: (any Responder)? = nil)
  /// Write a body of at most this many bytes to a nameless file in this folder, where `Request.spooled` finds it. It may
  /// take longer than the deadline as long as it comes at `HTTPServer.Configuration.slowestSpool`; few may come at once.
  case spool(folder: String, bodyLimit: Int, responder: (any Responder)? = nil)
  /// Something has to be looked up first, which may take time. The closure gets what to call when `admit` can be called
  /// again, once, from any thread; the connection sleeps until then. `admit` may ask for this once per request.
  case askAgain(after: @Sendable (@escaping @Sendable () -> Void) -> Void)
  /// Answer this, without the body.
  case refuse(Response)
}
