import Synchronization

/// The program behind the server: it decides about a request at its headers, and answers it once the body has arrived.
///
/// All functions run on a libmicrohttpd thread that serves many connections, so they must not block. Work that takes
/// longer than decoding a body goes to another thread, with the `PendingReply` and a `snapshot` of the request.
public protocol RequestHandler: Responder {
  /// Decides about a request at its headers, before any byte of the body is read.
  func admit(_ head: borrowing RequestHead) -> Admission

  /// The server's own answers to a request that is refused before `admit` is called or has decided.
  func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses
}

extension RequestHandler {
  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses { defaultResponses }
}

/// Answers an admitted request. It may store what `admit` has read from the headers, so that they are read once.
public protocol Responder: Sendable {
  /// Answers a request whose body has arrived. `reply` may be used now, or later from any thread.
  func respond(to request: borrowing Request, _ reply: PendingReply)

  /// The answer to a body that is announced or, sent in chunks, turns out to be larger than its limit.
  func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response

  /// The server's own answers to admitted requests.
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
  /// Reads a body of at most `bodyLimit` bytes; `Responder.refuseBody` answers a longer one. Its memory is charged to
  /// `account`, or to a shared one when that is nil. Without a responder the handler itself answers.
  case accept(bodyLimit: Int, account: BodyAccount? = nil, responder: (any Responder)? = nil)
  /// Writes a body of at most `bodyLimit` bytes to an unnamed file in this folder; it becomes `Request.spooled`. It may
  /// take longer than the deadline while it arrives at `HTTPServer.Configuration.slowestSpool` or faster; only a few
  /// bodies may be spooled at once.
  case spool(folder: String, bodyLimit: Int, responder: (any Responder)? = nil)
  /// Suspends the connection until `admit` can decide, because something has to be looked up first. The closure
  /// receives a function to call once, from any thread, after which `admit` is called again. Allowed once per request.
  case askAgain(after: @Sendable (@escaping @Sendable () -> Void) -> Void)
  /// Answers with this response, without using the body.
  case refuse(Response)
}

/// Answers one request, once, from any thread.
///
/// Only the first `send` has an effect. A reply that is released without a `send` answers 500, so that no connection
/// stays suspended for ever.
public final class PendingReply: Sendable {
  private let destination: any ReplyDestination
  private let exchange: UInt64

  init(_ destination: any ReplyDestination, exchange: UInt64) {
    self.destination = destination
    self.exchange = exchange
  }

  /// A reply that passes its response to a closure instead of a socket, for tests. The closure is called once.
  convenience init(_ receive: @escaping @Sendable (Response) -> Void) {
    self.init(ClosureDestination(receive), exchange: 0)
  }

  deinit { destination.abandon(exchange) }

  /// Prevents the 503 at the deadline: the program will answer, however long it takes. For requests that may already
  /// have taken effect, which a client must not repeat.
  func hold() { destination.hold(exchange) }

  /// Whether the request still waits for its response; false once it is answered or its connection is gone.
  var isOwed: Bool { destination.isOwed(exchange) }

  /// Sends the response. Within `Responder.respond` it is queued at once; later it resumes the suspended connection.
  func send(_ response: Response) { destination.answer(response, to: exchange) }
}

/// The receiver of the answer to one numbered exchange: a connection or, in tests, a closure.
protocol ReplyDestination: AnyObject, Sendable {
  func answer(_ response: Response, to exchange: UInt64)
  func abandon(_ exchange: UInt64)
  func hold(_ exchange: UInt64)
  func isOwed(_ exchange: UInt64) -> Bool
}

/// Passes the first answer to a closure.
final class ClosureDestination: ReplyDestination {
  private let receive: Mutex<(@Sendable (Response) -> Void)?>

  init(_ receive: @escaping @Sendable (Response) -> Void) { self.receive = Mutex(receive) }

  func answer(_ response: Response, to exchange: UInt64) {
    let receive = receive.withLock { $0.take() }
    receive?(response)
  }

  func hold(_ exchange: UInt64) {}

  func isOwed(_ exchange: UInt64) -> Bool { receive.withLock { $0 != nil } }

  func abandon(_ exchange: UInt64) { answer(DefaultResponses.standard.unanswered, to: exchange) }
}
