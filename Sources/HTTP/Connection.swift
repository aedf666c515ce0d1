internal import CMicroHTTPD
internal import Synchronization

/// One client connection: the request that is arriving on it, and the answer that is owed.
///
/// `@unchecked Sendable`: `phase`, `framing`, `body`, `spool`, `spooledBefore`, `limit` and `discarded` are touched only by the thread of
/// libmicrohttpd that owns the connection, `answers` is set by it while the exchange is closed and read by others under
/// the lock while it is not; all else is constant, atomic or behind the lock.
final class Connection: @unchecked Sendable {
  /// Where the request on this connection stands.
  enum Phase {
    case idle
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
    }
    var number: UInt64 = 0
    var state = State.closed
  }

  let service: Service
  let socket: Int32
  let exchange = Mutex(Exchange())
  private let clock: Atomic<Int64>

  var phase = Phase.idle
  var framing = Framing()
  var body = BodyBuffer()
  /// Instead of `body`, for a request that was admitted so.
  var spool: SpooledBody?
  /// Its size when the clock was last restarted.
  var spooledBefore = 0
  var limit = 0
  var discarded = 0
  /// What the server answers by itself to this request.
  var answers = ServerAnswers.standard

  init(_ service: Service, socket: Int32) {
    self.service = service
    self.socket = socket
    clock = Atomic(SystemClock.monotonic)
  }

  deinit { body.release(to: service.share) }

  /// When the request began or, without one, the connection fell idle: monotonic milliseconds.
  var began: Int64 { clock.load(ordering: .relaxed) }

  func restartClock(at moment: Int64) { clock.store(moment, ordering: .relaxed) }

  /// Called when the headers are complete. When their first byte came is not known; but a silent connection is closed
  /// after the idle timeout, so it was no later than that after the connection fell idle.
  func startClock() {
    let (latest, over) = began.addingReportingOverflow(service.configuration.idleTimeout.milliseconds)
    restartClock(at: over ? .max : min(SystemClock.monotonic, latest))
  }

  /// The request has ended, answered or not.
  func finish() {
    phase = .idle
    body.release(to: service.share)
    spool = nil
    exchange.withLock {
      $0.number &+= 1
      $0.state = .closed
    }
    // A connection that was cut at the deadline stays cut.
    if began != .max { restartClock(at: SystemClock.monotonic) }
    service.inFlight.subtract(1, ordering: .sequentiallyConsistent)
  }
}
