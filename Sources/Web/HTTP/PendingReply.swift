import Synchronization

/// The pending answer to one request. It can be sent once, from any thread.
///
/// Only the first `send` has an effect. A reply that is released without `send` answers 500, so that no connection
/// stays suspended for ever.
public final class PendingReply: Sendable {
  private let destination: any ReplyDestination
  private let exchange: UInt64

  init(_ destination: any ReplyDestination, exchange: UInt64) {
    self.destination = destination
    self.exchange = exchange
  }

  /// Creates a reply that passes its response to a closure instead of a socket, for tests. The closure is called once.
  convenience init(_ receive: @escaping @Sendable (Response) -> Void) {
    self.init(ClosureDestination(receive), exchange: 0)
  }

  deinit { destination.abandon(exchange) }

  /// Prevents the 503 at the deadline; the program will answer, no matter how long it takes. Use it for requests that
  /// may already have taken effect, so that the client does not repeat them.
  func hold() { destination.hold(exchange) }

  /// Whether the request is still waiting for its response; false if it is answered or its connection is closed.
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
