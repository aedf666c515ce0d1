internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
///     let server = HTTPServer(configuration: .init(host: "127.0.0.1", port: 8080), handler: routes)
///     try server.start()
///     …
///     server.stop { journal.drain() }
///
/// Without a call of `stop`, the server stops when it is let go of.
public final class HTTPServer: Sendable {
  private let configuration: Configuration
  private let handler: any RequestHandler
  private let state = Mutex<RunningServer?>(nil)
  let traffic = Traffic()

  /// A server that does not listen yet.
  public init(configuration: Configuration, handler: any RequestHandler) {
    self.configuration = configuration
    self.handler = handler
  }

  deinit { stop {} }

  /// The port the server listens on, 0 while it does not.
  public var port: Int { state.withLock { $0?.listening.port ?? 0 } }

  var running: ServerState? { state.withLock { $0?.service } }

  /// Starts to listen and to serve, on threads of its own. Does nothing when already running. Raises the process's
  /// limit of open files to what the connections need, as far as the system lets it, and has large blocks of its memory
  /// go back to the system when they are freed.
  public func start() throws(HTTPServerError) {
    let failure: HTTPServerError? = state.withLock { running in
      do throws(HTTPServerError) {
        if running == nil { running = try RunningServer(configuration, handler, traffic) }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Stops without losing an answer: accepts nothing more and refuses further requests with 503, calls `drain`, in
  /// which the program finishes the requests it has taken, answers 503 to what is then still unanswered, waits until
  /// all answers are sent, at most for `stopGrace`, and closes every connection. Does nothing when not running.
  public func stop(drain: () -> Void) {
    guard let running = state.withLock({ $0.take() }) else { return }
    let service = running.service
    running.stopAccepting()
    service.refuseFurtherRequests()
    drain()
    service.answerSuspended()
    service.waitUntilSent()
    running.daemon.stop()
  }
}

extension HTTPServer {
  /// Where the server listens and what it allows. The defaults suit the smallest machine.
  public struct Configuration: Sendable {
    /// An IPv4 or IPv6 address, or `localhost`, which is 127.0.0.1.
    public var host: String
    /// 0 lets the system choose; `HTTPServer.port` then has the choice.
    public var port: Int
    /// Threads that receive, decode and send.
    public var threads = 2
    /// Open connections. When there are more, the idlest of the address that has the most are closed; only where
    /// everybody is owed an answer new ones wait in the system's queue.
    public var connections = 4096
    /// Open connections of one address, of IPv6 of one /64. When there are more, the idlest of its own are closed.
    public var connectionsPerAddress = 1024
    /// Proxies in front of the server, whose connections are many people's: `connectionsPerAddress` is not for them.
    public var trustedProxies = TrustedProxies()
    /// A connection without any traffic is closed after this.
    public var idleTimeout: Duration = .seconds(30)
    /// A request that is not received and answered after this is cut off, however busy its connection is. An answer
    /// that the program owes is replaced by a 503 instead.
    public var requestDeadline: Duration = .seconds(60)
    /// How much of a refused body is read and thrown away before the answer, so that clients that write first get to
    /// read it. Beyond it the answer is sent at once and the connection closed.
    public var refusalReadLimit = 8 << 20
    /// Memory for the bodies of requests that were admitted without an account; one that does not fit is answered 503.
    public var bodiesInFlight = 64 << 20
    /// A body that has arrived for `bodyGrace` and brought fewer bytes a second since is cut off.
    public var slowestBody = 1024
    /// How long a body may come as slowly as it likes.
    public var bodyGrace: Duration = .seconds(10)
    /// Bodies that may be spooled at once; a further one is answered 503.
    public var spools = 2
    /// A spooled body that brings less than this many bytes within `requestDeadline` is cut off.
    public var slowestSpool = 1 << 20
    /// How long `stop` waits for answers to be sent.
    public var stopGrace: Duration = .seconds(5)

    /// The defaults at this address.
    public init(host: String = "127.0.0.1", port: Int = 0) {
      self.host = host
      self.port = port
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least 0.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, over) = seconds.multipliedReportingOverflow(by: 1000)
    return over ? .max / 4 : min(.max / 4, max(0, whole + attoseconds / 1_000_000_000_000_000))
  }
}

/// Why a server did not start, with the address and what to do about it.
public struct HTTPServerError: Error, CustomStringConvertible, Equatable {
  /// The kind of failure.
  public enum Code: Sendable {
    case invalidHost, invalidPort, addressInUse, addressNotAvailable, permissionDenied, system
  }

  /// What failed.
  public let code: Code
  /// What failed, with the address, and what to do about it.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The failure of a system call while listening at `address`.
  static func listening(at address: String, _ number: Int32) -> HTTPServerError {
    switch number {
    case EADDRINUSE:
      .init(.addressInUse, "\(address) is already in use. Stop the program that listens there or choose another port.")
    case EADDRNOTAVAIL:
      .init(.addressNotAvailable, "\(address) is not an address of this machine.")
    case EACCES, EPERM:
      .init(.permissionDenied, "Listening on \(address) is not permitted. Ports below 1024 need a privilege.")
    default:
      .init(.system, "Cannot listen on \(address): \(String(cString: strerror(number))).")
    }
  }
}
