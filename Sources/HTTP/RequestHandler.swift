/// What the server asks of the program: a verdict on the headers of a request, then an answer to the whole of it.
///
/// Both functions run on a thread of libmicrohttpd that serves many connections: they must not block. Work that takes
/// longer than decoding a body keeps the `Reply` (and a `snapshot` of the request) and goes to another thread.
public protocol RequestHandler: Sendable {
  /// Decides at the headers, before any byte of a body is read.
  func admit(_ head: borrowing RequestHead) -> Admission

  /// Answers a request whose body has arrived. `reply` may be used now or kept and used later, from any thread.
  func respond(to request: borrowing Request, _ reply: Reply)
}

/// The verdict on the headers of a request.
public enum Admission: Sendable {
  /// Read a body of at most this many bytes; a longer one is answered 413.
  case accept(bodyLimit: Int)
  /// Answer this, without the body.
  case refuse(Response)
}
