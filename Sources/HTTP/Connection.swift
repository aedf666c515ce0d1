internal import CMicroHTTPD
internal import Synchronization

/// One client connection: the request that is arriving on it, and the answer that is owed.
///
/// `@unchecked Sendable`: `phase`, `framing`, `body`, `spool`, `spooledBefore`, `limit`, `discarded` and `responder` are
/// touched only by the thread of libmicrohttpd that owns the connection, `answers` is set by it while the exchange is
/// closed and read by others under the lock while it is not; all else is constant, atomic or behind the lock.
final class Connection: @unchecked Sendable {
  /// Where the request on this connection stands.
  enum Phase {
    case idle
    /// Suspended at the headers: the program asked to be asked again.
    case deciding
    case receiving
    /// Reading a refused body to throw it away; the answer follows it.
    case discarding(Response)
    /// Answered in the middle of the body: what still comes is thrown away until the client has read the answer.
    case lingering
    case answering
  }

  /// The answer owed for one request. Numbered, so that a late `Reply` cannot answer the next request.
  struct Exchange {
    enum State {
      case closed
      case open
      case suspended(SuspendedConnection)
      case answered(PreparedResponse)
      /// The program can decide now.
      case woken
    }
    var number: UInt64 = 0
    var state = State.closed
    /// The program has promised to answer: the deadline does not answer in its place.
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

  /// What the connection does, as others see it, from the idlest on.
  enum Stage: UInt8, AtomicRepresentable, Comparable {
    /// Has never asked for anything.
    case new
    case idle
    /// Sends the body of a request.
    case receiving
    /// Waits for an answer, or is being sent one.
    case answering

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  let service: ServerState
  let socket: Int32
  /// Who connected: a client, or the proxy in front of it.
  let peer: ClientAddress?
  /// Whose connections are counted together; nil for those that are not counted.
  let network: ClientAddress?
  let exchange = Mutex(Exchange())
  private let clock: Atomic<Int64>
  private let visibleStage = Atomic<Stage>(.new)
  /// When the body began to arrive; 0 while none does.
  private let bodyBegan = Atomic<Int64>(0)
  /// How much of it has come.
  private let bodyReceived = Atomic<Int>(0)

  var phase = Phase.idle
  var framing = Framing()
  var body = BodyBuffer()
  /// Instead of `body`, for a request that was admitted so.
  var spool: SpooledBody?
  /// Its size when the clock was last restarted.
  var spooledBefore = 0
  var limit = 0
  var discarded = 0
  /// Answers the request that was admitted; nil while there is none.
  var responder: (any Responder)?
  /// The server's own answers to this request.
  var answers = DefaultResponses.standard

  init(_ service: ServerState, socket: Int32, peer: ClientAddress?) {
    self.service = service
    self.socket = socket
    self.peer = peer
    network = service.limitedNetwork(of: peer)
    clock = Atomic(SystemClock.monotonic)
  }

  deinit { body.settle() }

  /// When the request began or, without one, the connection fell idle: monotonic milliseconds.
  var began: Int64 { clock.load(ordering: .relaxed) }

  /// It was cut and is about to close.
  var isCut: Bool { began == .max }

  var stage: Stage {
    get { visibleStage.load(ordering: .relaxed) }
    set { visibleStage.store(newValue, ordering: .relaxed) }
  }

  /// Notes how much of a body has come.
  func noteBody(_ bytes: Int) {
    bodyReceived.store(bytes, ordering: .relaxed)
    if bodyBegan.load(ordering: .relaxed) == 0 { bodyBegan.store(SystemClock.monotonic, ordering: .relaxed) }
  }

  func endBody() { bodyBegan.store(0, ordering: .relaxed) }

  /// Whether its body comes more slowly than bodies may. Spooled ones have a limit of their own.
  func isTrickling(at now: Int64, grace: Int64, bytesPerSecond: Int) -> Bool {
    let start = bodyBegan.load(ordering: .relaxed)
    guard start > 0, !isCut, stage == .receiving, now - start > grace else { return false }
    return Int64(bodyReceived.load(ordering: .relaxed)) < (now - start - grace) * Int64(bytesPerSecond) / 1000
  }

  func restartClock(at moment: Int64) { clock.store(moment, ordering: .relaxed) }

  /// Called when the headers are complete. When their first byte came is not known; but a silent connection is closed
  /// after the idle timeout, so it was no later than that after the connection fell idle.
  func startClock() {
    let (latest, over) = began.addingReportingOverflow(service.configuration.idleTimeout.milliseconds)
    if !isCut { restartClock(at: over ? .max - 1 : min(SystemClock.monotonic, latest)) }
  }

  /// The request has ended, answered or not.
  func finish() {
    phase = .idle
    body.settle()
    spool = nil
    responder = nil
    endBody()
    exchange.withLock { $0.close() }
    // A connection that was cut stays cut.
    if !isCut { restartClock(at: SystemClock.monotonic) }
    stage = .idle
    service.inFlight.subtract(1, ordering: .sequentiallyConsistent)
  }
}
