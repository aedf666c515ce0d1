import Dispatch
import Storage

/// A queue of requests for a few threads, on which clients take turns.
final class WorkQueue: Sendable {
  /// The key by which requests take turns.
  private enum Client: Hashable {
    case address(ClientAddress?)
    case token(Int32)
  }

  /// How to handle a request whose client disconnects or waits long.
  enum Effect {
    /// The request only reads, so it is dropped if the client disconnects.
    case none
    /// The request is always carried out.
    case carriedOut
    /// The request is always carried out and answered without a deadline, because a client that repeats it would wait
    /// again.
    case awaited
  }

  /// The threads, and the answer if too many requests wait; nil to answer on the receiving thread.
  private let queue: (threads: FairQueue<Client>, busy: Response)?
  private let proxies: TrustedProxies
  private let effect: Effect

  /// The receiving thread, for handlers that never block or have their own queue.
  static let receiver = WorkQueue()

  private init() { (queue, proxies, effect) = (nil, TrustedProxies(), .none) }

  /// Creates a queue. See `FairQueue` for `threads`, `spare`, `most` and `limit`. `busy`: the answer if too many
  /// requests are waiting. Requests with a token take turns by token, all others by the client's address behind
  /// `proxies`.
  init(
    _ label: String, qos: DispatchQoS = .utility, threads: Int, spare: Int = 0, most: Int? = nil, limit: Int,
    effect: Effect = .none, proxies: TrustedProxies, busy: Response
  ) {
    queue = (FairQueue(label: label, qos: qos, threads: threads, spare: spare, most: most, limit: limit), busy)
    (self.proxies, self.effect) = (proxies, effect)
  }

  func run(_ call: RoutedRequest) {
    guard let (threads, busy) = queue else { return call.answer() }
    if effect == .awaited { call.reply.hold() }
    let client: Client =
      call.token.map { .token($0.id) } ?? .address(proxies.client(of: call.request)?.network)
    let isTaken = threads.run(for: client) { [effect] in
      if effect != .none || call.reply.isOwed { call.answer() }
    }
    if !isTaken { call.reply.send(busy) }
  }
}
