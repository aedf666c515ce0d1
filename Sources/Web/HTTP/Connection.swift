internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One client connection, with its current request and the pending answer.
///
/// `@unchecked Sendable`: only the libmicrohttpd thread that owns the connection uses `phase`, `framing`, `body`,
/// `spool`, `spooledBefore`, `limit`, `discarded`, `hasEntered` and `responder`. That thread sets `answers` while the
/// exchange is closed; other threads read it under the lock while the exchange is open. Everything else is constant,
/// atomic or protected by the lock.
final class Connection: @unchecked Sendable {
  /// The progress of the current request.
  enum Phase {
    case idle
    /// Suspended at the headers, because the handler returned `askAgain`.
    case deciding
    case receiving
    /// Reading and dropping a refused body; the answer follows.
    case discarding(Response)
    /// Answered in the middle of the body; further bytes are dropped until the client has read the answer.
    case lingering
    case answering
  }

  /// The state of the answer to one request. Numbered, so that a late `PendingReply` cannot answer the next request.
  struct Exchange {
    enum State {
      case closed
      case open
      case suspended(SuspendedConnection)
      case answered(PreparedResponse)
      /// The handler can decide about the request now.
      case woken
    }
    var number: UInt64 = 0
    var state = State.closed
    /// True after `PendingReply.hold`: the request has no deadline.
    var isHeld = false

    mutating func open() -> UInt64 {
      number &+= 1
      (state, isHeld) = (.open, false)
      return number
    }

    mutating func close() {
      number &+= 1
      (state, isHeld) = (.closed, false)
    }
  }

  /// The activity of the connection as seen by other threads, most idle first.
  enum Stage: UInt8, AtomicRepresentable, Comparable {
    /// No request has been received on the connection yet.
    case new
    case idle
    /// The body of a request is arriving.
    case receiving
    /// A request is waiting for its answer, or the answer is being sent.
    case answering

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  let service: SharedServerState
  let daemon: MicroHTTPDaemon
  let socket: Int32
  /// The peer's address: the client's, or its proxy's.
  let peer: ClientAddress?
  /// The network whose connections are limited together; nil without a limit, such as for a trusted proxy.
  let network: ClientAddress?
  let exchange = Mutex(Exchange())
  private let clock: Atomic<Int64>
  private let visibleStage = Atomic<Stage>(.new)
  /// When the current body began to arrive, in monotonic milliseconds; 0 without a body.
  private let bodyBegan = Atomic<Int64>(0)
  /// Bytes of the current body received so far.
  private let bodyReceived = Atomic<Int>(0)

  /// The request during which the client was last seen to have closed its side; see `isAbandoned`.
  private let closedDuring = Atomic<Int64>(-1)

  var phase = Phase.idle
  var framing = RequestFraming()
  var body = BodyBuffer()
  /// The file that receives the body instead of `body`, if the request was admitted with `Admission.spool`.
  var spool: SpooledBody?
  /// The number of bytes in `spool` when the clock was last restarted.
  var spooledBefore = 0
  var limit = 0
  var discarded = 0
  /// Whether stopping waits for the current request; see `SharedServerState.enter`.
  var hasEntered = false
  /// The responder of the current request; nil if no request has been admitted.
  var responder: (any Responder)?
  /// The default responses to the current request.
  var answers = DefaultResponses.standard

  init(_ daemon: MicroHTTPDaemon, socket: Int32, peer: ClientAddress?) {
    self.daemon = daemon
    service = daemon.service
    self.socket = socket
    self.peer = peer
    network = service.limitedNetwork(of: peer)
    clock = Atomic(service.now)
  }

  deinit { body.settle() }

  /// When the current request began or, without one, the connection became idle, in monotonic milliseconds.
  var began: Int64 { clock.load(ordering: .relaxed) }

  /// True after the server has shut the socket down; libmicrohttpd closes it soon.
  var isCut: Bool { began == .max }

  var stage: Stage {
    get { visibleStage.load(ordering: .relaxed) }
    set { visibleStage.store(newValue, ordering: .relaxed) }
  }

  /// Records the number of body bytes that have arrived, for `isTrickling`.
  func noteBody(_ bytes: Int) {
    bodyReceived.store(bytes, ordering: .relaxed)
    if bodyBegan.load(ordering: .relaxed) == 0 { bodyBegan.store(service.now, ordering: .relaxed) }
  }

  func endBody() { bodyBegan.store(0, ordering: .relaxed) }

  /// Whether the body arrives more slowly than `bytesPerSecond` after `grace` milliseconds. False for spooled bodies,
  /// which have a separate limit.
  func isTrickling(at now: Int64, grace: Int64, bytesPerSecond: Int) -> Bool {
    let start = bodyBegan.load(ordering: .relaxed)
    guard start > 0, !isCut, stage == .receiving, now - start > grace else { return false }
    return Int64(bodyReceived.load(ordering: .relaxed)) < (now - start - grace) * Int64(bytesPerSecond) / 1000
  }

  /// Whether the client closed the connection before its request was complete. Returns true at the second call that
  /// detects this.
  ///
  /// libmicrohttpd detects it by an epoll event, but loses the event if the end arrives together with bytes, and would
  /// keep the request until its timeout. One call is not enough, because libmicrohttpd's thread may still pass on
  /// bytes.
  func isAbandoned() -> Bool {
    guard !isCut, stage <= .receiving else { return false }
    let request = began
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    guard count == 0 || count < 0 && errno != EAGAIN && errno != EINTR else { return false }
    return closedDuring.exchange(request, ordering: .relaxed) == request
  }

  func restartClock(at moment: Int64) { clock.store(moment, ordering: .relaxed) }

  /// Starts the request's deadline when the headers are complete. The arrival of their first byte is unknown, but a
  /// silent connection is closed after the idle timeout, so the request began at most that long after the connection
  /// became idle.
  func startClock() {
    let (latest, over) = began.addingReportingOverflow(service.configuration.idleTimeout.milliseconds)
    if !isCut { restartClock(at: over ? .max - 1 : min(service.now, latest)) }
  }

  /// Called when the request has ended, answered or not.
  func finish() {
    phase = .idle
    leave()
    body.settle()
    spool = nil
    responder = nil
    endBody()
    exchange.withLock { $0.close() }
    // A connection that was shut down stays shut down.
    if !isCut { restartClock(at: service.now) }
    stage = .idle
    service.inFlight.subtract(1, ordering: .sequentiallyConsistent)
  }
}
