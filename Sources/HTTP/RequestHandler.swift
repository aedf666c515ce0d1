/// What the server asks of the program: a verdict on the headers of a request, then an answer to the whole of it.
///
/// All functions run on a thread of libmicrohttpd that serves many connections: they must not block. Work that takes
/// longer than decoding a body keeps the `Reply` (and a `snapshot` of the request) and goes to another thread.
public protocol RequestHandler: Sendable {
  /// Decides at the headers, before any byte of a body is read.
  func admit(_ head: borrowing RequestHead) -> Admission

  /// Answers a request whose body has arrived. `reply` may be used now or kept and used later, from any thread.
  func respond(to request: borrowing Request, _ reply: Reply)

  /// What the server says where it answers such a request by itself. Asked first, for every request.
  func serverAnswers(to head: borrowing RequestHead) -> DefaultResponses

  /// Answers a request whose body is announced or, sent in chunks, turns out to be larger than it was admitted with.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response
}

extension RequestHandler {
  /// The standard ones.
  public func serverAnswers(to head: borrowing RequestHead) -> DefaultResponses { .standard }

  /// The server's own 413.
  public func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
    serverAnswers(to: head).tooLarge(limit)
  }
}

/// The verdict on the headers of a request.
public enum Admission: Sendable {
  /// Read a body of at most this many bytes; `RequestHandler.refuseBody` answers a longer one. Its memory is charged to
  /// the account; without one to what all such requests share.
  case accept(bodyLimit: Int, account: BodyAccount? = nil)
  /// Write a body of at most this many bytes to a nameless file in this folder, where `Request.spooled` finds it. It may
  /// take longer than the deadline as long as it comes at `HTTPServer.Configuration.slowestSpool`; few may come at once.
  case spool(folder: String, bodyLimit: Int)
  /// Something has to be looked up first, which may take time. The closure gets what to call when `admit` can be asked
  /// again, once, from any thread; the connection sleeps until then, and asks a second time only.
  case askAgain(after: @Sendable (@escaping @Sendable () -> Void) -> Void)
  /// Answer this, without the body.
  case refuse(Response)
}
