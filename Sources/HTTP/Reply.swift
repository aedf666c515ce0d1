internal import Synchronization

/// Answers one request, once, from any thread.
///
/// The first `send` counts and later ones are ignored. A reply that is let go of without a `send` answers 500, so that
/// no connection stays suspended for ever.
public final class Reply: Sendable {
  private let destination: any ReplyDestination
  private let exchange: UInt64

  init(_ destination: any ReplyDestination, exchange: UInt64) {
    self.destination = destination
    self.exchange = exchange
  }

  /// A reply that ends in a closure instead of a socket, for tests. The closure is called once.
  public convenience init(_ receive: @escaping @Sendable (Response) -> Void) {
    self.init(ClosureDestination(receive), exchange: 0)
  }

  deinit { destination.abandon(exchange) }

  /// Promises an answer, however long it takes: from now on the deadline does not answer 503 in the program's place.
  /// For what may have taken effect when the answer is late.
  public func hold() { destination.hold(exchange) }

  /// Whether the answer is still awaited.
  public var isOwed: Bool { destination.isOwed(exchange) }

  /// Answers. Within `respond` the answer is queued at once; later it wakes the suspended connection.
  public func send(_ response: Response) { destination.answer(response, to: exchange) }
}

/// Where the answer of one numbered exchange goes.
protocol ReplyDestination: AnyObject, Sendable {
  func answer(_ response: Response, to exchange: UInt64)
  func abandon(_ exchange: UInt64)
  func hold(_ exchange: UInt64)
  func isOwed(_ exchange: UInt64) -> Bool
}

/// Gives the first answer to a closure.
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
