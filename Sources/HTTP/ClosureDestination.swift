internal import Synchronization

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
